/** Defines what can be wrong with a row: each problem has a code, a place and a sentence, and is never thrown. */

/** Where something lies, numbered as the person's own program numbers it. */
export type Place = { readonly source: string; readonly layer?: string; readonly row: number }

/** `stop` is what stopped a whole run. */
export type Severity = 'note' | 'warning' | 'error' | 'stop'

const note = (meaning: string) => ({ severity: 'note', meaning }) as const
const warning = (meaning: string) => ({ severity: 'warning', meaning }) as const
const error = (meaning: string) => ({ severity: 'error', meaning }) as const

/** Each code with its usual severity and its meaning. */
export const problemCodes = {
  // reading
  'row-ragged': error('The row has more or fewer cells than the header.'),
  'quote-unclosed': error('The quote of a cell is never closed.'),
  'row-unreadable': error('The row cannot be read.'),
  'file-truncated': error('The file ends too early; rows are missing.'),
  'file-inconsistent': warning('Two parts of the file disagree, such as .shp and .dbf, or the file and the pipeline.'),
  'encoding-guessed': note('The file does not name its text encoding; windrow chose the one that fits best.'),
  'encoding-doubtful': warning('Some text cannot be decoded, or looks decoded twice.'),
  'text-repaired': note('The text breaks a rule of its format, but its meaning is clear; it was read.'),
  'value-not-fitting-column': error('The cell does not fit the type of its column.'),
  'column-unreadable': warning('windrow cannot read this type of column; its cells are empty.'),
  'cell-error': error('The cell contains a spreadsheet error, such as #REF!, or a sign for the value above.'),
  'formula-not-calculated': warning('The cell contains a formula that was never calculated; it was read as blank.'),
  'cells-hidden': note('The sheet has hidden rows or columns; they were read too.'),
  'rows-crossed-out': warning('The sheet has rows that are crossed out; they were read too.'),
  'cells-merged': warning('Cells are merged over several rows; only the first row has the value.'),
  'number-shown-otherwise': warning('The format of cells shows a unit or a scale that their numbers do not have.'),
  'rows-far-below': note('Rows far below the table, after many blank rows, were read too.'),
  'sheet-hidden': note('The workbook has a hidden sheet, which was not read.'),
  'header-renamed': note('An empty or repeated column name was replaced by a new one.'),
  'header-missing': warning('No row looks like column names; the columns are numbered.'),
  'rows-above-header': note('Rows above the column names are titles; they were left out.'),
  'header-again': note('The row repeats the column names and was skipped.'),
  'row-blank': note('The row is blank and was skipped.'),
  'row-footer': note('The row is a total or a footer and was skipped.'),
  'row-filtered': note('The filter "only" leaves this row out.'),
  'row-deleted': note('Rows marked as deleted by another program were left out.'),
  'row-repeated': note('The row is identical to an earlier row and was skipped.'),
  'columns-changed': warning('The file does not have the columns that the pipeline expects.'),
  'files-beside': note('The folder or zip contains other files, which were not read.'),
  'parts-left-out': note('The file contains items that are not records; they were left out.'),
  'description-read': note('Columns were read from the tables in descriptions.'),
  // what windrow keeps between runs
  'run-unreadable': warning('The files of an earlier run cannot be read; that run was ignored.'),
  'ledger-rebuilt': warning(
    'The ledger (the list of what was sent) was damaged, empty or lost; the records were read from the service again.',
  ),
  // geometry
  'crs-assumed': note('The file does not name its coordinate system clearly; windrow worked it out.'),
  'grid-missing': note(
    'The grid folder has no grid for this file; its coordinates were converted without one, less accurately.',
  ),
  'grid-left': warning('The boundary lies outside the grid; it was converted without it, less accurately.'),
  'crs-out-of-area': warning(
    'The coordinate system puts all boundaries outside its area, in an ocean or far from the farm; it may be the wrong one.',
  ),
  'geometry-missing': error('The row has no boundary.'),
  'geometry-unreadable': error('The cell does not contain a geometry that can be read.'),
  'geometry-wrong-type': error('The record cannot have this type of geometry.'),
  'boundary-open': note('A ring was not closed; its first point was repeated at the end.'),
  'boundary-too-few-points': error('A ring has fewer than three different points.'),
  'boundary-crosses-itself': error('The boundary crosses itself.'),
  'boundary-touches-itself': note('The boundary touches itself at a point; its land is published in valid parts.'),
  'boundary-hole-outside': error('A hole lies outside the boundary it belongs to.'),
  'boundary-parts-far': warning('Two parts of one boundary lie more than 50 km apart.'),
  'boundary-tiny': warning('A boundary is too small or too narrow for a paddock.'),
  'boundary-spike': warning('A boundary runs far out to a point and back beside itself.'),
  'boundary-parts-overlap': error('Two parts of one boundary overlap.'),
  'boundary-repaired': note('The boundary was repaired within the limit.'),
  'boundary-slivers': note('Parts narrower than the limit were removed: points very close together, spikes, slivers.'),
  'boundary-no-area': error('The boundary encloses no area.'),
  'boundary-points-repeated': note('Repeated points were removed.'),
  'coordinate-not-a-number': error('A coordinate is not a number.'),
  'coordinate-out-of-range': error(
    'A coordinate lies outside the world, or outside the area of its coordinate system.',
  ),
  // mapping
  'date-impossible': error('This day or time does not exist.'),
  'date-unlikely': error('This day cannot be right.'),
  'date-as-id': error(
    'An id is a day or a time, which a spreadsheet program may have made of a text such as 1-3 or 5 A.',
  ),
  'date-unclear': error('The text is not a date in the format that is set.'),
  'date-order-unclear': warning(
    'The dates of a column could be day/month or month/day, and nothing shows which; the column is not published.',
  ),
  'date-twice': note('This time occurs twice on that day, because the clocks change; the first was used.'),
  'number-negative': error('An area or a length is less than zero.'),
  'number-unclear': error('The text is not a number in the format that is set.'),
  'word-unknown': error('The word is not in the list of the pipeline.'),
  'unit-unknown': error('The service does not know this unit.'),
  'truth-unclear': error('The text is neither yes nor no.'),
  'group-disagrees': error('Rows of the same record have different values.'),
  // keys
  'key-missing': error('The row has no key: its id is missing, or the boundary that its key needs.'),
  'key-repeated': error('Different rows have the same key.'),
  'key-stand-in': warning('No id column found. Row numbers are used for this preview only.'),
  'holding-missing': error('The row does not name its farm (holding).'),
  // checking
  'field-invalid': error('The service does not accept the value of this field.'),
  'field-missing': error('A field that the service requires is missing.'),
  'field-unknown': note('windrow does not know this field; it is sent unchanged.'),
  'code-unknown': note('The value is not in the list of known values; the list is open, so it is sent unchanged.'),
  'code-respelled': note('The value was changed to the spelling of the list.'),
  // sending
  refused: error('The service refused this record.'),
  'not-seen': warning('The service accepted the record but does not show it yet.'),
  'changed-meanwhile': warning('The record was changed in the service after this run read it.'),
  'left-alone': warning('The record was changed after the run, so the undo left it alone.'),
  'not-in-file': warning(
    'The service has records of this source that are not in the file and that the pipeline does not own.',
  ),
  'changed-hands': warning('Another pipeline published the records until now.'),
  'in-other-file': warning(
    'The records left this file, but the last file of another pipeline still has them; they are not deleted.',
  ),
  'gone-by-filter': warning('The record goes because "only" leaves its row out.'),
  'gone-from-source': note('The record is no longer in a readable row of the file.'),
} satisfies Record<string, { severity: Severity; meaning: string }>

