/** Decides what an import leaves open, from facts about its file, what a person said and what the service knows. */

import { WindrowError } from '../../core/error.ts'
import { textOf, type Problem } from '../../core/problem.ts'
import {
  asks,
  chosen,
  chosenByPerson,
  settingOf,
  valueText,
  type Choice,
  type Table,
  type Value,
} from '../../core/row.ts'
import type { TableProfile } from '../../core/profile/profile-table.ts'
import { decide } from '../../core/rule.ts'
import { compileDatePattern } from '../../core/values/date-pattern.ts'
import { isObject } from '../../core/values/exact-json.ts'
import { optionsAmong } from '../../formats/format.ts'
import type { Near } from '../../geometry/crs/area.ts'
import { requireFitting } from '../../geometry/place/missing-crs.ts'
import { columnNamed } from '../../mapping/cell.ts'
import { choiceOf, columnsTaken, fieldChoices, recordOf } from '../../mapping/choice.ts'
import { isLeafMap } from '../../mapping/leaf-map.ts'
import { findZone, machineZone } from '../../mapping/zones.ts'
import { findResourceType, typeOfDataset, typeToPublish } from '../../resources/index.ts'
import type { Identifier, ResourceType } from '../../resources/resource-type.ts'
import { decideColumns, type Columns } from '../../rules/columns.ts'
import { dateOrderProblem, isDateOrder } from '../../rules/dates.ts'
import { hasBoundaries } from '../../rules/field-columns.ts'
import { placePart } from '../../rules/key-column.ts'
import { sourceIdColumns } from '../../rules/own-export.ts'
import { decidePlace } from '../../rules/place.ts'
import { recordType } from '../../rules/record-type.ts'
import { holdingDoubt, readHolding } from '../definition/holding-text.ts'
import { settingIn } from '../definition/settings.ts'
import { groupIn, type Group } from '../../resources/groups.ts'
import { chooseTable, layersLeftOut, onlyTable } from '../prepare/choose-table.ts'
import { doubtsOf } from '../prepare/coordinate-system.ts'
import type { Connection } from '../report/course.ts'
import { serviceIdColumns, serviceIdsAsKey, withSourceIds } from '../send/ask-to-publish.ts'
import { decideHolding, otherFarms } from './decide-holding.ts'
import { factsFor, type Facts, type TableFacts } from './look.ts'

/** `path` is the file as a pipeline has it, `fileName` its own name. */
export type DecideAround = {
  readonly path: string
  readonly fileName: string
  readonly connection: Connection | undefined
  /** Finds where the farm lies; asks the service only where it `isNeeded`. */
  readonly findNear?: ((holding: Identifier | undefined, isNeeded: boolean) => Promise<Near | undefined>) | undefined
  readonly signal: AbortSignal
}

/** What was decided about a file. */
export type Decided = TableFacts & {
  readonly type: ResourceType
  /** All that was decided, also what only a person can decide. */
  readonly choices: readonly Choice[]
  /** The choices that only a person can make. */
  readonly missing: readonly Choice[]
  /** The pipeline in the words of a pipeline file, without what is missing. */
  readonly raw: Group
  /** What a person should know about the columns. */
  readonly notes: readonly string[]
  /** What is found about the file before a run, which the run reports too. */
  readonly forReport: readonly Problem[]
  readonly isExport: boolean
  /** The fingerprint of the file that was looked at. */
  readonly lookedAt?: string
}

/** Decides all that nobody said. What is said has the form of a pipeline, in part. Throws a WindrowError if the file does not fit it. */
export async function decideImport(facts: Facts, said: Group, around: DecideAround): Promise<Decided> {
  const open = decideLayer(facts, said)
  if (open === undefined) {
    const { name } = chooseTable(facts.layers, textIn(said, 'from.layer'), facts.name)
    const decided = await decideFor(
      facts.tables.find(({ table }) => table.name === name)!,
      said,
      around,
    )
    const isSaid = textIn(said, 'from.layer') !== undefined
    const left = isSaid ? [] : layersLeftOut({ ...facts, tables: facts.layers }, decided.table)
    const layer = facts.layers.length > 1 ? { layer: name } : {}
    const from = { ...(decided.raw['from'] as Group), ...layer }
    const found = { raw: { ...decided.raw, from }, forReport: [...left, ...decided.forReport] }
    return { ...decided, ...found, lookedAt: facts.fingerprint }
  }
  const likely = facts.tables.find(({ table }) => table.name === open.value) ?? facts.tables[0]!
  const decided = await decideFor(likely, said, around).catch((cause: unknown) => {
    // What is wrong with a layer that nobody chose, such as a missing key column, may not be wrong with the one that is meant.
    if (!(cause instanceof WindrowError) || cause.code === 'interrupted') throw cause
    return leftOpen(likely, [])
  })
  const all = { choices: [open, ...decided.choices], missing: [open, ...decided.missing] }
  return { ...decided, ...all, lookedAt: facts.fingerprint }
}

