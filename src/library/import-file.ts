/** Decides how to read a file, and imports it or writes a pipeline for it, as `windrow import` and `windrow init` do. */

import { resolve } from 'node:path'
import { naming } from '../core/error.ts'
import type { Choice } from '../core/row.ts'
import { openSource, webOf } from '../core/sources/open-source.ts'
import type { Source } from '../core/sources/source.ts'
import { isWebAddress } from '../core/sources/web-address.ts'
import { checkSettings } from '../pipeline/definition/definition.ts'
import type { Group } from '../pipeline/definition/yaml-source.ts'
import { decideImport } from '../pipeline/inspect/decide.ts'
import { draftFor } from '../pipeline/inspect/draft.ts'
import { lookAt } from '../pipeline/inspect/look.ts'
import { aroundPlan, planImport, type PlanAround } from '../pipeline/inspect/one-off.ts'
import type { Report } from '../pipeline/report/report.ts'
import { finished, jobAround, runAlone, type ImportSettings } from './jobs.ts'
import { doJob, sendingSchema, type SendingOptions, type Surroundings } from './surroundings.ts'

/** What is set about a file; the rest is decided. `holding` may also be SCHEME:ID, or the name or number of a farm. */
export type FileSettings = { readonly [Key in keyof ImportSettings]?: ImportSettings[Key] | undefined }

/** A pipeline file for a file, with the evidence as comments, and what was decided. A choice with the certainty `ask` is still open. */
export type Drafted = { readonly yaml: string; readonly choices: readonly Choice[] }

/**
 * Imports a file as `windrow import` does. Rejects with a WindrowError unless the run finished; if it had started, the
 * error's `data.report` shows how far it came. The report counts rejected rows and refused records. A choice that only a person can
 * make is an error with the code `choices-missing` that lists all of them.
 */
export function importFile(path: string, settings: FileSettings = {}, options: SendingOptions = {}): Promise<Report> {
  return doJob({ caller: 'importFile', schema: sendingSchema, options }, (around) =>
    withFile(path, { settings, options }, around, async ({ source, said, state, plan }) => {
      const planned = await planImport(source, said, plan)
      return finished(await runAlone({ ...planned, state, source, connection: plan.connection }, options, around))
    }),
  )
}

/** Drafts a pipeline file for a file. Its paths are relative to the folder of the options. Writes and sends nothing. */
export function init(path: string, settings: FileSettings = {}, options: SendingOptions = {}): Promise<Drafted> {
  return doJob({ caller: 'init', schema: sendingSchema, options }, (around) =>
    withFile(path, { settings, options: { ...options, dryRun: true } }, around, async ({ source, said, plan }) => {
      const facts = await lookAt(source, said, plan)
      try {
        const decided = await decideImport(facts, said, plan)
        const yaml = draftFor(decided, { folder: around.folder, fileName: source.name })
        return { yaml, choices: decided.choices }
      } finally {
        await facts.close()
      }
    }),
  )
}

type OpenedFile = {
  readonly source: Source
  readonly said: Group
  readonly state: string
  readonly plan: PlanAround
}

/** Opens a file, and closes it after the work. */
async function withFile<Result>(
  path: string,
  { settings, options }: { readonly settings: FileSettings; readonly options: SendingOptions },
  around: Surroundings,
  work: (file: OpenedFile) => Promise<Result>,
): Promise<Result> {
  const { folder, formats, signal, clock, sleep } = around
  checkSettings('import', settings, formats)
  const { grids, 'private addresses': inside } = settings.from ?? {}
  const said =
    grids === undefined ? settings : { ...settings, from: { ...settings.from, grids: resolve(folder, grids) } }
  const connection = await jobAround(around, options).connect(undefined)
  const state = around.stateBeside(undefined)
  const web = { signal, clock, sleep, ...webOf(around, state), allowsPrivate: inside === 'allow' }
  const { source, close } = await openSource(path, folder, web)
  const plan = aroundPlan(
    { state },
    {
      path: isWebAddress(path) ? path : resolve(folder, path),
      fileName: source.name,
      connection,
      formats,
      isTrial: options.dryRun === true,
      signal,
    },
  )
  try {
    return await work({ source, said, state, plan })
  } catch (cause) {
    throw naming(source.name, cause)
  } finally {
    await close()
  }
}