export type ProblemCode = keyof typeof problemCodes
/** The code of a problem: one of these, or the id of a rule. */
export type Code = ProblemCode | (string & {})

/** What a repair changes: the enclosed area, the share of it that differs from the drawing, parts and points. */
export type Repair = {
  readonly areaBeforeM2: number
  readonly areaAfterM2: number
  readonly lostShare: number
  readonly partsBefore: number
  readonly partsAfter: number
  readonly pointsAdded: number
  readonly pointsTakenOut: number
}

export type Problem = {
  readonly code: Code
  readonly severity: Severity
  readonly at: Place
  readonly column?: string | undefined
  readonly value?: string | undefined
  readonly path?: string | undefined
  readonly where?: {
    readonly lon: number
    readonly lat: number
    readonly part?: number
    readonly ring?: number
    readonly vertex?: number
  }
  readonly with?: readonly Place[]
  /** What the repair changed, or would change where it is refused. */
  readonly repair?: Repair | undefined
  readonly message: string
  readonly hint?: string | undefined
  /** Of what stopped a run: what to write if the file is right and this is to stay so. */
  readonly setting?: string | undefined
}

/** Makes a problem with the severity its code usually has. */
export function problem(
  code: ProblemCode,
  at: Place,
  more: Omit<Problem, 'code' | 'at' | 'severity'> & { severity?: Severity },
): Problem {
  return { code, severity: problemCodes[code].severity, at, ...more }
}

/** The sentence of a problem, and what to do about it. */
export function textOf({ message, hint }: Pick<Problem, 'message' | 'hint'>): string {
  return hint === undefined ? message : `${message} ${hint}`
}

export function hasError(problems: readonly Problem[] | undefined): boolean {
  return problems !== undefined && problems.some((each) => each.severity === 'error')
}
