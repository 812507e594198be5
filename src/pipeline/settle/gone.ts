/**
 * Plans what happens to records that are no longer in the file: those that this pipeline owns, and those of the same source
 * that it does not own because its ledger was lost or it was renamed. Reports those that are in the files of several pipelines.
 */

import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { listed, plural } from '../../core/values/plural.ts'
import { readBody } from '../../ledger/content.ts'
import { isLive, type Held, type Ledger } from '../../ledger/ledger.ts'
import { idInKey, sourceIdOf, startOfKeys } from '../../resources/keys.ts'
import { identifiersIn, identifierText, type Identifier } from '../../resources/resource-type.ts'
import { composeTombstone } from '../stage/compose.ts'
import { datasetOf, type ImportJob } from '../stage/import-job.ts'
import { wholeFile } from '../stage/stage-store.ts'
import type { Judging } from './judging.ts'

type GoneOptions = {
  readonly gone: 'keep' | 'delete'
  /** The number of rows without a readable key. */
  readonly keyless: number
  /** Whether the pipeline takes over records of this source that no pipeline owns. */
  readonly takeOver: boolean
}

/** Plans what to do about absent records. Returns the number of those that stay untouched because the pipeline does not own them. */
export function judgeGone(judging: Judging, options: GoneOptions): number {
  const { job, stage, ledger, source, sameRows } = judging
  const planGone = planner(judging, options)
  const former: string[] = []
  const wasBefore = formerOf(job, ledger)
  const otherOf = otherHolder(judging)
  const kept = new Map<string, string>()
  const plan = (held: Held, owner = job.name): void => {
    const { key } = held
    if (stage.hasRow(key)) return
    const other = otherOf(key, owner)
    const isFormer = other === undefined && wasBefore(key)
    if (isFormer) former.push(key)
    if (isFormer) stage.addOwner(key, job.name, null)
    else if (other !== undefined || owner !== job.name) stage.addOwner(key, owner, other ?? job.name)
    if (other === undefined) planGone(held, isFormer)
    else kept.set(key, other)
  }
  // The records that an export leaves out are not gone: somebody chose these rows.
  const unowned = job.mapping.isExport ? [] : unownedOf(judging)
  stage.together(() => {
    const absent = sameRows?.absent()
    for (const held of absent === undefined ? ledger.heldBy(job.name) : ledger.heldWith(job.name, absent)) plan(held)
    // Another pipeline has published these since this one had them in its last file.
    for (const key of ledger.shared.keysOf(job.name).filter((each) => !stage.hasRow(each))) {
      const known = ledger.find(key)
      const owner = isLive(known) ? known.pipeline : null
      if (owner !== null && owner !== job.name && !mayRunElsewhere(ledger, owner)) plan(known!, owner)
    }
    for (const { key, pipeline } of unowned) {
      if (options.takeOver) planGone(ledger.find(key)!)
      // Once a renamed pipeline has delivered, the remaining records of its former name belong to no pipeline.
      if (options.takeOver || pipeline !== null) stage.addOwner(key, pipeline, options.takeOver ? job.name : null)
    }
  })
  reportKept(judging, kept)
  if (former.length > 0) {
    const message = `This pipeline had ${plural(former.length, 'record')} of another farm or type before it was changed: ${namesOf(former)}. The service keeps them, and they are no longer the pipeline's own.`
    stage.report('not-in-file', wholeFile(source), { message, severity: 'warning' })
  }
  if (options.takeOver || unowned.length === 0) return 0
  reportUnowned(judging, unowned, options.gone)
  return unowned.length
}

/** Recognises the records that the pipeline had for another farm or of another type: they are not gone because it never has them. */
function formerOf(job: ImportJob, ledger: Ledger): (key: string) => boolean {
  const { type, mapping } = job
  const { holding } = mapping
  const start = holding && startOfKeys({ type, holding })
  return (key) => {
    if (start !== undefined && key.startsWith(start)) return false
    const { dataset, body } = ledger.find(key)!
    if (dataset !== datasetOf(job)) return true
    const isOfFarm = (each: Identifier): boolean => identifierText(each) === identifierText(holding)
    return holding !== undefined && !identifiersIn(readBody(body)).some(isOfFarm)
  }
}

function planner({ stage, ledger, now, source }: Judging, { gone, keyless }: GoneOptions) {
  return (held: Held, isKept = false): void => {
    // A row without a key may belong to any record, so no record is certainly gone while there is one.
    const mayDelete = gone === 'delete' && keyless === 0 && !isKept
    // A service that was rebuilt without the record has nothing to delete.
    if (held.state === 'missing') return
    const isUnseen = held.state === 'deleting'
    const { body, sourceScheme, sourceId } = ledger.find(held.key)!
    // A repeated deletion must have the same bytes.
    const modified = (isUnseen ? held.modified : null) ?? now
    const tombstone = composeTombstone(readBody(body), modified)
    stage.addRecord({
      key: held.key,
      action: mayDelete ? 'delete' : 'keep',
      hash: tombstone.hash,
      base: held.hash,
      sourceScheme: sourceScheme ?? '',
      sourceId: sourceId ?? '',
      modified,
      body: mayDelete ? (out) => out.text(tombstone.body) : undefined,
      before: mayDelete ? body : undefined,
    })
    if (!isUnseen || !mayDelete) return
    const message = `The service accepted the deletion of "${idInKey(held.key)}" in an earlier run but still shows the record; the deletion is sent again.`
    stage.report('not-seen', wholeFile(source), { value: idInKey(held.key), message })
  }
}

type Unowned = { readonly key: string; readonly pipeline: string | null }

/**
 * Records of this source that are not in the file and that no pipeline owns. Records of another pipeline count only if this is a
 * first run and most of them are in this file: then that pipeline was renamed.
 */
