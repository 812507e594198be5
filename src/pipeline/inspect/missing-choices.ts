/** Finds what a person must still choose about a file: layer, farm, key, coordinate system, order of day and month. */

import { WindrowError } from '../../core/error.ts'
import type { Table, Value } from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import type { OpenedFile } from '../../formats/index.ts'
import { identifyCrs } from '../../geometry/crs/crs.ts'
import type { Near } from '../../geometry/crs/area.ts'
import { columnsNamedIn } from '../../mapping/cell.ts'
import { choiceOf } from '../../mapping/choice.ts'
import { keyText } from '../../mapping/suggest-key.ts'
import { identifierText, type ResourceType } from '../../resources/resource-type.ts'
import { readHolding } from '../definition/holding-text.ts'
import { farmMeant, farmsToChoose } from '../export/find-holding.ts'
import { chooseTable, onlyTable, tableFor } from '../prepare/choose-table.ts'
import { settleCrs } from '../prepare/coordinate-system.ts'
import { farmOfEachRow, planFile, withKey, type OneOff, type PlanAround, type PlannedFile } from './one-off.ts'

/** A choice that is missing: the option that makes it, what can be chosen, and what windrow would choose. */
export type Missing = {
  readonly option: 'connection' | 'layer' | 'holding' | 'key' | 'crs' | 'dates'
  readonly question: string
  readonly choices: readonly { readonly value: string; readonly note: string }[]
  readonly suggestion?: string | undefined
  /** What to do if no choice is enough. */
  readonly remark?: string | undefined
  /** What to do where there is nothing to choose from. */
  readonly otherwise: string
  /** Why an import cannot continue without it; the order of dates only leaves fields out. */
  readonly refusal?: WindrowError
  /** The answer as the option takes it. Throws a WindrowError if it cannot be used. */
  read(answer: string): string
}

type Around = PlanAround & {
  /** Where the farm of a plan lies, if known. */
  readonly findNear: (plan: Pick<PlannedFile['pipeline'], 'mapping'>) => Promise<Near | undefined>
}

/** Yields each missing choice and takes the answer; without one it continues with its suggestion. */
export async function* findMissing(
  opened: OpenedFile,
  said: OneOff,
  around: Around,
): AsyncGenerator<Missing, void, string | undefined> {
  let oneOff: OneOff = { ...said, dryRun: true }
  let isLayerTried = false
  if (oneOff.layer === undefined && opened.tables.length > 1 && onlyTable(opened.tables) === undefined) {
    const missing = await layerMissing(opened, oneOff.type, around.signal)
    const answer = yield missing
    isLayerTried = answer === undefined
    oneOff = { ...oneOff, layer: answer ?? missing.suggestion ?? opened.tables[0]!.name }
  }
  const planned = await planFile(opened, oneOff, around).catch((cause: unknown) => {
    // What is wrong with a layer that nobody chose, such as a missing key column, may not be wrong with the one that is meant.
    if (isLayerTried && cause instanceof WindrowError && cause.code !== 'interrupted') return undefined
    throw cause
  })
  if (planned === undefined) return
  const refusalOf = (code: string): WindrowError | undefined => planned.refusals.find((each) => each.code === code)
  let { mapping } = planned.pipeline
  const ofHolding = refusalOf('holding-missing')
  if (ofHolding !== undefined) {
    const answer = yield await holdingMissing(ofHolding, planned, around)
    if (answer !== undefined) mapping = { ...mapping, holding: readHolding(answer) }
  }
  const ofKey = refusalOf('key-missing')
  if (ofKey !== undefined && !said.dryRun && planned.profile.columns.length === 0) throw ofKey
  if (ofKey !== undefined) yield keyMissing(ofKey, planned)
  const table = tableFor(planned.pipeline.type, chooseTable(opened.tables, oneOff.layer, opened.name))
  if (table.hasGeometry && oneOff.crs === undefined) {
    const missing = await crsMissing(table, await around.findNear({ mapping }))
    if (missing !== undefined) yield missing
  }
  const undecided = planned.suggestion.choices.find(
    ({ setting, certainty }) => setting.startsWith('record.') && certainty === 'ask',
  )
  if (undecided !== undefined) {
    const patternOf = (value: Value): string => (value as { readonly date: string }).date
    const choices = undecided.others.map(({ value, evidence }) => ({ value: patternOf(value), note: evidence }))
    yield {
      option: 'dates',
      question: undecided.question ?? '',
      choices,
      suggestion: undecided.value === undefined ? undefined : patternOf(undecided.value),
      otherwise: '',
      read: oneOf(choices),
    }
  }
}

