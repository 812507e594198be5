/** Rules about a row and its record, rows of one key, what the rows of a table add up to, and corrected rows that come later. */

import type { Place } from '../core/problem.ts'
import type { Rule } from '../core/rule.ts'
import { plural } from '../core/values/plural.ts'
import { zerosLost } from '../core/values/same-name.ts'
import { idInKey } from '../resources/keys.ts'
import type { ResourceType } from '../resources/resource-type.ts'

type Fields = Readonly<Record<string, unknown>>

/** A row that can be read, and the record that it makes. */
export type RowFacts = {
  readonly type: ResourceType
  /** The id in the row, and the key of its record. */
  readonly id: string | undefined
  readonly key: string
  /** What the row gives, and the fields for which its cells are blank. */
  readonly given: Fields
  readonly blank: readonly string[]
  readonly boundary: 'given' | 'missing' | 'none in the file'
  /** True if nothing remains of a known record beside what the row gives. */
  readonly isAlone: boolean
  /** The record with what is carried over. */
  readonly record: Fields
  /** The values of the known record that the row would empty, as JSON pointers. */
  readonly lost: readonly string[]
  /** The pipeline that deleted the record. */
  readonly deletedBy: string | undefined
  /** The record as the service has it, if the row may be as it comes from there. */
  readonly exported: Fields | undefined
  /** True if blank cells clear values. */
  readonly clears: boolean
  readonly now: string
}

const withoutRecord: Rule<RowFacts, RowFacts> = {
  id: 'row-without-record',
  about: 'row',
  usual: 'reject',
  why: 'The row has nothing but its id. The row would create a record, or clear a known one (blank: clear), and has nothing for it but an id: no name, area, crop or boundary. It is probably a heading between the rows, such as "North block". Delete that row, or fill in its cells if it is a record.',
  find: (row) => (mayBeHeading(row) && hasOnly(row.given, ofIdentity) ? row : undefined),
  says: () => ({
    message: 'The row has an id and nothing else, like a heading between the rows.',
    hint: 'Delete the row, or fill in its cells.',
  }),
}

const headingAsRecord: Rule<RowFacts, RowFacts> = {
  id: 'heading-as-record',
  about: 'row',
  usual: 'warn',
  why: 'The row has nothing but a name, which is also its id. Where names are the ids, a heading between the rows, such as "North block", looks like a paddock of which nothing but the name is known. It was published as one. If it is a heading, delete the row, or filter it out with only, and delete the record in the service.',
  // A paddock, too, may have one blank cell.
  find: (row) =>
    mayBeHeading(row) && row.blank.length > 1 && row.given['name'] === row.id && hasOnly(row.given, ofNames)
      ? row
      : undefined,
  says: () => ({
    message: 'The row has a name and nothing else, like a heading between the rows. It was read as a record.',
    hint: 'If it is a heading, delete the row, or filter it out with only.',
  }),
}

const ofIdentity: ReadonlySet<string> = new Set(['resourceType', 'dataPointKey', 'identifiers', 'links', 'meta'])
const ofNames: ReadonlySet<string> = new Set([...ofIdentity, 'name'])

/** The types whose records are land: without a boundary they lie nowhere. */
const ofLand: ReadonlySet<string> = new Set(['plots', 'land-covers'])

function mayBeHeading({ isAlone, boundary, type }: RowFacts): boolean {
  return isAlone && boundary !== 'given' && ofLand.has(type.plural)
}

function hasOnly(given: Fields, fields: ReadonlySet<string>): boolean {
  return Object.keys(given).every((field) => fields.has(field))
}

const withoutBoundary: Rule<RowFacts, RowFacts> = {
  id: 'row-without-boundary',
  about: 'row',
  usual: 'warn',
  why: 'The row has no boundary, and others of the file have. The row has no boundary in a file with boundaries. windrow does not invent land: a new record is published without one and does not lie on the map; a known record keeps the boundary that it has, unless the pipeline says blank: clear. Draw the boundary in the program that made the file, or leave the row out.',
  find: (row) => (row.boundary === 'missing' ? row : undefined),
  says: ({ clears }) => ({
    message: `This row has no boundary. Once published, a new record has none; a known record ${clears ? 'loses' : 'keeps'} the boundary it has.`,
  }),
}

const wouldLose: Rule<RowFacts, RowFacts> = {
  id: 'would-lose-field',
  about: 'row',
  usual: 'reject',
  why: 'The record has a value here, and this row would clear it. The cell is empty, but the record in the service has a value, which this row would clear. An empty cell can mean "unknown" or "none", so windrow rejects the row until you decide. Fill the cell, or set blank: keep or blank: clear.',
  find: (row) => (row.lost.length > 0 ? row : undefined),
  says: ({ lost }) => ({
    path: lost[0],
    message: `The record has a value for ${lost.map(pathInWords).join(' and ')}, but this row would empty it.`,
    hint: 'Fill the cell, or decide what a blank cell does:  blank: keep  or  blank: clear',
  }),
}

