/** Makes the pipeline of a one-off import: what was decided about its file, for one run. */

import { WindrowError } from '../../core/error.ts'
import { chosen, valueText, type Choice, type Value } from '../../core/row.ts'
import { quoted } from '../../core/shell-word.ts'
import { stemOf } from '../../core/sources/file-tree.ts'
import type { Format } from '../../formats/format.ts'
import type { Source } from '../../core/sources/source.ts'
import { columnsNamedIn } from '../../mapping/cell.ts'
import { keyText } from '../../rules/key-column.ts'
import { findResourceType } from '../../resources/index.ts'
import { pipelineFrom, type ImportPipeline } from '../definition/definition.ts'
import { unsaidHolding } from '../definition/holding-text.ts'
import type { Group } from '../definition/yaml-source.ts'
import type { StatePlace } from '../../ledger/ledger.ts'
import { placeOfFarm } from '../prepare/holding-place.ts'
import { damageOf } from '../settle/file.ts'
import { columnsRead } from '../../rules/record-type.ts'
import { decideImport, type DecideAround, type Decided } from './decide.ts'
import { lookAt } from './look.ts'

/** What a one-off import does about rules: it has just decided how to read its file, which is not the next of a pipeline. */
const ownRules = {
  deletes: 'stop above 0',
  rejected: 'allow',
  'area-unit': 'warn',
  'filter-empty': 'allow',
  'other-reading': 'warn',
  'file-older': 'allow',
  'file-cut': 'allow',
  'other-encoding': 'warn',
}

/** A one-off import: what was decided, and its pipeline. */
export type Planned = Decided & { readonly pipeline: ImportPipeline; readonly refusal: WindrowError | undefined }

/** `isTrial`: a dry run, which continues without a key, a farm or a connection. */
export type PlanAround = DecideAround & {
  readonly formats: readonly Format[]
  readonly isTrial: boolean
  /** What to do about missing choices. */
  readonly hintFor?: ((missing: readonly Choice[]) => string) | undefined
}

/** What planning needs, with the place of the farm that is decided on. */
export function aroundPlan(place: StatePlace, given: Omit<PlanAround, 'findNear'>): PlanAround {
  const { connection, signal } = given
  return {
    ...given,
    findNear: async (holding, isNeeded) =>
      holding && placeOfFarm({ mapping: { holding } }, place, connection, signal)(isNeeded),
  }
}

/**
 * Looks at a file and decides. `said` has the form of a pipeline file, in part: what a person set. Throws `choices-missing` if something
 * is left that only a person can decide.
 */
export async function planImport(source: Source, said: Group, around: PlanAround): Promise<Planned> {
  const facts = await lookAt(source, said, around)
  try {
    return planOf(await decideImport(facts, said, around), said, around)
  } finally {
    await facts.close()
  }
}

/** The pipeline of a one-off import of what was decided. */
export function planOf(
  decided: Decided,
  said: Group,
  { path, fileName, formats, isTrial, hintFor }: PlanAround,
): Planned {
  const { raw, type, missing, table, profile, choices, isExport } = decided
  const refusal = refusalOf(missing, fileName, hintFor?.(missing))
  const isOpen = missing.some(
    ({ setting }) => setting === 'import' || (setting.startsWith('from.') && setting !== 'from.decimal'),
  )
  if (refusal !== undefined && (!isTrial || isOpen)) throw damageOf(table) ?? refusal
  const isNothing =
    choices.every(({ setting }) => !setting.startsWith('record.')) && Object.keys(profile.shapes).length === 0
  if (isNothing && said['record'] === undefined) throw noFields(decided)
  const isKnown = findResourceType(type.plural) !== undefined
  const made = pipelineFrom(
    {
      holding: unsaidHolding,
      // A preview goes on without.
      key: '<row>',
      ...raw,
      // A dataset that windrow does not know has the members of every record, as holdings have.
      import: isKnown ? type.plural : 'holdings',
      columns: { new: 'ignore', ...(said['columns'] as Group | undefined) },
      rules: { ...ownRules, ...(said['rules'] as Group | undefined) },
    },
    path,
    formats,
  ) as ImportPipeline
  const { holding } = made.mapping
  const farm = isExport ? 'export' : valueText(holding.id).replace(/[<>]/g, '')
  const name = `${type.plural}-${farm}-${stemOf(fileName).normalize('NFC')}`
  const mapping = { ...made.mapping, type, key: raw['key'] as Value }
  return { ...decided, refusal, pipeline: { ...made, name, type, mapping } }
}

function noFields({ profile, type }: Decided): WindrowError {
  return new WindrowError('option-invalid', `No column of "${profile.name}" looks like a field of ${type.plural}.`, {
    hint: `${columnsRead(profile)} Write a pipeline that names the column for each field. To start one: windrow init FILE --to ${type.plural}`.trim(),
  })
}

/** Without these no run can start; the others only leave something out. */
const needed: ReadonlySet<string> = new Set(['connection', 'import', 'from.layer', 'from.crs', 'holding', 'key'])

const mostShown = 5

/** The one error that lists everything that only a person can decide; undefined if a run can start without. */
export function refusalOf(missing: readonly Choice[], fileName: string, hint?: string): WindrowError | undefined {
  if (!missing.some(({ setting }) => needed.has(setting))) return undefined
  const lines = missing.map(({ setting, question, value, evidence, others }) => {
    const all =
      value === undefined
        ? others
        : [{ value, evidence: [evidence, 'suggested'].filter(Boolean).join('; ') }, ...others]
    const named = all
      .slice(0, mostShown)
      .map((each) => `${quoted(answerOf(setting, each.value))}${each.evidence === '' ? '' : ` (${each.evidence})`}`)
    const more = all.length > mostShown ? ` or ${all.length - mostShown} more` : ''
    const ways = named.length === 0 ? '' : ` ${named.join(' or ')}${more}.`
    const why = value === undefined && evidence !== '' ? ` ${evidence.replace(/\.$/, '')}.` : ''
    return `  ${setting}: ${question}${ways}${why}`
  })
  const count = missing.length === 1 ? '1 choice is' : `${missing.length} choices are`
  return new WindrowError('choices-missing', [`${count} missing for "${fileName}":`, ...lines].join('\n'), {
    hint: hint ?? 'Set each of these keys, in the pipeline or where the import is called.',
    data: { missing },
  })
}

/** A value as a person types it: a key as a column, "A,B", or a column and the place. */
export function answerOf(setting: string, value: Value): string {
  // What a person typed stays as it is.
  if (typeof value === 'string' && !value.startsWith('<')) return value
  if (setting === 'key') return `${columnsNamedIn(value).join(',')}${keyText(value).endsWith(' place') ? '+place' : ''}`
  return valueText(value)
}

/** The choices that a person made in a pipeline. */
export function choicesOf({ mapping: { key, holding, record, zone }, set: forRun }: ImportPipeline): readonly Choice[] {
  const fields = Object.entries(record).map(([name, value]) => [`record.${name}`, value] as const)
  const ofFile = (
    [
      ['key', key],
      ['holding', `${valueText(holding.scheme)}:${valueText(holding.id)}`],
      ...fields,
      ['zone', zone],
    ] as const
  )
    .filter(([, value]) => value !== undefined)
    .map(([setting, value]) => chosen(setting, value as Value, 'set in the pipeline'))
  return [...forRun.map(([path, value]) => chosen(path.join('.'), value as Value, 'set for this run')), ...ofFile]
}
