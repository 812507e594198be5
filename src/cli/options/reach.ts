/** Opens the connection of a command and finds its state folder. */

import { existsSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { resolveProfile, stateFolder, type Profile } from '../../client/profile.ts'
import { connectTo, type ConnectionOptions } from '../../client/connection.ts'
import type { Traffic } from '../../client/traffic.ts'
import { WindrowError } from '../../core/error.ts'
import { isPostgres } from '../../core/postgres.ts'
import { quoted } from '../../core/shell-word.ts'
import type { StatePlace } from '../../ledger/ledger.ts'
import type { Pipeline } from '../../pipeline/definition/definition.ts'
import type { Connection } from '../../pipeline/report/course.ts'
import { flag, text, type Call, type Input, type Surroundings } from './command.ts'
import { plain } from '../screen/terminal.ts'

/** The folder for ledger and runs: --state, else beside the pipeline, else the user's own. */
export function stateOf(call: Call, pipelineFolder?: string): string {
  const given = text(call, 'state')
  if (given !== undefined) return resolve(call.folder, given)
  return pipelineFolder === undefined ? userState(call) : join(pipelineFolder, '.windrow')
}

/** The state folder, and the PostgreSQL database with the ledger if one is set. */
export function statePlace(call: Call, pipelineFolder?: string): StatePlace {
  return { state: stateOf(call, pipelineFolder), store: storeOf(call) }
}

/** The PostgreSQL database of --store or WINDROW_STORE. */
export function storeOf(call: Call): string | undefined {
  const given = text(call, 'store') ?? call.env['WINDROW_STORE'] ?? ''
  if (given === '' || isPostgres(given)) return given === '' ? undefined : given
  throw new WindrowError('option-invalid', 'The address of the store is not one of a PostgreSQL database.', {
    hint: 'Write --store or WINDROW_STORE as postgres://user@host/database.',
  })
}

/** The name of a pipeline in a store: many folders share it, so that the name has that of the folder too, such as rimu/paddocks. */
export function nameInStore({ name, path }: Pick<Pipeline, 'name' | 'path'>): string {
  return `${basename(dirname(resolve(path)))}/${name}`
}

/** The pipeline, with its name in the store if there is one. */
export function inStore<P extends Pipeline>(pipeline: P, store: string | undefined): P {
  return store === undefined ? pipeline : { ...pipeline, name: nameInStore(pipeline) }
}

/** The folders that may keep past runs: --state, else beside the pipelines of this folder, and the user's own. */
export function statesOf(call: Call): readonly string[] {
  if (text(call, 'state') !== undefined) return [stateOf(call)]
  return [join(call.folder, '.windrow'), userState(call)]
}

/** Where the ledger is: --store, --state, beside the pipeline file, beside the pipelines of this folder, or the user's own. */
export function ledgerPlace(call: Call, pipeline: string | undefined): StatePlace {
  if (pipeline !== undefined) return statePlace(call, dirname(resolve(call.folder, pipeline)))
  return { state: nearState(call, 'ledger.db'), store: storeOf(call) }
}

/** --state, else .windrow in this folder if it has what is asked for, else the user's own. */
export function nearState(call: Call, what: 'runs' | 'ledger.db'): string {
  const isBeside = existsSync(join(call.folder, '.windrow', what))
  return isBeside ? stateOf(call, call.folder) : stateOf(call)
}

/** The user's own state folder. */
export function userState({ env, platform }: Surroundings): string {
  return stateFolder(env, platform)
}

/** The words that call a command for a run, with --state if it would not be found otherwise, and with the same --connection. */
export function commandFor(
  verb: string,
  { run, state }: { readonly run: string; readonly state: string },
  call: Call,
): string {
  const connection = text(call, 'connection')
  const isNear = statesOf({ ...call, options: {} }).includes(state)
  return [
    `windrow ${verb} ${run}`,
    ...(isNear ? [] : [`--state ${quoted(relative(call.folder, state))}`]),
    ...(connection === undefined ? [] : [`--connection ${quoted(connection)}`]),
  ].join(' ')
}

export const runWord = 'the run as windrow runs lists it, the beginning of its name, or "last"'

const noConnection = 'none'

/** The saved connection that --connection names. */
export function namedConnection(input: Input): string | undefined {
  const named = text(input, 'connection')
  return named === noConnection ? undefined : named
}

/**
 * Opens the connection that the option, the pipeline, the environment or the only saved profile names. A trial, which can do without a
 * service, does not wait long for one that is gone.
 */
export async function reach(
  call: Call,
  pipeline?: Pick<Pipeline, 'connection'>,
  {
    traffic,
    isTrial = flag(call, 'dry-run'),
  }: { readonly traffic?: Traffic | undefined; readonly isTrial?: boolean } = {},
): Promise<Connection> {
  const options = { traffic, retry: isTrial ? { silentTries: 2 } : {} }
  const place = { stateFolder: userState(call), platform: call.platform, env: call.env }
  const option = text(call, 'connection')
  if (option === noConnection)
    throw new WindrowError('connection-missing', 'This needs a service, and --connection none chooses none.', {
      hint: 'Without a service: a dry run, a plan, init, inspect and check.',
      data: { isNone: true },
    })
  const profile = await resolveProfile({ option, pipeline: pipeline?.connection }, place)
  return { ...connectionOf(profile, call, options), isNamed: option !== undefined }
}

/** Connects with a profile. Prints waits on standard error, so that nobody takes a pause for a hang. */
export function connectionOf(
  profile: Profile,
  surroundings: Surroundings,
  options: ConnectionOptions = {},
): Connection {
  const { fetch, clock, sleep, random, terminal } = surroundings
  const client = connectTo(
    profile,
    { fetch, clock, sleep, random },
    {
      ...options,
      onWait: ({ reason, ms }) =>
        void terminal.err.write(`${plain(reason)} Trying again in ${Math.max(1, Math.ceil(ms / 1000))} s.\n`),
    },
  )
  return { client, name: profile.name }
}
