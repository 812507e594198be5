/** Judges which known records the new ones of a file may be: the same, twice there, or known under an id that changed. */

import type { Place } from '../core/problem.ts'
import type { Rule } from '../core/rule.ts'
import { listed } from '../core/values/plural.ts'
import { idInKey } from '../resources/keys.ts'

/** A record of the service. */
export type KnownRecord = {
  readonly key: string
  /** Empty without a name. */
  readonly name: string
  readonly hasBoundary: boolean
  /** True if a row of the file has its key. */
  readonly isInFile: boolean
  /** True if this run would delete it. */
  readonly isDeleted: boolean
}

/** A known record that a new one may be, and what speaks for that. */
export type Candidate = {
  readonly known: KnownRecord
  /** False for a record of another farm. */
  readonly isOwn: boolean
  readonly hasSameName: boolean
  /** How the new id is that of the known record: the same, in another spelling, or with spoilt letters. */
  readonly id?: 'same' | 'spelling' | 'letters'
  /** True if the column to match by has one of its identifiers. */
  readonly hasIdentifier?: true
  /** What the two boundaries have in common, as a share of the larger one. */
  readonly land?: number
}

/** A new record of the file, and the known ones that it may be. */
export type NewRecord = Pick<KnownRecord, 'key' | 'name' | 'hasBoundary'> & {
  /** Its number in the stage. */
  readonly id: number
  readonly at: Place
  readonly candidates: readonly Candidate[]
}

/** Two boundaries are the same paddock from this share of both on. */
export const samePaddock = 0.8

const mostListed = 3

/** A new record beside what a pipeline matches by. */
export type MatchFacts = {
  readonly record: NewRecord
  readonly match: { readonly by: MatchWay; readonly column?: string }
  /** All rows that could be the record that this one could be. */
  readonly rows: readonly { readonly row: number }[]
}
type MatchWay = 'boundary' | 'name' | 'identifier'

/** The records that a new one is by what a pipeline matches by. Only a single one, of no other row, is a match. */
export function certainOf({ hasBoundary, candidates }: NewRecord, by: MatchWay): readonly Candidate[] {
  const own = candidates.filter(({ isOwn }) => isOwn)
  if (by === 'identifier') return own.filter(({ hasIdentifier }) => hasIdentifier)
  if (by === 'boundary') return own.filter(({ land = 0 }) => land >= samePaddock)
  return own.filter((each) => each.hasSameName && !liesElsewhere(each, hasBoundary))
}

function liesElsewhere({ known, land }: Candidate, hasBoundary: boolean): boolean {
  return hasBoundary && known.hasBoundary && land === undefined
}

export const recordMatched: Rule<MatchFacts, { readonly facts: MatchFacts; readonly candidate: Candidate }> = {
  id: 'record-matched',
  about: 'record',
  usual: 'note',
  why: 'The row is a record that the service has under another key; it is updated. The service has this record under another key, and match says that they are the same. The record that is there is updated and keeps its key, so there is no second copy. You need not do anything; check the pairs if you match by name.',
  find(facts) {
    const [candidate, ...others] = certainOf(facts.record, facts.match.by)
    const isClear = others.length === 0 && facts.rows.length === 1
    return candidate?.known.isInFile === false && isClear ? { facts, candidate } : undefined
  },
  says({ facts: { record, match }, candidate: { known, land } }) {
    const overlap = land === undefined ? '' : ` (overlap ${percent(land)})`
    const evidence = match.by === 'identifier' ? `the identifier in "${match.column}"` : `its ${match.by}${overlap}`
    const message = `This row is the record ${inWords(known)} of the service, by ${evidence}.`
    return { at: record.at, value: record.name, message }
  },
}

type Unclear = Pick<MatchFacts, 'record' | 'rows'> & {
  readonly certain: readonly Candidate[]
  /** On the same land in part, or of the same name elsewhere. */
  readonly doubtful: readonly Candidate[]
}

export const matchUnclear: Rule<MatchFacts, Unclear> = {
  id: 'match-unclear',
  about: 'record',
  usual: 'reject',
  why: 'It is not clear which record of the service this row is; nothing is guessed. The row could be more than one record of the service, or only a part of one, as after a paddock was split. windrow does not guess and rejects the row. Match by a column with ids that the service knows, with match: <COLUMN>=identifier, or correct the row.',
  find(facts) {
    const { record, match, rows } = facts
    if (recordMatched.find(facts) !== undefined) return undefined
    const certain = certainOf(record, match.by)
    const doubtful = record.candidates.filter(
      ({ known, isOwn, hasSameName, land }) =>
        isOwn && !known.isInFile && (match.by === 'name' ? hasSameName : match.by === 'boundary' && land !== undefined),
    )
    return certain.length + doubtful.length === 0 ? undefined : { record, rows, certain, doubtful }
  },
  says: (evidence) => ({
    at: evidence.record.at,
    value: evidence.record.name,
    message: whyUnclear(evidence),
    hint: 'Match by a column with ids that the service knows:  match: <COLUMN>=identifier. If it is a new record, run it again without "match": the rows that were matched stay matched.',
  }),
}