/** Decides about one layer. */
export async function decideFor(seenFacts: TableFacts, said: Group, around: DecideAround): Promise<Decided> {
  const { connection, signal } = around
  if (seenFacts.profile.rows === 0) throw emptyFile(seenFacts.table)
  const named = await typeSaid(textIn(said, 'import'), connection, signal)
  const type = decideType(named, factsFor(named ?? plots, seenFacts).profile, around.fileName)
  if ('setting' in type) return leftOpen(seenFacts, [type])
  const facts = factsFor(type, seenFacts)
  const { table, profile, found } = facts
  const { zone, isSaid: isZoneSaid } = zoneOf(said)
  const seen = await seenByService(connection, type, profile, signal)
  const columns = decideColumns({
    type,
    profile,
    choices: table.choices,
    lonLat: table.lonLat,
    zone,
    dates: datesSaid(said),
    ...seen,
  })
  const only = choiceOf(columns.choices, 'only')
  const { import: _, from: __, holding: ___, key: ____, dates: _____, zone: ______, record, ...rest } = said
  const ofPerson = leavesIn(record, 'record')
  const isOpen = ({ setting }: Choice): boolean => !ofPerson.some((each) => isWithin(each.setting, setting))
  const fields = [...fieldChoices(columns.choices).filter(isOpen), ...ofPerson]
  const undecided = columns.choices.filter((each) => isDateOrder(each) && isOpen(each))
  const decimal = choiceOf(columns.choices, 'from.decimal')
  const ofKey = decideKey(said, columns, { profile, serviceIds: seen.serviceIds })
  const ofHolding = await decideHolding(said, columns, { profile, type, key: ofKey }, around)
  const holding = ofHolding.certainty === 'ask' ? undefined : readHolding(valueText(ofHolding.value))
  const placed = await placeOf(facts, said, (isNeeded) => around.findNear?.(holding, isNeeded))
  const usesDates = fields.some(({ value }) => isObject(value) && 'date' in value)
  const choices: readonly Choice[] = [
    ...(named !== undefined || columns.given === undefined
      ? []
      : [chosen('import', type.plural, 'the columns of an export name it')]),
    ...table.choices.filter(({ setting }) => setting !== 'from.decimal' || decimal === undefined),
    ...placed.choices.filter(({ certainty }) => certainty !== 'ask'),
    ofHolding,
    ofKey,
    ...placed.choices.filter(({ certainty }) => certainty === 'ask'),
    ...(decimal === undefined || settingIn(said, 'from.decimal') !== undefined ? [] : [decimal]),
    ...(usesDates ? [zoneChoice(zone, isZoneSaid)] : []),
    ...fields,
    ...undecided,
    ...decideDates(undecided),
    ...(only === undefined ? [] : [only]),
    ...leavesIn(rest),
  ]
  const from = {
    file: around.path,
    ...optionsAmong(choices.filter(({ certainty }) => certainty !== 'ask')),
    ...(said['from'] as Group | undefined),
  }
  const raw = {
    import: type.plural,
    from: withoutBlanks(from),
    ...columnsOf(profile),
    ...(holding === undefined ? {} : { holding }),
    ...(ofKey.value === undefined ? {} : { key: ofKey.value }),
    ...(usesDates || isZoneSaid ? { zone } : {}),
    ...(Object.keys(profile.shapes).length === 0 ? {} : { geometry: { multipart: 'keep', repair: 'up to 1 %' } }),
    ...rest,
    ...(only === undefined ? {} : { only: { ...(only.value as Group), ...groupIn(rest, 'only') } }),
    record: recordOf(fields),
  }
  const doubts = [...placed.doubts, ...(await otherFarms(holding, type, facts, around))]
  const ofFarm = holding === undefined ? undefined : holdingDoubt(columns.choices, profile, holding)
  return {
    ...facts,
    type,
    choices: [...choices, ...asShown(columns, ofKey.value)],
    missing: choices.filter(({ setting, certainty }) => certainty === 'ask' && !setting.startsWith('record.')),
    raw,
    notes: [
      ...typeNotes(type),
      ...columns.found.map(textOf),
      ...(ofFarm === undefined ? [] : [`please check: ${ofFarm}`]),
      ...doubts,
    ],
    forReport: [
      // Who names the coordinate system is not asked to name it.
      ...found.filter(({ code }) => code !== 'crs-assumed' || settingIn(said, 'from.crs') === undefined),
      ...undecided.map((each) => dateOrderProblem(each, around.fileName)),
    ],
    isExport: columns.given !== undefined,
  }
}

