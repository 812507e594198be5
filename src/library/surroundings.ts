/** Turns what a program says around a job, such as its connection and its folders, into what the job needs. */

import { join, resolve } from 'node:path'
import type { ClientDeps } from '../client/exchange.ts'
import { WindrowError } from '../core/error.ts'
import { strictObject, type JsonSchema } from '../core/object-schema.ts'
import { formats as known } from '../formats/index.ts'
import type { Format } from '../formats/format.ts'
import { adoptFormat, type OwnFormat } from '../formats/outside-format.ts'
import type { AroundJob, Connection, ImportOptions } from '../pipeline/report/course.ts'
import { interrupted } from '../pipeline/report/conclusion.ts'
import { firstError } from '../resources/validation.ts'
import { allRules, mayBeAllowed } from '../rules/index.ts'
import { demoState, openConnection, pause, userState, type ConnectionName } from './connect.ts'

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
