/** Chooses the connection of a run: by option, pipeline, environment, or the only saved one. */

import type { Environment, optionalVariables, requiredVariables } from '../core/environment.ts'
import { WindrowError } from '../core/error.ts'
import { readVariable } from '../core/sources/secret-text.ts'
import {
  listProfiles,
  loadProfile,
  optionalMembers,
  optionalNames,
  type OptionalMember,
  type Profile,
  type ProfilePlace,
} from './profile.ts'

/**
 * The connection to use: the one named by the option, else by the pipeline, else the one the environment describes, else the
 * only saved one. Throws 'connection-missing' with what to do when there is none, or more than one and no choice.
 */
export async function resolveProfile(
  choice: { readonly option?: string | undefined; readonly pipeline?: string | undefined },
  deps: ProfilePlace & { readonly env: Environment },
): Promise<Profile> {
  const named = choice.option ?? choice.pipeline
  if (named !== undefined) return loadProfile(named, deps)
  const fromEnvironment = await environmentProfile(deps.env)
  if (fromEnvironment !== undefined) return fromEnvironment
  const names = await listProfiles(deps)
  const [only] = names
  if (names.length === 1 && only !== undefined) return loadProfile(only, deps)
  if (only === undefined)
    throw new WindrowError('connection-missing', 'No service connection is configured.', { hint: howToConfigure })
  throw new WindrowError('connection-missing', `Which connection? There are ${names.length}: ${names.join(', ')}.`, {
    hint: `Add --connection ${only}, or write connection: ${only} in the pipeline.`,
    data: { connections: names },
  })
}

const howToConfigure =
  'Save a connection with windrow connect. Or name a saved one with --connection NAME, or connection: NAME in the pipeline. ' +
  'Or set WINDROW_SERVICE, WINDROW_TOKEN_URL, WINDROW_CLIENT_ID, WINDROW_USERNAME and WINDROW_PASSWORD, ' +
  'each also possible as ..._FILE with the name of a file that contains the value.'

const required = {
  service: 'WINDROW_SERVICE',
  tokenUrl: 'WINDROW_TOKEN_URL',
  clientId: 'WINDROW_CLIENT_ID',
  username: 'WINDROW_USERNAME',
  password: 'WINDROW_PASSWORD',
} as const satisfies Readonly<Record<string, keyof typeof requiredVariables>>

const optional: Readonly<Record<OptionalMember, keyof typeof optionalVariables>> = {
  clientSecret: 'WINDROW_CLIENT_SECRET',
  scope: 'WINDROW_SCOPE',
  region: 'WINDROW_REGION',
  requestingClientId: 'WINDROW_REQUESTING_CLIENT_ID',
  downgradeAuthentication: 'WINDROW_DOWNGRADE_AUTHENTICATION',
}

async function environmentProfile(env: Environment): Promise<Profile | undefined> {
  const [service, tokenUrl, clientId, username, password] = await Promise.all(
    Object.values(required).map((name) => readVariable(env, name)),
  )
  const given = { service, tokenUrl, clientId, username, password }
  if (Object.values(given).every((each) => each === undefined)) return undefined
  if (!isComplete(given)) {
    const missing = Object.entries(required).flatMap(([member, name]) =>
      given[member as keyof typeof given] === undefined ? [name] : [],
    )
    // Falling back to a saved connection here could send a farm's records to another service than meant.
    throw new WindrowError(
      'connection-missing',
      `The environment describes a connection, but ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
      {
        hint: 'Set them, each also possible as ..._FILE. Or unset the others, or name a saved connection with --connection NAME.',
        data: { missing },
      },
    )
  }
  const more = await Promise.all(optionalNames.map((name) => readVariable(env, optional[name])))
  return { name: 'environment', ...given, ...optionalMembers((name) => more[optionalNames.indexOf(name)]) }
}

type Given = { readonly [Member in keyof typeof required]: string | undefined }

function isComplete(given: Given): given is { readonly [Member in keyof typeof required]: string } {
  return Object.values(given).every((each) => each !== undefined)
}