function whyUnclear({ certain, doubtful, rows }: Unclear): string {
  const namesOf = (all: readonly Candidate[]) => all.slice(0, mostListed).map(({ known }) => inWords(known))
  const [only] = certain
  if (certain.length > 1) return `This row could be ${namesOf(certain).join(' or ')}.`
  if (only?.known.isInFile === true)
    return `This row could be ${inWords(only.known)}, which is in the file already under its own key.`
  const numbers = rows.map(({ row }) => row)
  if (only !== undefined) return `The rows ${listed(numbers, 5)} could all be ${inWords(only.known)}.`
  if (doubtful[0]!.land === undefined)
    return `This row has the name of ${namesOf(doubtful).join(' and ')}, but lies elsewhere.`
  const shared = doubtful
    .slice(0, mostListed)
    .map(({ known, land = 0 }) => `${inWords(known)}, overlap ${percent(land)}`)
  return `This row shares land with ${shared.join(', and with ')}: was the paddock split, merged or redrawn?`
}

/** The rules about a new record where a pipeline matches them. */
export const matchRules: readonly Rule<MatchFacts>[] = [recordMatched, matchUnclear]

type Pair = { readonly record: NewRecord; readonly candidates: readonly Candidate[] }

/** A new record with those of its candidates that it may be, if there are any. */
function pairOf(record: NewRecord, candidates: readonly Candidate[]): Pair | undefined {
  return candidates.length === 0 ? undefined : { record, candidates }
}

export const idRespelt: Rule<NewRecord, Pair> = {
  id: 'id-respelt',
  about: 'record',
  usual: 'reject',
  why: 'The id of a known record came in another spelling, such as 9 for 009. The row has the id of a known record in another spelling, such as 9 for 009, and its name, or with spoilt letters (K?nuka for Kānuka). Spreadsheet programs drop the zeros in front when they open a CSV file. With its id as it is, the row would become a second record, so it is rejected. Write the id as it was, in a column of text.',
  find: (record) =>
    pairOf(
      record,
      respeltIn(record).filter(({ id, hasSameName }) => hasSameName || id === 'letters'),
    ),
  says({ record: { key, name, at }, candidates: [first] }) {
    const known = idInKey(first!.known.key)
    return {
      at,
      value: idInKey(key),
      message: `The service has ${name === '' ? 'this record' : `"${name}"`} as "${known}": this is its id in another spelling, and it would be there twice.`,
      hint: `Write "${known}" as before, in a text column.`,
    }
  },
}

/** The known records that stay, and that no row has, whose ids the new one has in another spelling. */
function respeltIn({ candidates }: NewRecord): readonly Candidate[] {
  return candidates.filter((each) => hasIdRespelt(each) && !each.known.isDeleted)
}

function hasIdRespelt({ id, known }: Candidate): boolean {
  return (id === 'spelling' || id === 'letters') && !known.isInFile
}

/** The records of its own farm that a new one repeats: those on its land, else those of its name that no row has. */
function repeatedBy({ hasBoundary, candidates }: NewRecord): readonly Candidate[] {
  const own = candidates.filter(({ isOwn, known }) => isOwn && !known.isDeleted)
  const onItsLand = own.filter(({ land = 0 }) => land >= samePaddock)
  if (onItsLand.length > 0) return onItsLand
  // Records of one name that are all in the file are kept apart by their keys.
  return own.filter((each) => each.hasSameName && !each.known.isInFile && !liesElsewhere(each, hasBoundary))
}

export const recordRepeated: Rule<NewRecord, Pair> = {
  id: 'record-repeated',
  about: 'record',
  usual: 'warn',
  why: 'The service has the same record already, under another key: the same boundary, the same name, or the id in another spelling. The service already has a record with the same boundary or name, or with the id in another spelling, under another key: this row makes a second one. A single such row is published, because it may be a new record. If it is the same record, such as a paddock with a new name, take the run back with windrow undo, write match: boundary or match: name into the pipeline, and run it again: that updates the one that is there.',
  find: (record) => pairOf(record, [...new Set([...repeatedBy(record), ...respeltIn(record)])]),
  says: (pair) => ({
    at: pair.record.at,
    value: pair.record.name,
    message: `The service has this record already, under another key: ${candidatesInWords(pair.candidates)}. This row makes a second one.`,
    hint: `If it is the same record, write its id as before, or update the one that is there:  ${waysToMatch([pair])}`,
  }),
}

