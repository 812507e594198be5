/** Lists the environment variables that windrow reads; code can read no other through `Environment`. */

/** What a connection in the environment must have; each also as ..._FILE, the name of a file that contains the value. */
export const requiredVariables = {
  WINDROW_SERVICE: 'The address of the service.',
  WINDROW_TOKEN_URL: 'The address for signing in (tokens).',
  WINDROW_CLIENT_ID: 'The client id that the service gave you.',
  WINDROW_USERNAME: 'The user name to sign in with.',
  WINDROW_PASSWORD: 'The password of this user.',
} as const

/** What may be set in place of a connection, or beside it, also as ..._FILE. */
export const optionalVariables = {
  WINDROW_CONNECTIONS:
    'Connections by name, as a JSON object, in place of the saved ones: connection: in a pipeline finds its name there.',
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

/** Secrets for files on the web, also as ..._FILE. */
export const webVariables = {
  WINDROW_WEB_SECRETS:
    'Passwords and keys for files on the web, one a line: https://NAME:PASSWORD@host/path, or https://host/path Header: value.',
  AWS_ACCESS_KEY_ID: 'The access key for s3:// addresses.',
  AWS_SECRET_ACCESS_KEY: 'The secret of this access key.',
  AWS_SESSION_TOKEN: 'The session token, if the access key is a temporary one.',
} as const

/** What every program of the machine reads. */
export const systemVariables = {
  WINDROW_STORE: 'The PostgreSQL database to keep the ledger in, as --store; without it, a file in the state folder.',
  AWS_REGION: 'The region of the bucket in an s3:// address; without it, AWS_DEFAULT_REGION, else us-east-1.',
  AWS_DEFAULT_REGION: 'The region, used without AWS_REGION.',
  AWS_ENDPOINT_URL: 'The address of a store that speaks S3, such as https://minio.example; without it, AWS.',
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
  | keyof typeof webVariables

type Readable = FileableVariable | `${FileableVariable}_FILE` | keyof typeof systemVariables

/** What programs that windrow starts get: all variables but windrow's own, which may have secrets. Windows takes any case. */
export function environmentForOthers(env: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^windrow_/i.test(name)))
}

export type Environment = { readonly [Name in Readable]?: string | undefined }
