/** Opens the connection of a command and finds its state folder. */

import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { resolveProfile } from '../client/choose-profile.ts'
import type { Pauses } from '../client/exchange.ts'
import { connectTo } from '../client/connection.ts'
import { stateFolder, type Profile } from '../client/profile.ts'
import type { Connection } from '../pipeline/report/course.ts'
import { text, type Input, type Surroundings } from './command.ts'
import { plain } from './terminal.ts'

/** The folder for ledger and runs: --state, else beside the pipeline, else the user's own. */
export function stateOf(input: Input, surroundings: Surroundings, pipelineFolder?: string): string {
  const given = text(input, 'state')
  if (given !== undefined) return resolve(surroundings.folder, given)
  return pipelineFolder === undefined ? userState(surroundings) : join(pipelineFolder, '.windrow')
}

/** The folders that may keep past runs: --state, else beside the pipelines of this folder, and the user's own. */
export function statesOf(input: Input, surroundings: Surroundings): readonly string[] {
  if (text(input, 'state') !== undefined) return [stateOf(input, surroundings)]
  return [join(surroundings.folder, '.windrow'), userState(surroundings)]
}

/** The folder of a ledger: --state, beside the pipeline file, beside the pipelines of this folder, or the user's own. */
export function ledgerFolder(input: Input, surroundings: Surroundings, pipeline: string | undefined): string {
  if (pipeline !== undefined) return stateOf(input, surroundings, dirname(resolve(surroundings.folder, pipeline)))
  return nearState(input, surroundings, 'ledger.db')
}

/** --state, else .windrow in this folder if it has what is asked for, else the user's own. */
export function nearState(input: Input, surroundings: Surroundings, what: 'runs' | 'ledger.db'): string {
  const isBeside = existsSync(join(surroundings.folder, '.windrow', what))
  return isBeside ? stateOf(input, surroundings, surroundings.folder) : stateOf(input, surroundings)
}

/** The user's own state folder. */
export function userState({ env, platform }: Surroundings): string {
  return stateFolder(env, platform)
}

/** Opens the connection that the option, the pipeline, the environment or the only saved profile names. */
export async function reach(
  input: Input,
  surroundings: Surroundings,
  pipeline?: string,
  pauses?: Pauses,
): Promise<Connection> {
  const place = { stateFolder: userState(surroundings), platform: surroundings.platform, env: surroundings.env }
  return connectionOf(
    await resolveProfile({ option: text(input, 'connection'), pipeline }, place),
    surroundings,
    pauses,
  )
}

/** Connects with a profile. Prints waits on standard error, so that nobody takes a pause for a hang. */
export function connectionOf(profile: Profile, surroundings: Surroundings, pauses?: Pauses): Connection {
  const { fetch, clock, sleep, random, terminal } = surroundings
  const client = connectTo(
    profile,
    { fetch, clock, sleep, random },
    {
      pauses,
      onWait: ({ reason, ms }) =>
        void terminal.err.write(`${plain(reason)} Trying again in ${Math.ceil(ms / 1000)} s.\n`),
    },
  )
  return { client, account: client.account, name: profile.name, service: client.service }
}