/** The rules about a new record. One that the first rejects is not asked about by the second. */
export const recordRules: readonly Rule<NewRecord>[] = [idRespelt, recordRepeated]

/** The new records of a run, and what is known of the file as a whole. */
export type NightFacts = {
  /** Those that may be known records. */
  readonly records: readonly NewRecord[]
  /** How many new records there are. */
  readonly created: number
  /** True if the place of a boundary is part of the keys. */
  readonly keyHasPlace: boolean
  readonly hasBoundaries: boolean
  /** The name of the farm of a record, if it is known. */
  farmOf(record: NewRecord | KnownRecord): string | undefined
  /** The new records with the boundary of another new one, and the first two of them. */
  readonly copies: { readonly count: number; readonly first: readonly [FileRow, FileRow] } | undefined
  /** What the records are, such as plots. */
  readonly plural: string
}
type FileRow = { readonly row: number; readonly name: string }
type NightEvidence = NightFacts & { readonly pairs: readonly Pair[] }

export const recordsRenumbered: Rule<NightFacts, NightEvidence> = {
  id: 'records-renumbered',
  about: 'night',
  usual: 'stop',
  why: 'Known records that are no longer in the file seem to be new ones under other ids. Most new records have the id of a known record in another spelling, such as 1 for 001, and that record is not in the file; or one that seems to be a new record, by its id or its name, would be deleted with what it has, such as its boundary. A detour through a spreadsheet program often changes ids so, and all records would be published a second time. Write the ids as before, in a text column. If the paddocks have new ids now, match: name keeps their records.',
  find(facts) {
    const pairs = renumberedIn(facts)
    return pairs.length === 0 ? undefined : { ...facts, pairs }
  },
  says({ pairs, created, farmOf }) {
    const { record, candidates } = pairs[0]!
    const { known, isOwn } = candidates[0]!
    const [seem, are] =
      pairs.length === 1
        ? ['seems to be a known record under another id', 'one is']
        : ['seem to be known records under other ids', 'ones are']
    const farm = isOwn ? '' : ` of ${farmOf(known) ?? 'another farm'}`
    const lost = known.hasBoundary ? 'its boundary' : 'what it has'
    const deleted = known.isDeleted ? `, which would be deleted with ${lost}` : ''
    const areNamed = pairs.every(({ candidates: all }) => all.some((each) => each.isOwn && each.hasSameName))
    return {
      message:
        `${pairs.length} of ${created} new records ${seem} (row ${record.at.row}: ${inWords(record)}, ` +
        `known as "${idInKey(known.key)}"${farm}${deleted}), and the known ${are} not in the file. ` +
        'Did a program change the ids, or did a farm get another number?',
      hint: 'Write the ids as before, in a text column.',
      setting: areNamed ? 'match: name' : undefined,
    }
  },
}

/** The new records that seem to be renumbered ones, if they are most of them or a known one would be deleted. */
export function renumberedIn({ records, created, hasBoundaries }: NightFacts): readonly Pair[] {
  const isRenumbered = (each: Candidate): boolean =>
    hasIdRespelt(each) || (!hasBoundaries && each.known.isDeleted && each.known.hasBoundary && each.hasSameName)
  const pairs = records.flatMap((record) => pairOf(record, record.candidates.filter(isRenumbered)) ?? [])
  const areMost = pairs.length > 1 && pairs.length * 2 > created
  // A deletion would also take what other pipelines gave the record, such as its boundary.
  const isDeleted = hasAny(pairs, ({ known }) => known.isDeleted)
  return areMost || isDeleted ? pairs : []
}

// One new record on the land of another is a warning: a paddock may really be there twice.
const fewestDuplicates = 2
const mostDuplicates = 0.05