/** What a person set in a group, each key by itself. A map that describes one value is one. */
function leavesIn(value: unknown, path = ''): readonly Choice[] {
  if (value === undefined) return []
  if (!isObject(value) || isLeafMap(value)) return [chosenByPerson(path, value as Value)]
  return Object.entries(value).flatMap(([name, each]) => leavesIn(each, path === '' ? name : `${path}.${name}`))
}

/** True for a key and what is below it, or around it. */
function isWithin(key: string, other: string): boolean {
  return `${key}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${key}.`)
}

const plots = typeToPublish('plots')

function leftOpen(facts: TableFacts, missing: readonly Choice[]): Decided {
  const choices = [...missing, ...facts.table.choices]
  return { ...facts, type: plots, choices, missing, raw: {}, notes: [], forReport: [], isExport: false }
}

/** A file without rows may say why, such as a KML file that only leads to another one. */
function emptyFile(table: Table): WindrowError {
  const { message = '', hint } = table.found().find(({ severity }) => severity === 'error') ?? {}
  return new WindrowError('file-empty', `"${table.name}" has no rows. ${message}`.trim(), {
    hint: hint ?? 'Check whether it is the right file, or export it again.',
  })
}

/** Which layer, where nobody says so, and the file has several. */
function decideLayer({ name, tables, layers }: Facts, said: Group): Choice | undefined {
  if (textIn(said, 'from.layer') !== undefined || layers.length < 2 || onlyTable(layers) !== undefined) return undefined
  const type = findResourceType(textIn(said, 'import') ?? 'plots') ?? plots
  const counted = tables.map(({ table, profile }) => ({
    value: table.name,
    evidence: contentOf(profile),
    rows: profile.rows,
    columns: table.columns?.map((each) => each.name).join() ?? '',
    fits: type.shapes?.some((kind) => profile.shapes[kind] !== undefined) === true,
  }))
  const [most, second] = counted.filter(({ fits }) => fits).toSorted((one, other) => other.rows - one.rows)
  // Two farms, or a layer for each paddock.
  const areAlike = second !== undefined && second.columns === most!.columns && second.rows === most!.rows
  const best = areAlike ? undefined : most
  const others = counted.filter((each) => each !== best).map(({ value, evidence }) => ({ value, evidence }))
  return asks('from.layer', `Which layer of "${name}"?`, {
    value: best?.value,
    evidence: areAlike
      ? 'If each has a part of the farm, join them into one layer first, as "Merge vector layers" in QGIS does.'
      : (best?.evidence ?? ''),
    others,
  })
}

/** How many rows of which kind, such as "24 polygons". */
function contentOf({ rows, shapes }: TableProfile): string {
  const counts = new Map<string, number>()
  const add = (kind: string, n: number): unknown => n > 0 && counts.set(kind, (counts.get(kind) ?? 0) + n)
  for (const [kind, n] of Object.entries(shapes))
    add(kind.replace('Multi', '').replace('LineString', 'line').toLowerCase(), n)
  add('row', rows - [...counts.values()].reduce((sum, n) => sum + n, 0))
  return [...counts].map(([kind, n]) => `${n} ${kind}${n === 1 ? '' : 's'}`).join(', ') || 'no rows'
}

/** The type that a person named: one that windrow knows, else a dataset of the service. */
async function typeSaid(word: string | undefined, connection: Connection | undefined, signal: AbortSignal) {
  if (word === undefined) return undefined
  const isOfService = connection !== undefined && findResourceType(word) === undefined
  const dataset = isOfService ? (await connection.client.datasets(signal)).find(({ name }) => name === word) : undefined
  return dataset === undefined ? typeToPublish(word) : typeOfDataset(dataset).type
}