function unownedOf({ job, stage, ledger, state }: Judging): readonly Unowned[] {
  const { name, type, sourceScheme } = job
  const dataset = datasetOf(job)
  const byPipeline = new Map<string | null, { readonly absent: string[]; present: number }>()
  for (const holding of stage.recall('holdings') ?? []) {
    const { scheme, id: prefix } = sourceIdOf({ type, holding, sourceId: '', scheme: sourceScheme })
    for (const { key, pipeline } of ledger.heldByOthers(name, { dataset, scheme, prefix })) {
      const its = byPipeline.get(pipeline) ?? { absent: [], present: 0 }
      byPipeline.set(pipeline, its)
      if (stage.hasRow(key)) its.present += 1
      else its.absent.push(key)
    }
  }
  return [...byPipeline].flatMap(([pipeline, { absent, present }]) => {
    const mayBeFormer = present > absent.length && ledger.lastCount(name) === undefined
    return pipeline === null || (mayBeFormer && !isInUse(ledger, pipeline, state))
      ? absent.map((key) => ({ key, pipeline }))
      : []
  })
}

function reportUnowned(
  { job, stage, ledger, source }: Judging,
  unowned: readonly Unowned[],
  gone: GoneOptions['gone'],
): void {
  const former = [...new Set(unowned.flatMap(({ pipeline }) => (pipeline === null ? [] : [`"${pipeline}"`])))]
  const farms = stage.recall('holdings')?.length === 1 ? 'this farm' : 'these farms'
  const [are, they, them, theyAre] =
    unowned.length === 1 ? ['is', 'It was', 'it', 'it is'] : ['are', 'They were', 'them', 'they are']
  const owner = former.length === 0 ? `No pipeline owns ${them}` : `${they} published by ${former.join(', ')}`
  const message =
    `${plural(unowned.length, 'record')} of ${farms} ${are} in the service but not in the file: ` +
    `${namesOf(unowned.map(({ key }) => key))}. ${owner}, so ${theyAre} not changed. ` +
    (job.isOneOff
      ? 'To delete records that are gone, windrow init drafts a pipeline; write  gone: delete  into it.'
      : `To give ${them} to this pipeline: windrow run --take-over ${job.file}`)
  const hint = `Preview it first with --take-over --dry-run. With "gone: ${gone}" ${theyAre} then ${gone === 'delete' ? 'deleted, within the limits of the rules' : 'kept'}.`
  const severity = ledger.lastCount(job.name) === undefined ? 'warning' : 'note'
  stage.report('not-in-file', wholeFile(source), { message, ...(job.isOneOff ? {} : { hint }), severity })
}

/** Finds another pipeline whose last file has a record, its owner first; undefined if there is none, or its pipeline file is gone. */
function otherHolder({ job, ledger, state }: Judging): (key: string, owner: string) => string | undefined {
  const seen = new Map<string, boolean>()
  return (key, owner) =>
    [owner, ...ledger.shared.pipelinesOf(key)].find((each) => {
      if (!seen.has(each)) seen.set(each, isInUse(ledger, each, state))
      return each !== job.name && seen.get(each)
    })
}

/** False for a one-off import, and for a pipeline that was renamed or removed: their file nobody reads again. */
function isInUse(ledger: Ledger, pipeline: string, state: string): boolean {
  const file = ledger.shared.fileOf(pipeline)
  return file !== null && existsSync(resolve(state, file))
}

/** Whether only another machine may see the pipeline's file: a ledger that machines share has whole paths. */
function mayRunElsewhere(ledger: Ledger, pipeline: string): boolean {
  const file = ledger.shared.fileOf(pipeline)
  return file !== null && isAbsolute(file) && !existsSync(file)
}

/** The ids of the first few, and how many more there are. */
function namesOf(keys: readonly string[]): string {
  const ids = keys.map((key) => `"${idInKey(key)}"`)
  return listed(ids, 5)
}

/** Reports records that left this file but are still in the last file of another pipeline, by that pipeline. */
function reportKept({ stage, source }: Judging, otherOf: ReadonlyMap<string, string>): void {
  for (const [other, keys] of Map.groupBy(otherOf.keys(), (key) => otherOf.get(key)!)) {
    const [them, are] = keys.length === 1 ? ['it', 'it is'] : ['them', 'they are']
    const message = `${plural(keys.length, 'record is', 'records are')} no longer in this file: ${namesOf(keys)}. The last file of "${other}" still has ${them}, so ${are} not deleted and now "${other}" decides.`
    stage.report('in-other-file', wholeFile(source), { message })
  }
}

/** Reports records that another pipeline published last and that were not in this pipeline's last file. */
export function reportChangedHands({ job: { name }, stage, ledger, source, state }: Judging): void {
  const before = new Set(ledger.shared.keysOf(name))
  const sql = 'SELECT key, before AS owner FROM owners WHERE before IS NOT NULL AND after = ? ORDER BY key'
  const taken = stage.query<{ key: string; owner: string }>(sql, name).filter(({ key }) => !before.has(key))
  for (const [owner, its] of Map.groupBy(taken, (each) => each.owner)) {
    const isUsed = isInUse(ledger, owner, state)
    const records = plural(its.length, 'record of this file was', 'records of this file were')
    const message = `${records} last published by "${owner}": ${namesOf(its.map(({ key }) => key))}. From now on "${name}" publishes ${its.length === 1 ? 'it' : 'them'}, too.`
    const hint = isUsed
      ? 'Two pipelines for the same records overwrite each other unless they fill different fields. If both are meant, nothing has to be done.'
      : 'Nothing has to be done if this pipeline replaces the earlier one.'
    stage.report('changed-hands', wholeFile(source), { message, hint, severity: isUsed ? 'warning' : 'note' })
  }
}