function pathInWords(path: string): string {
  if (path === '/spatialFeature') return 'its boundary'
  const counted = path.replaceAll(/\/\d+/g, (index) => ` ${Number(index.slice(1)) + 1}`)
  return `"${counted.slice(1).replaceAll('/*', '').replaceAll('/', ' ')}"`
}

const recordBack: Rule<RowFacts, RowFacts> = {
  id: 'record-back',
  about: 'record',
  usual: 'warn',
  why: 'The record was deleted when its row left a file, and is in the file again. A pipeline with gone: delete deleted the record when its row was missing from its file, or was left out by only:. Now the row is here again, under the same id and name, in a file without boundaries. The record gets back its boundary, and all else that the file does not have, as it was before. If the id now means another paddock, import its boundary. If a row moves from one pipeline to another, run first the one that gets it: then nothing is deleted.',
  find: (row) => (row.deletedBy === undefined ? undefined : row),
  says: ({ key, deletedBy }) => ({
    value: idInKey(key),
    message: `The record "${idInKey(key)}" was deleted by "${deletedBy}" and is in the file again. It gets back its boundary, and all else that the file does not have, as before.`,
    hint: 'Check that it is the same piece of land. If not, import its boundary.',
  }),
}

const cropUnnamed: Rule<RowFacts, { readonly path: string }> = {
  id: 'crop-unnamed',
  about: 'row',
  usual: 'warn',
  why: 'A crop has a date and no name. The row has a date for a crop, such as its sowing date, and no crop. The service keeps such a date only with its crop. Fill in the crop, or clear the date.',
  find({ record }) {
    for (const [index, crop] of cropsOf(record).entries()) {
      const field = crop['name'] === undefined ? daysOfCrops.find((name) => name in crop) : undefined
      if (field !== undefined) return { path: `/crops/${index}/${field}` }
    }
    return undefined
  },
  says: ({ path }) => ({
    path,
    message: 'The row has a date for a crop, but no crop.',
    hint: 'Fill in the crop, or clear the date.',
  }),
}

const daysOfCrops = ['establishmentDate', 'maturityDate', 'harvestDate']

type Sowing = { readonly index: number; readonly day: string; readonly year: number }

const sowingUnlikely: Rule<RowFacts, Sowing> = {
  id: 'sowing-unlikely',
  about: 'row',
  usual: 'reject',
  why: 'The crop would be sown before 1950, or more than ten years from now. Two digits of the year were exchanged, as in 2062 for 2026, or a sheet shows a number such as 2027 as a day of 1905. Published, the crop would have been sown then, so the row is rejected. A day that the service has already may come back in an export. Correct the cell, or leave it empty.',
  find({ given, exported, now }) {
    for (const [index, { establishmentDate: sown }] of cropsOf(given).entries()) {
      if (typeof sown !== 'string') continue
      const year = Number(sown.slice(0, 4))
      if (year >= 1950 && year <= Number(now.slice(0, 4)) + 10) continue
      const isKnown = cropsOf(exported).some(
        (crop) => Date.parse(String(crop['establishmentDate'])) === Date.parse(sown),
      )
      if (!isKnown) return { index, day: sown.slice(0, 10), year }
    }
    return undefined
  },
  says: ({ index, day, year }) => ({
    path: `/crops/${index}/establishmentDate`,
    value: day,
    message: year < 1950 ? `The crop would be one of ${year}.` : `The crop would be sown in ${year}.`,
    hint: 'Correct the cell, or leave it empty.',
  }),
}

function cropsOf(record: Fields | undefined): readonly Fields[] {
  const crops = record?.['crops']
  return Array.isArray(crops) ? crops : []
}

/** The rules that run for each row. */
export const rowRules: readonly Rule<RowFacts>[] = [
  withoutRecord,
  headingAsRecord,
  withoutBoundary,
  wouldLose,
  recordBack,
  cropUnnamed,
  sowingUnlikely,
]

/** A column whose cells were read otherwise than they are written. */
export type ColumnFacts = {
  readonly source: string
  readonly column: string
  /** The row of the first number that became an identifier. */
  readonly idFromNumber: number | undefined
  /** The cells with NULL or the like. */
  readonly wordedBlanks: { readonly first: number; readonly rows: number } | undefined
}