/** The type that a person named or an export names; they must agree. A question if only a name suggests that the rows are plots. */
function decideType(named: ResourceType | undefined, profile: TableProfile, fileName: string): ResourceType | Choice {
  const [open] = decide([recordType], { profile, fileName }, () => false)
  const exported = open?.certainty === 'sure' ? findResourceType(valueText(open.value)) : undefined
  if (exported !== undefined && named !== undefined && exported !== named)
    throw new WindrowError(
      'option-invalid',
      `"${fileName}" is an export of ${exported.plural}, not of ${named.plural}.`,
      { hint: `Set  import: ${exported.plural}` },
    )
  return exported ?? named ?? open ?? plots
}

/** What the service knows about the file: which columns have its own ids, and the schemes of the account's farms. */
async function seenByService(
  connection: Connection | undefined,
  type: ResourceType,
  profile: TableProfile,
  signal: AbortSignal,
) {
  const client = connection?.client
  const serviceIds = await serviceIdColumns(client, type, profile, signal)
  const names = profile.columns.map(({ name }) => name)
  if (client === undefined || sourceIdColumns(type, names).size === 0) return { serviceIds, farmSchemes: [] }
  const farms = await client.control(signal)
  return { serviceIds, farmSchemes: farms.flatMap(({ identifiers }) => identifiers.map(({ scheme }) => scheme)) }
}

function zoneOf(said: Group): { readonly zone: string; readonly isSaid: boolean } {
  const given = textIn(said, 'zone')
  if (given === undefined) return { zone: machineZone(), isSaid: false }
  const found = findZone(given)
  if (found !== undefined) return { zone: found.name, isSaid: true }
  throw new WindrowError('option-invalid', `"${given}" is not a time zone.`, {
    hint: 'Use a name such as Pacific/Auckland or Europe/Dublin.',
  })
}

function zoneChoice(zone: string, isSaid: boolean): Choice {
  if (isSaid) return chosenByPerson('zone', zone)
  return { ...chosen('zone', zone, 'the zone of this machine'), certainty: 'check' }
}

/** The pattern of all dates that a person named. */
export function datesSaid(said: Group) {
  const given = textIn(said, 'dates')
  const pattern = given === undefined ? undefined : compileDatePattern(given)
  if (typeof pattern !== 'string') return pattern
  throw new WindrowError('option-invalid', `dates: ${pattern}`, {
    hint: 'Use a format such as d/M/yyyy, M/d/yyyy or yyyy-MM-dd.',
  })
}

/** What is not checked about a type that windrow does not know. */
function typeNotes({ name, plural }: ResourceType): readonly string[] {
  const { note } = typeOfDataset({ name: plural, containedTypes: [name] })
  return note === undefined ? [] : [note]
}

/** The one question about the fields that are left out until somebody says whether day or month comes first. */
function decideDates([open]: readonly Choice[]): readonly Choice[] {
  if (open === undefined) return []
  const patternOf = (value: Value): string => (value as { readonly date: string }).date
  const others = open.others.map((each) => ({ ...each, value: patternOf(each.value) }))
  return [asks('dates', open.question ?? '', { evidence: 'They are left out until somebody says so.', others })]
}

type KeyFacts = { readonly profile: TableProfile; readonly serviceIds: ReadonlySet<string> }

/** The key that a person names, else the column that surely tells the records apart, else a question with the columns that could. */
function decideKey(said: Group, columns: Columns, facts: KeyFacts): Choice {
  const key = choiceOf(columns.choices, 'key')!
  const given = said['key']
  const words = (given === undefined ? [] : [given].flat()) as readonly Value[]
  const isSame = words.length === 1 && nameIn(words[0]) === columnsTaken(key.value)[0]
  if (words.length > 0 && !(columns.given !== undefined && isSame)) return keySaid(words, columns, facts)
  if (key.certainty !== 'ask') return key
  const ofService = columns.found.filter(({ code }) => code === 'ids-of-service').map(({ message }) => message)
  const instead = ofService.length === 0 ? [] : [...ofService, withSourceIds([...facts.serviceIds])]
  return { ...key, evidence: [key.evidence, ...instead].join(' ') }
}

function nameIn(word: Value): string | undefined {
  return typeof word === 'string' ? (columnNamed(word) ?? word) : undefined
}

/** The key of these columns. Throws a WindrowError if the file does not have one, or if it contains ids of the service. */
function keySaid(words: readonly Value[], { choices }: Columns, { profile, serviceIds }: KeyFacts): Choice {
  if (words.some((word) => isObject(word) && !('place' in word)))
    return chosenByPerson('key', words.length === 1 ? words[0] : words)
  const { columns, hasPlace } = columnsSaid(words, choices, profile)
  const [own, ...more] = columnsTaken(choiceOf(choices, 'key')?.value)
  for (const column of columns)
    if (serviceIds.has(column)) throw serviceIdsAsKey(column, more.length === 0 ? own : undefined)
  const named = columns.map((name) => `<${name}>`)
  if (!hasPlace) return chosenByPerson('key', named.length === 1 ? named[0] : named)
  const moving = 'Set, not guessed; the key keeps the first position, even if the boundary moves later.'
  return chosen('key', [...named, placePart], moving)
}