async function layerMissing({ tables, name }: OpenedFile, type: ResourceType, signal: AbortSignal): Promise<Missing> {
  const counted: ({ readonly name: string; readonly columns: string } & Content)[] = []
  for (const table of tables) {
    const columns = table.columns?.map((each) => each.name).join() ?? ''
    counted.push({ name: table.name, columns, ...(await contentOf(table, signal)) })
  }
  const choices = counted.map((each) => ({ value: each.name, note: each.words }))
  const fitting = counted.filter(({ kinds }) => type.shapes?.some((kind) => kinds.has(kind)))
  const [most, second] = fitting.toSorted((one, other) => other.rows - one.rows)
  // Two farms, or a layer for each paddock.
  const areAlike = second !== undefined && second.columns === most!.columns && second.rows === most!.rows
  const remark = areAlike
    ? 'If each has a part of the farm, join them into one layer first, as "Merge vector layers" in QGIS does.'
    : undefined
  return {
    option: 'layer',
    question: `Which layer of "${name}"?`,
    choices,
    suggestion: areAlike ? undefined : most?.name,
    remark,
    otherwise: '',
    refusal: new WindrowError(
      'layer-unclear',
      `"${name}" has ${tables.length} layers: ${counted.map((each) => `${each.name} (${each.words})`).join(', ')}.`,
      {
        hint: `Choose one with --layer NAME, or "layer:" under "from" in the pipeline.${remark === undefined ? '' : ` ${remark}`}`,
      },
    ),
    read: oneOf(choices),
  }
}

type Content = { readonly words: string; readonly kinds: ReadonlySet<Shape['kind']>; readonly rows: number }

/** How many rows of which kind a table has, such as "24 polygons". */
async function contentOf(table: Table, signal: AbortSignal): Promise<Content> {
  const counts = new Map<string, number>()
  const kinds = new Set<Shape['kind']>()
  let rows = 0
  for await (const batch of table.batches(signal))
    for (const { shape } of batch) {
      rows += 1
      if (shape) kinds.add(shape.kind)
      const kind = shape ? shape.kind.replace('Multi', '').replace('LineString', 'line').toLowerCase() : 'row'
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
  const words = [...counts].map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`).join(', ')
  return { words: words || 'no rows', kinds, rows }
}

async function holdingMissing(
  refusal: WindrowError,
  { pipeline, profile, suggestion }: PlannedFile,
  { connection, signal }: Around,
): Promise<Missing> {
  const isFarms = pipeline.type.plural === 'holdings'
  const farms = connection === undefined || isFarms ? [] : await farmsToChoose(connection.client, profile, signal)
  const eachRow = farmOfEachRow(farms, { profile, suggestion })
  const choices = [
    ...(eachRow === undefined ? [] : [{ value: eachRow, note: 'the farm of each row' }]),
    ...farms.flatMap(({ identifiers: [first], name }) =>
      first === undefined ? [] : [{ value: identifierText(first), note: name }],
    ),
  ]
  return {
    option: 'holding',
    question: isFarms ? 'Which column contains the farm number?' : 'Which farm do the records belong to?',
    choices,
    otherwise: isFarms
      ? '"SCHEME:<COLUMN>", such as "nz.example.farm-number:<FARM_NO>"'
      : 'SCHEME:ID, such as nz.example.farm-number:00412876',
    refusal,
    read(answer) {
      if (answer.includes(':')) return answer
      if (farms.length === 0)
        throw new WindrowError('holding-missing', 'Write SCHEME:ID, such as nz.example.farm-number:00412876.')
      return identifierText(farmMeant(answer, farms) ?? readHolding(answer))
    },
  }
}

function keyMissing(refusal: WindrowError, { profile, serviceIds, suggestion }: PlannedFile): Missing {
  const { value, evidence, others, question = '' } = choiceOf(suggestion.choices, 'key')!
  const suggested = value === undefined ? undefined : keyAnswer(value)
  return {
    option: 'key',
    question,
    choices: [...(value === undefined ? [] : [{ value, evidence }]), ...others].map((each) => ({
      value: keyAnswer(each.value),
      note: each.evidence,
    })),
    suggestion: suggested,
    otherwise: 'the column that is different in every row and stays the same; if there is none, add one to the file',
    refusal,
    read(answer) {
      withKey(suggestion, [answer], { profile, serviceIds })
      return answer
    },
  }
}

/** A key as --key takes it: a column, "A,B", or a column and the place. */
function keyAnswer(spec: Value): string {
  return `${columnsNamedIn(spec).join(',')}${keyText(spec).endsWith(' place') ? '+place' : ''}`
}

async function crsMissing(table: Table, near: Near | undefined): Promise<Missing | undefined> {
  try {
    await settleCrs(table, undefined, near)
    return undefined
  } catch (cause) {
    if (!(cause instanceof WindrowError) || cause.code !== 'crs-unknown') throw cause
    const places = (cause.data['places'] ?? []) as readonly { readonly code: string; readonly where: string }[]
    const choices = places.map(({ code, where }) => ({ value: code, note: where }))
    return {
      option: 'crs',
      question: 'Which coordinate system does the file use?',
      choices,
      // Only the place of the farm is evidence; the order of the others is not.
      suggestion: near === undefined && choices.length > 1 ? undefined : choices[0]?.value,
      otherwise: 'such as EPSG:2193; ask whoever made the file',
      refusal: cause,
      read(answer) {
        identifyCrs({ from: 'option', text: answer })
        return answer
      },
    }
  }
}

function oneOf(choices: readonly { readonly value: string }[]): (answer: string) => string {
  const values = choices.map(({ value }) => value)
  return (answer) => {
    const found =
      values.find((each) => each === answer) ?? values.find((each) => each.toLowerCase() === answer.toLowerCase())
    if (found !== undefined) return found
    throw new WindrowError('option-invalid', `Choose one of: ${values.join(', ')}.`)
  }
}