const idFromNumber: Rule<ColumnFacts, ColumnFacts> = {
  id: 'id-from-number',
  about: 'column',
  usual: 'warn',
  why: 'Numbers are used as identifiers; leading zeros may be lost. The ids are numbers in the file, and a number has no leading zeros: 00412876 became 412876. If your ids begin with zeros, they are now different ids. Format the column as text in the original program and export again.',
  find: (facts) => (facts.idFromNumber === undefined ? undefined : facts),
  says: ({ source, column, idFromNumber: row }) => ({
    at: { source, row: row! },
    column,
    message: `The column "${column}" has numbers that are used as identifiers; if they began with zeros, the zeros are lost.`,
    hint: 'If identifiers begin with zeros, format the column as text in the file.',
  }),
}

const blankInWords: Rule<ColumnFacts, ColumnFacts & NonNullable<ColumnFacts['wordedBlanks']>> = {
  id: 'blank-in-words',
  about: 'column',
  usual: 'note',
  why: 'Cells contain NULL or a similar word and were read as blank. Cells contain a word such as NULL or NaN, which databases write for an empty cell. windrow reads them as blank. If it is a real word in this column, write it under words in the pipeline: { from: Column, words: { "NULL": "NULL" }, otherwise: keep }.',
  find: (facts) => facts.wordedBlanks && { ...facts, ...facts.wordedBlanks },
  says: ({ source, column, first, rows }) => ({
    at: { source, row: first },
    column,
    message: `The column "${column}" has NULL or a similar word in ${plural(rows, 'row')}, as databases write for an empty cell; it was read as blank.`,
    hint: `If it is an ordinary word:  { from: ${column}, words: { "NULL": "NULL" }, otherwise: keep }`,
  }),
}

/** The rules that run for each column of a table that has such cells. */
export const columnRules: readonly Rule<ColumnFacts>[] = [idFromNumber, blankInWords]

/** What all rows of a table add up to. */
export type TableFacts = {
  readonly type: ResourceType
  /** New records from a table without boundaries. */
  readonly newWithoutBoundary: number
  /** The rows whose boundary was split, and the records that its parts became. */
  readonly partsMade: { readonly rows: number; readonly parts: number }
  /** Boundaries with heights or measures that were left out. */
  readonly dimensionsDropped: number
}

const boundaryAbsent: Rule<TableFacts, TableFacts> = {
  id: 'boundary-absent',
  about: 'night',
  usual: 'warn',
  why: 'New records have no boundary; the file has none. The file has no boundaries, so its new records would be published without one and would not lie on the map. If you have another file with the boundaries, import that one first, with the same ids: then these rows update its records. Otherwise you need not do anything.',
  find: (table) => (table.newWithoutBoundary > 0 && ofLand.has(table.type.plural) ? table : undefined),
  says: ({ newWithoutBoundary, type }) => ({
    message: `${plural(newWithoutBoundary, `new ${type.title.toLowerCase()} has`, `new ${type.plural.replace('-', ' ')} have`)} no boundary.`,
    hint: 'Import the file with the boundaries first, with the same ids; then these rows update its records.',
  }),
}

const partsApart: Rule<TableFacts, TableFacts['partsMade']> = {
  id: 'parts-apart',
  about: 'night',
  usual: 'note',
  why: 'Each part of a boundary became a record of its own. The pipeline says multipart: explode, so each part of a boundary became a record with its own key. To publish one record with all its parts, set geometry.multipart: keep.',
  find: ({ partsMade }) => (partsMade.rows > 0 ? partsMade : undefined),
  says: ({ rows, parts }) => ({
    message: `${plural(rows, 'row has a boundary', 'rows have boundaries')} of several parts; these became ${parts} records. Each part counts as a row here. The largest part has the row's key, the others the same key with ~2, ~3 ...`,
  }),
}

const dimensionsDropped: Rule<TableFacts, TableFacts> = {
  id: 'dimensions-dropped',
  about: 'night',
  usual: 'note',
  why: 'Heights or measures of the coordinates were left out. The coordinates have heights or measures, which boundaries do not need, so only longitude and latitude were kept. To publish heights too, set geometry.heights: keep.',
  find: (table) => (table.dimensionsDropped > 0 ? table : undefined),
  says: ({ dimensionsDropped: count }) => ({
    message: `The heights or measures of ${plural(count, 'boundary', 'boundaries')} were left out.`,
    hint: 'To keep heights:  geometry.heights: keep',
  }),
}

/** The rules about what all rows of a table add up to. */
export const tableRules: readonly Rule<TableFacts>[] = [boundaryAbsent, partsApart, dimensionsDropped]

/** A row, and the first of the other rows with its key. */
export type RepeatedKey = {
  readonly at: Place
  /** The column or columns of the key. */
  readonly column: string
  readonly id: string
  readonly others: readonly Place[]
  /** How many more there are than `others`. */
  readonly more: number
  /** True where the rows make the same record. */
  readonly isSame: boolean
}