export const duplicates: Rule<NightFacts, NightEvidence> = {
  id: 'duplicates',
  about: 'night',
  usual: 'stop',
  why: 'Many new records are in the service already, under other keys or for another farm. More than 5 % of the new records, and at least two, lie on a boundary, or have a name, that the farm already has under another key; or they have the boundaries of another farm of the account, or the ids and names of one that left the file with this night. The import would double the farm. With a name and a place as key, one record is enough whose new name made a new key. If they are the same records, match: boundary or match: name updates those that are there. If they belong to another farm, correct the farm.',
  find(facts) {
    const pairs = facts.records.flatMap((record) => pairOf(record, twiceWith(record)) ?? [])
    // A key with the name in it changes with the name.
    const isRenamed =
      facts.keyHasPlace &&
      hasAny(pairs, ({ known, isOwn, land = 0 }) => isOwn && !known.isInFile && land >= samePaddock)
    const areMany = pairs.length >= fewestDuplicates && pairs.length > mostDuplicates * facts.created
    return isRenamed || areMany ? { ...facts, pairs } : undefined
  },
  says({ pairs, created, farmOf }) {
    const [are, keys] = pairs.length === 1 ? ['is', 'another key'] : ['are', 'other keys']
    const elsewhere = pairs.filter(({ candidates }) => candidates.every(({ isOwn }) => !isOwn))
    const [first] = elsewhere
    const some = elsewhere.length < pairs.length ? `${elsewhere.length} of them ` : ''
    const where = first ? `${some}for ${farmOf(first.candidates[0]!.known) ?? 'another farm'}` : `under ${keys}`
    const named = first && farmOf(first.record)
    const few = pairs
      .slice(0, mostListed)
      .map(({ record, candidates }) => `row ${record.at.row}, ${inWords(record)}, is ${candidatesInWords(candidates)}`)
    const more = pairs.length > mostListed ? `; and ${pairs.length - mostListed} more` : ''
    return {
      message:
        `${pairs.length} of ${created} new records ${are} in the service already, ${where}: ${few.join('; ')}${more}.` +
        (named === undefined ? '' : ` The file has them for ${named}.`),
      ...(first === undefined
        ? { hint: 'If they are the same records, update those that are there.', setting: waysToMatch(pairs) }
        : { hint: 'Name the farm that the records belong to.' }),
    }
  },
}

/** The known records of which a new one would be a second copy. */
function twiceWith(record: NewRecord): readonly Candidate[] {
  const own = repeatedBy(record)
  if (own.length > 0) return own
  return record.candidates.filter(
    ({ isOwn, known, land = 0, id, hasSameName }) =>
      !isOwn && !known.isDeleted && (land >= samePaddock || (id === 'same' && hasSameName)),
  )
}

// Two paddocks that are there twice. People also draw one twice by mistake, which is a warning.
const fewestCopies = 4
const mostCopies = 0.5

export const versions: Rule<NightFacts, NonNullable<NightFacts['copies']> & NightFacts> = {
  id: 'versions',
  about: 'night',
  usual: 'stop',
  why: 'Most new records have the boundary of another row of the file, as where a layer has several years. Most of the new records, and at least four, have the boundary of another row of the file, as where a layer has the paddocks of several years or versions. The farm would be in the service once for each of them. Take the rows of one year or version with only.',
  find(facts) {
    const { copies, created } = facts
    if (copies === undefined || copies.count < fewestCopies || copies.count <= mostCopies * created) return undefined
    return { ...facts, ...copies }
  },
  says({ count, created, first, plural }) {
    const [one, other] = first.map(({ row, name }) => `row ${row}${name === '' ? '' : ` ("${name}")`}`)
    return {
      message: `${count} of ${created} new records have the boundary of another row of the file, such as ${one} and ${other}. Does it have several years or versions of the same ${plural}?`,
      hint: 'Take the rows of one of them:  only: { COLUMN: [VALUE] }',
    }
  },
}

/** The rules about all new records of a run. */
export const identityRules: readonly Rule<NightFacts>[] = [recordsRenumbered, duplicates, versions]

/** The ways to match that would find something, and the one by a column with ids that the service knows. */
function waysToMatch(pairs: readonly Pair[]): string {
  const boundary = hasAny(pairs, ({ land }) => land !== undefined) ? 'match: boundary  or  ' : ''
  const name = hasAny(pairs, ({ hasSameName }) => hasSameName) ? 'match: name  or  ' : ''
  return `${boundary}${name}match: <COLUMN>=identifier`
}

function hasAny(pairs: readonly Pair[], isSo: (each: Candidate) => boolean): boolean {
  return pairs.some(({ candidates }) => candidates.some(isSo))
}

function candidatesInWords(candidates: readonly Candidate[]): string {
  const few = candidates.slice(0, 2).map((each) => `${inWords(each.known)}, ${evidenceOf(each)}`)
  return [...few, ...(candidates.length > few.length ? ['others'] : [])].join(', or ')
}

function evidenceOf({ id, land }: Candidate): string {
  if (land !== undefined) return `overlap ${percent(land)}`
  if (id === 'same') return 'same id and name'
  return id === undefined ? 'same name' : 'its id in another spelling'
}

/** A record as a person knows it: "Kānuka" (002). */
function inWords({ name, key }: Pick<KnownRecord, 'name' | 'key'>): string {
  return name === '' ? `"${idInKey(key)}"` : `"${name}" (${idInKey(key)})`
}

/** A share as people read it; only identical land is 100 %. */
function percent(share: number): string {
  return `${Math.floor(share * 100)} %`
}
