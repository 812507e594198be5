/** Lists the environment variables that windrow reads; code can read no other through `Environment`. */

/** What a connection in the environment must have; each also as ..._FILE, the name of a file that contains the value. */
export const requiredVariables = {
  WINDROW_SERVICE: 'The address of the service.',
  WINDROW_TOKEN_URL: 'The address for signing in (tokens).',
  WINDROW_CLIENT_ID: 'The client id that the service gave you.',
  WINDROW_USERNAME: 'The user name to sign in with.',
  WINDROW_PASSWORD: 'The password of this user.',
} as const

/** What it may have beside that, also as ..._FILE. */
export const optionalVariables = {
  WINDROW_CLIENT_SECRET: 'The secret of the client, if the service gave one.',
  WINDROW_SCOPE: 'The scope to ask for, if the service needs one.',
  WINDROW_REGION: 'The country of the records, such as NZ.',
  WINDROW_REQUESTING_CLIENT_ID: 'The id to send as X-Requesting-ClientID with each request.',
  WINDROW_DOWNGRADE_AUTHENTICATION: 'The value to send as X-Downgrade-Authentication with each request.',
} as const

/** Secrets of the messages that notify.yaml asks for, also as ..._FILE. */
export const notifyVariables = {
  WINDROW_SMTP_PASSWORD: 'The password for the mail server in notify.yaml.',
  WINDROW_WEBHOOK_SECRET: 'The secret that signs the messages to the webhook in notify.yaml.',
} as const

/** What every program of the machine reads. */
export const systemVariables = {
  NO_COLOR: 'If set, the terminal gets no colours.',
  TZ: 'The time zone where none is given; without it, the zone of this machine.',
  XDG_STATE_HOME: 'Linux: the folder for saved connections and past runs (in windrow); without it, ~/.local/state.',
  HOME: 'Linux and macOS: the home folder of the user.',
  LOCALAPPDATA: 'Windows: the folder for saved connections and past runs (in windrow).',
  PATH: 'Where --open finds the program that opens the page.',
  USERPROFILE: 'Windows: the home folder of the user, used without LOCALAPPDATA.',
} as const

/** A variable whose value may also lie in a file. */
export type FileableVariable =
  | keyof typeof requiredVariables
  | keyof typeof optionalVariables
  | keyof typeof notifyVariables

export type Environment = {
  readonly [Name in FileableVariable | `${FileableVariable}_FILE` | keyof typeof systemVariables]?: string | undefined
}
