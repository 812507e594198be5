/** Turns what a program says around a job, such as its connection and its folders, into what the job needs. */

import { mkdtempSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { connectTo as clientOf, type Client, type ConnectionOptions } from '../client/connection.ts'
import type { ClientDeps } from '../client/exchange.ts'
import { completeProfile, resolveProfile, stateFolder, type Profile } from '../client/profile.ts'
import { WindrowError } from '../core/error.ts'
import { strictObject, type JsonSchema } from '../core/object-schema.ts'
import { once } from '../core/once.ts'
import { temporaryFolder } from '../core/sources/temporary.ts'
import { formats as known } from '../formats/index.ts'
import type { Format } from '../formats/format.ts'
import { adoptFormat, type OwnFormat } from '../formats/outside-format.ts'
import type { AroundJob, Connection, ImportOptions } from '../pipeline/report/course.ts'
import { interrupted } from '../pipeline/report/conclusion.ts'
import { firstError } from '../resources/validation.ts'
import { allRules, mayBeAllowed } from '../rules/index.ts'

/** A saved connection by its name, an account, or `demo`: a service in this process, with sample data and without an account. */
export type ConnectionName = string | Profile

/** What every job takes. */
export type Around = Partial<ClientDeps> & {
  /** A saved connection, an account, or `demo`; by default the environment's, then the pipeline's, then the only saved one. */
  readonly connection?: ConnectionName
  /** The folder for ledger and runs: by default beside the pipeline file, else the user's own. */
  readonly state?: string
  /** Paths are relative to this folder; by default where the program was started. */
  readonly folder?: string
  /** File formats of your own, asked before windrow's. */
  readonly formats?: readonly OwnFormat[]
  /** Stops the job, which then rejects with the code `interrupted`. */
  readonly signal?: AbortSignal
}

/** What a job takes that sends records. */
export type SendingOptions = Around & {
  /** Does everything except send. */
  readonly dryRun?: boolean
  /** The rules that do not stop this one run. */
  readonly allow?: readonly string[]
  /** How long to wait until the service shows the records: 10,000 by default. */
  readonly confirmWithinMs?: number
  readonly onProgress?: NonNullable<ImportOptions['onProgress']>
  /** The name of a pipeline that is given as an object. Its records belong to this name. */
  readonly name?: string
}

/** What a job takes that writes a file. */
export type WritingOptions = Around & {
  /** Replaces a file that windrow did not write, or that was changed since. */
  readonly force?: boolean
  readonly onProgress?: (records: number, total?: number) => void
  /** The name of a pipeline that is given as an object. */
  readonly name?: string
}

type Schemas<Options> = Readonly<Record<keyof Options, JsonSchema>>

const text = { type: 'string' } as const
// JSON Schema has no word for a function.
const anything = {} as const

const aroundSchemas = {
  connection: { type: ['string', 'object'] },
  state: text,
  folder: text,
  formats: { type: 'array' },
  signal: anything,
  fetch: anything,
  clock: anything,
  sleep: anything,
  random: anything,
} satisfies Schemas<Around>

export const sendingSchema = strictObject([], {
  ...aroundSchemas,
  dryRun: { type: 'boolean' },
  allow: { type: 'array', items: { enum: allRules.filter(mayBeAllowed).map(({ id }) => id) } },
  confirmWithinMs: { type: 'number' },
  onProgress: anything,
  name: { type: 'string', minLength: 1 },
} satisfies Schemas<SendingOptions>)

export const writingSchema = strictObject([], {
  ...aroundSchemas,
  force: { type: 'boolean' },
  onProgress: anything,
  name: { type: 'string', minLength: 1 },
} satisfies Schemas<WritingOptions>)

/** What a job has to work with. */
export type Surroundings = Omit<AroundJob, 'connect'> & {
  /** The connection of a pipeline. Throws without one. */
  connect(pipeline?: { readonly connection?: string | undefined }): Promise<Connection>
  /** The state folder of what lies in this folder, or of what has no file. */
  stateBeside(folder: string | undefined): string
  /** The state folders that may have a run. */
  readonly states: readonly string[]
}

/** Does a job of this name. Throws for an option that it does not know: a misspelt one would leave a file or a service as nobody wanted. */
export async function doJob<Result>(
  { caller, schema, options }: { readonly caller: string; readonly schema: JsonSchema; readonly options: Around },
  work: (around: Surroundings) => Promise<Result>,
): Promise<Result> {
  const fault = firstError(schema, options)
  if (fault !== undefined) throw new WindrowError('option-invalid', `${caller}: ${fault.message}`, { hint: fault.hint })
  try {
    return await work(surroundingsOf(options))
  } catch (cause) {
    // One that the caller's signal stopped is interrupted, whatever the signal's reason.
    if (options.signal?.aborted !== true || cause instanceof WindrowError) throw cause
    throw interrupted(cause)
  }
}

function surroundingsOf(options: Around): Surroundings {
  const { connection, state, fetch, random, clock = () => new Date(), sleep = pause, formats } = options
  const { signal = new AbortController().signal } = options
  const folder = resolve(options.folder ?? '')
  const deps = { clock, sleep, ...(fetch && { fetch }), ...(random && { random }) }
  const stateBeside = (beside: string | undefined): string => {
    if (state !== undefined) return resolve(folder, state)
    if (connection === 'demo') return demoState()
    return beside === undefined ? userState() : join(beside, '.windrow')
  }
  return {
    folder,
    env: process.env,
    formats: formats === undefined ? known : withOwn(formats),
    clock,
    sleep: (ms) => sleep(ms, signal),
    signal,
    connect: (pipeline) => openConnection({ connection, pipeline: pipeline?.connection }, deps),
    stateBeside,
    states: [...new Set([stateBeside(folder), stateBeside(undefined)])],
  }
}

// The same list each time: the schemas of pipelines are kept by it.
const adopted = new WeakMap<readonly OwnFormat[], readonly Format[]>()

function withOwn(formats: readonly OwnFormat[]): readonly Format[] {
  const all = adopted.get(formats) ?? [...formats.map((each) => adoptFormat(each, `"${each.name}"`)), ...known]
  adopted.set(formats, all)
  return all
}

/** The state folder of what runs with the demonstration service, which ends with the process. */
const demoState = once(() => mkdtempSync(join(temporaryFolder(), 'windrow-demo-')))

/**
 * The client of a connection; without a name that of the environment, else of the only saved one. Sends nothing yet. Throws when there
 * is no such connection, or an address or option of it cannot be used.
 */
export async function connectTo(
  connection?: ConnectionName,
  options: Partial<ClientDeps> & ConnectionOptions = {},
): Promise<Client> {
  return (await openConnection({ connection }, options)).client
}

/** The connection that a program names, else the one of the pipeline. */
async function openConnection(
  { connection, pipeline }: { readonly connection: ConnectionName | undefined; readonly pipeline?: string | undefined },
  options: Partial<ClientDeps> & ConnectionOptions,
): Promise<Connection> {
  const { fetch = globalThis.fetch, clock = () => new Date(), sleep = pause, random = Math.random, ...more } = options
  const deps = { fetch, clock, sleep, random }
  if (connection === 'demo') {
    const { demoService } = await import('../service/demo.ts')
    const demo = await demoService()
    return { client: clientOf(demo.profile, { ...deps, fetch: demo.fetch }, more), name: connection }
  }
  const { env, platform } = process
  const profile =
    typeof connection === 'object'
      ? completeProfile(connection)
      : await resolveProfile({ option: connection, pipeline }, { stateFolder: userState(), platform, env })
  return { client: clientOf(profile, deps, more), name: profile.name }
}

/** The folder in which windrow keeps its state for this user. */
function userState(): string {
  return stateFolder(process.env, process.platform)
}

/** Waits, until the signal ends it. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return wait(ms, undefined, signal && { signal })
}