const rowRepeated: Rule<RepeatedKey, RepeatedKey> = {
  id: 'row-repeated',
  about: 'row',
  usual: 'note',
  isChosen: false,
  why: 'The row is identical to an earlier row and was skipped. The row is identical to an earlier one, with the same key. One record is published and this row is skipped. You need not do anything; remove the copy if you want to avoid this note.',
  find: (row) => (row.isSame ? row : undefined),
  says: ({ at, id, others }) => ({
    at,
    value: id,
    with: others,
    message: `This row is identical to row ${others[0]!.row}.`,
  }),
}

const keyRepeated: Rule<RepeatedKey, RepeatedKey> = {
  id: 'key-repeated',
  about: 'row',
  usual: 'reject',
  isChosen: false,
  why: 'Different rows have the same key. Several rows have the same key but different values, so it is not clear which one is the record. windrow rejects all of them instead of publishing the last. windrow retry also rejects a corrected row that has the id of a row that was not rejected. Give each record its own key, remove the wrong rows, or use a key of two columns: key: [<Block>, <Number>].',
  find: (row) => (row.isSame ? undefined : row),
  says: ({ at, column, id, others, more }) => ({
    at,
    column,
    value: id,
    with: others,
    message: `The key "${id}" is also in row ${others.map(({ row }) => row).join(', ')}${more > 0 ? ` and ${more} more` : ''}, with other values.`,
    hint: 'Give each record a different key, or remove the wrong rows.',
  }),
}

/** The rules about one row whose key other rows have too. */
export const keyRules: readonly Rule<RepeatedKey>[] = [rowRepeated, keyRepeated]

/** A corrected row, and what happened to its record since the run that rejected it. */
export type CorrectedFacts = {
  readonly id: string
  /** The run that rejected the row. */
  readonly run: string
  /** The run that has published the record: that one, from another row with this id, or a later one. */
  readonly publishedBy: string | undefined
  /** When another program or computer changed the record. */
  readonly changedAt: string | undefined
  /** The id of a rejected row of which this one is another spelling, where no record has it. */
  readonly rejectedAs: string | undefined
}

const rowOutdated: Rule<CorrectedFacts, CorrectedFacts> = {
  id: 'row-outdated',
  about: 'record',
  usual: 'reject',
  why: 'The record of a corrected row was published or changed since. You retry the rejected rows of a run, and a later run of the same pipeline has published this record: its row was corrected in the file, too. The row that you retry is older and would overwrite what the later run sent, so it is rejected. So is a row whose record another program, or windrow on another computer, has changed since, and one with the id of another row of the run, which was not rejected. Nothing has to be done if the record in the service is right. If the row is newer, correct it in the file that the pipeline reads. If it has the id of another row, give it the id that it had.',
  find: (row) => (isOutdated(row) ? row : undefined),
  says({ id, run, publishedBy, changedAt }) {
    if (publishedBy === run)
      return {
        value: id,
        message: `The run "${run}" had another row with this id, and did not reject that one.`,
        hint: 'Give this row the id that it had when it was rejected, or delete it here. To change what that run published, correct the file of the import.',
      }
    return {
      value: id,
      message:
        publishedBy === undefined
          ? `Another program or computer has changed this record since, at ${changedAt}.`
          : `The run "${publishedBy}" has published this record since, with the values that the file had by then.`,
      hint: 'If this row is newer, correct it in the file of the import and import that. If not, delete it here.',
    }
  },
}

function isOutdated({ publishedBy, changedAt }: CorrectedFacts): boolean {
  return publishedBy !== undefined || changedAt !== undefined
}

const correctedRespelt: Rule<CorrectedFacts, { readonly id: string; readonly before: string }> = {
  id: 'corrected-id-respelt',
  about: 'record',
  usual: 'reject',
  why: 'The id of a corrected row lost characters that it had when it was rejected, such as its zeros. Spreadsheet programs drop the zeros in front of an id when they open a CSV file: 009 comes back as 9. With its id as it is, the corrected row would become another record, so it is rejected. Write the id as it was, in a column of text.',
  find(row) {
    const { id, rejectedAs: before } = row
    // Who makes an id longer corrects it.
    const isShorter = before !== undefined && before.length > id.length
    return isShorter && !isOutdated(row) ? { id, before } : undefined
  },
  says: ({ id, before }) => ({
    value: id,
    message: `This row had the id "${before}" when it was rejected. With "${id}" it would be another record.`,
    hint: `Write "${before}" again. ${zerosLost}`,
  }),
}

/** The rules that run for each record of a retry. */
export const correctedRules: readonly Rule<CorrectedFacts>[] = [rowOutdated, correctedRespelt]