/** The columns of a key that a person wrote. A comma or "+place" inside the name of a column belongs to the name. */
function columnsSaid(words: readonly Value[], choices: readonly Choice[], profile: TableProfile) {
  const names = profile.columns.map(({ name }) => name)
  let hasPlace = words.some((word) => isObject(word))
  const columns = words.flatMap((word): readonly string[] => {
    const each = nameIn(word)
    if (each === undefined) return []
    if (names.includes(each)) return [each]
    const [, before] = /^(.+)\+place$/.exec(each) ?? []
    if (before !== undefined) {
      hasPlace = true
      const [named] = columnsTaken(choiceOf(fieldChoices(choices), 'record.name')?.value)
      if (!names.includes(before) && before === 'name' && named !== undefined) return [named]
    }
    const parts = before !== undefined ? [before] : each.split(',').map((part) => part.trim())
    const missing = parts.find((part) => !names.includes(part))
    if (missing === undefined) return parts
    throw new WindrowError('option-invalid', `The file has no column "${missing}".`, {
      hint: `It has: ${names.length === 0 ? 'no columns' : names.join(', ')}.`,
    })
  })
  if (hasPlace && !hasBoundaries(profile))
    throw new WindrowError('option-invalid', 'The key has a place, but the file has no boundaries.', {
      hint: 'Name columns that are different in every row.',
    })
  return { columns: [...new Set(columns)], hasPlace }
}

/** The coordinate system and its axes, and what speaks against them. `findNear` finds where the farm lies, at any price if it `isNeeded`. */
async function placeOf(
  { table, profile }: TableFacts,
  said: Group,
  findNear: (isNeeded: boolean) => Promise<Near | undefined> | undefined,
) {
  const given = textIn(said, 'from.crs')
  const clue = given === undefined ? table.crs : ({ from: 'option', text: given } as const)
  const { bbox: box, firstShapes, points } = profile
  if (!table.hasGeometry || box === undefined) return { choices: [], doubts: [] }
  const near = await findNear(clue === undefined)
  const lying = { said: given, clue: table.crs, box, firstShapes, points, near }
  const choices = decidePlace(lying, (setting) => settingIn(said, setting) !== undefined)
  if (choices.some(({ certainty }) => certainty === 'ask')) return { choices, doubts: [] }
  const crs = requireFitting(clue, box, firstShapes, near)
  const isTurned = (settingIn(said, 'from.axes') ?? settingOf(choices, 'from.axes')) === 'exchanged'
  const doubts = doubtsOf(table, { ...crs, isTurned }, { shapes: firstShapes, near }).map(
    ({ message }) => `please check: ${message}`,
  )
  const { code, name, evidence } = crs
  if (given !== undefined) return { choices: [chosenByPerson('from.crs', code || given), ...choices], doubts }
  const isDescribed = code === ''
  const described = isDescribed ? [`crs: "${name}" has no EPSG code; it is described by ${evidence} of the file`] : []
  return { choices, doubts: [...described, ...doubts] }
}

/** A file without geometry usually arrives again and again, so its columns are written down; geometry files usually come once. */
function columnsOf({ columns, shapes }: TableProfile): Group {
  const names = columns.map(({ name }) => name).filter((name) => name !== '')
  if (Object.keys(shapes).length > 0 || names.length === 0 || names.length > 40) return {}
  return { columns: { expect: names, new: 'warn', missing: 'stop' } }
}

/** What is left as it is, for a person to see. */
function asShown({ given = [], unused: left }: Columns, key: Value): readonly Choice[] {
  const inKey = columnsTaken(key)
  const unused = left.filter((name) => !inKey.includes(name))
  return [
    ...(given.length === 0 ? [] : [chosen('kept as they are', given.join(', '), 'filled in by the service')]),
    ...(unused.length === 0 ? [] : [chosen('not used', unused.slice(0, 20).join(', '), '')]),
  ]
}

function textIn(said: Group, key: string): string | undefined {
  const value = settingIn(said, key)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

function withoutBlanks(group: Group): Group {
  return Object.fromEntries(Object.entries(group).filter(([, value]) => value !== undefined))
}
