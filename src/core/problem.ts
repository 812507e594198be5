/** Defines what can be wrong with a row: each problem has a code, a place and a sentence, and is never thrown. */

/** Where something lies, numbered as the person's own program numbers it. */
export type Place = { readonly source: string; readonly layer?: string; readonly row: number }

export type Severity = 'note' | 'warning' | 'error'

/** Each code with its usual severity and its meaning. */
export const problemCodes = {
  // reading
  'row-ragged': { severity: 'error', meaning: 'The row has more or fewer cells than the header.' },
  'quote-unclosed': { severity: 'error', meaning: 'The quote of a cell is never closed.' },
  'row-unreadable': { severity: 'error', meaning: 'The row cannot be read.' },
  'file-truncated': { severity: 'error', meaning: 'The file ends too early; rows are missing.' },
  'file-inconsistent': { severity: 'warning', meaning: 'Two parts of the file disagree, such as .shp and .dbf.' },
  'encoding-guessed': {
    severity: 'note',
    meaning: 'The file does not name its text encoding; windrow chose the one that fits best.',
  },
  'encoding-doubtful': {
    severity: 'warning',
    meaning: 'Some text cannot be decoded, looks decoded twice, or lost letters before this file was made.',
  },
  'text-repaired': {
    severity: 'note',
    meaning: 'The text breaks a rule of its format, but its meaning is clear; it was read.',
  },
  'value-not-fitting-column': { severity: 'error', meaning: 'The cell does not fit the type of its column.' },
  'column-unreadable': {
    severity: 'warning',
    meaning: 'windrow cannot read this type of column; its cells are empty.',
  },
  'cell-error': { severity: 'error', meaning: 'The cell contains a spreadsheet error, such as #REF!.' },
  'blank-in-words': { severity: 'note', meaning: 'Cells contain NULL or a similar word and were read as blank.' },
  'formula-not-calculated': {
    severity: 'warning',
    meaning: 'The cell contains a formula that was never calculated; it was read as blank.',
  },
  'cells-hidden': { severity: 'note', meaning: 'The sheet has hidden rows or columns; they were read too.' },
  'cells-merged': {
    severity: 'warning',
    meaning: 'Cells are merged over several rows; only the first row has the value.',
  },
  'rows-far-below': { severity: 'note', meaning: 'Rows far below the table, after many blank rows, were read too.' },
  'sheet-hidden': { severity: 'note', meaning: 'The workbook has a hidden sheet, which was not read.' },
  'header-renamed': { severity: 'note', meaning: 'An empty or repeated column name was replaced by a new one.' },
  'header-missing': { severity: 'warning', meaning: 'No row looks like column names; the columns are numbered.' },
  'rows-above-header': { severity: 'note', meaning: 'Rows above the column names are titles; they were left out.' },
  'header-again': { severity: 'note', meaning: 'The row repeats the column names and was skipped.' },
  'row-like-total': {
    severity: 'warning',
    meaning:
      'The row looks like a total but lies among the records, or is filled in like a record; it was read as a record.',
  },
  'row-blank': { severity: 'note', meaning: 'The row is blank and was skipped.' },
  'row-footer': { severity: 'note', meaning: 'The row is a total or a footer and was skipped.' },
  'row-filtered': { severity: 'note', meaning: 'The pipeline leaves this row out.' },
  'row-deleted': { severity: 'note', meaning: 'Rows marked as deleted by another program were left out.' },
  'row-repeated': { severity: 'note', meaning: 'The row is identical to an earlier row and was skipped.' },
  'guard-allowed': {
    severity: 'warning',
    meaning: 'A guard would have stopped this run; --allow let it through.',
  },
  'columns-changed': {
    severity: 'warning',
    meaning: 'The file does not have the columns that the pipeline expects.',
  },
  'files-beside': { severity: 'note', meaning: 'The folder or zip contains other files, which were not read.' },
  'parts-left-out': { severity: 'note', meaning: 'The file contains items that are not records; they were left out.' },
  'parts-apart': { severity: 'note', meaning: 'Each part of a boundary became a record of its own.' },
  'description-read': { severity: 'note', meaning: 'Columns were read from the tables in descriptions.' },
  'dimensions-dropped': { severity: 'note', meaning: 'Heights or measures of the coordinates were left out.' },
  // what windrow keeps between runs
  'run-unreadable': {
    severity: 'warning',
    meaning: 'The files of an earlier run cannot be read; that run was ignored.',
  },
  'clock-set-back': {
    severity: 'warning',
    meaning: 'The clock of this computer is behind the start of the last run.',
  },
  'ledger-rebuilt': {
    severity: 'warning',
    meaning:
      'The ledger (the list of what was sent) was damaged, empty or lost; the records were read from the service again.',
  },
  // geometry
  'crs-assumed': { severity: 'note', meaning: 'The file names no coordinate system; windrow worked it out.' },
  'grid-missing': {
    severity: 'note',
    meaning: 'The grid folder has no grid for this file; its coordinates were converted without one, less accurately.',
  },
  'grid-left': {
    severity: 'warning',
    meaning: 'The boundary lies outside the grid; it was converted without it, less accurately.',
  },
  'crs-out-of-area': {
    severity: 'warning',
    meaning:
      'The coordinate system puts all boundaries outside its area, in an ocean or far from the farm; it may be the wrong one.',
  },
  'coordinates-turned': {
    severity: 'note',
    meaning: 'Every row has its coordinates in the wrong order; they were swapped.',
  },
  'geometry-missing': { severity: 'error', meaning: 'The row has no boundary.' },
  'boundary-absent': { severity: 'warning', meaning: 'New records have no boundary; the file has none.' },
  'geometry-unreadable': { severity: 'error', meaning: 'The cell does not contain a geometry that can be read.' },
  'geometry-wrong-type': { severity: 'error', meaning: 'The record cannot have this type of geometry.' },
  'boundary-open': { severity: 'note', meaning: 'A ring was not closed; its first point was repeated at the end.' },
  'boundary-too-few-points': { severity: 'error', meaning: 'A ring has fewer than three different points.' },
  'boundary-crosses-itself': { severity: 'error', meaning: 'The boundary crosses itself.' },
  'boundary-touches-itself': {
    severity: 'note',
    meaning: 'The boundary touches itself at a point; its land is published in valid parts.',
  },
  'boundary-hole-outside': { severity: 'error', meaning: 'A hole lies outside the boundary it belongs to.' },
  'boundary-parts-overlap': { severity: 'error', meaning: 'Two parts of one boundary overlap.' },
  'boundary-parts-far': { severity: 'warning', meaning: 'Two parts of one boundary lie more than 50 km apart.' },
  'boundary-repaired': { severity: 'note', meaning: 'The boundary was repaired within the limit.' },
  'boundary-slivers': {
    severity: 'note',
    meaning: 'Parts narrower than the limit were removed: points very close together, spikes, slivers.',
  },
  'boundary-no-area': { severity: 'error', meaning: 'The boundary encloses no area.' },
  'boundary-points-repeated': { severity: 'note', meaning: 'Repeated points were removed.' },
  'coordinate-not-a-number': { severity: 'error', meaning: 'A coordinate is not a number.' },
  'coordinate-out-of-range': {
    severity: 'error',
    meaning: 'A coordinate lies outside the world, or outside the area of its coordinate system.',
  },
  'boundary-twice': { severity: 'warning', meaning: 'The same boundary occurs again under another key.' },
  'boundary-inside-another': { severity: 'warning', meaning: 'A boundary lies inside another one.' },
  'boundaries-overlap': { severity: 'warning', meaning: 'Two boundaries overlap.' },
  'boundary-trimmed': {
    severity: 'note',
    meaning: 'The overlap with a larger boundary was cut off, as set in the pipeline.',
  },
  'boundaries-sliver': { severity: 'note', meaning: 'Two boundaries overlap in a narrow strip.' },
  'boundaries-crowded': {
    severity: 'note',
    meaning: 'So many boundaries overlap here that each was compared only with the nearest of them.',
  },
  'boundaries-gap': { severity: 'note', meaning: 'There is a narrow gap between two boundaries.' },
  'area-differs': { severity: 'warning', meaning: 'The measured area and the area column of the file differ.' },
  // mapping
  'date-impossible': { severity: 'error', meaning: 'This day or time does not exist.' },
  'date-unlikely': { severity: 'error', meaning: 'Nobody can mean this day.' },
  'date-unclear': { severity: 'error', meaning: 'The text is not a date in the format set in the pipeline.' },
  'date-order-unclear': {
    severity: 'warning',
    meaning:
      'The dates of a column could be day/month or month/day, and nothing shows which; the column is not published.',
  },
  'date-twice': {
    severity: 'note',
    meaning: 'This time occurs twice on that day, because the clocks change; the first was used.',
  },
  'number-negative': { severity: 'error', meaning: 'An area or a length is less than zero.' },
  'number-unclear': { severity: 'error', meaning: 'The text is not a number in the format set in the pipeline.' },
  'word-unknown': { severity: 'error', meaning: 'The word is not in the list of the pipeline.' },
  'unit-unknown': { severity: 'error', meaning: 'The service does not know this unit.' },
  'truth-unclear': { severity: 'error', meaning: 'The text is neither yes nor no.' },
  'crop-unnamed': { severity: 'warning', meaning: 'A crop has a date and no name.' },
  'name-without-marks': {
    severity: 'warning',
    meaning: 'The name would lose the macrons or accents that the record has.',
  },
  'group-disagrees': { severity: 'error', meaning: 'Rows of the same record have different values.' },
  // keys
  'key-missing': { severity: 'error', meaning: 'The key column is empty in this row.' },
  'key-repeated': { severity: 'error', meaning: 'Different rows have the same key.' },
  'key-stand-in': {
    severity: 'warning',
    meaning: 'No id column found. Row numbers are used for this preview only.',
  },
  'id-from-number': { severity: 'warning', meaning: 'Numbers are used as identifiers; leading zeros may be lost.' },
  'record-matched': {
    severity: 'note',
    meaning: 'The row is a record that the service has under another key; it is updated.',
  },
  'record-repeated': {
    severity: 'warning',
    meaning: 'The service has the same record already, under another key: the same boundary or the same name.',
  },
  'match-unclear': {
    severity: 'error',
    meaning: 'It is not clear which record of the service this row is; nothing is guessed.',
  },
  'holding-missing': { severity: 'error', meaning: 'The row does not name its farm (holding).' },
  // checking
  'field-invalid': { severity: 'error', meaning: 'The service does not accept the value of this field.' },
  'field-missing': { severity: 'error', meaning: 'A field that the service requires is missing.' },
  'field-unknown': { severity: 'note', meaning: 'windrow does not know this field; it is sent unchanged.' },
  'code-unknown': {
    severity: 'note',
    meaning: 'The value is not in the list of known values; the list is open, so it is sent unchanged.',
  },
  'code-respelled': { severity: 'note', meaning: 'The value was changed to the spelling of the list.' },
  'would-lose-field': { severity: 'error', meaning: 'The record has a value here, and this row would clear it.' },
  // sending
  refused: { severity: 'error', meaning: 'The service refused this record.' },
  'not-seen': { severity: 'warning', meaning: 'The service accepted the record but does not show it yet.' },
  'changed-meanwhile': {
    severity: 'warning',
    meaning: 'The record was changed in the service after this run read it.',
  },
  'left-alone': {
    severity: 'warning',
    meaning: 'The record was changed after the run, so the undo left it alone.',
  },
  'not-in-file': {
    severity: 'warning',
    meaning: 'The service has records of this source that are not in the file and that the pipeline does not own.',
  },
  'changed-hands': {
    severity: 'warning',
    meaning: 'Another pipeline published the records until now.',
  },
  'in-other-file': {
    severity: 'warning',
    meaning: 'The records left this file, but the last file of another pipeline still has them; they are not deleted.',
  },
  'gone-from-source': { severity: 'note', meaning: 'The record is no longer in the file.' },
} as const satisfies Record<string, { severity: Severity; meaning: string }>

export type ProblemCode = keyof typeof problemCodes

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
  readonly code: ProblemCode
  readonly severity: Severity
  readonly at: Place
  readonly column?: string
  readonly value?: string
  readonly path?: string
  readonly where?: {
    readonly lon: number
    readonly lat: number
    readonly part?: number
    readonly ring?: number
    readonly vertex?: number
  }
  readonly with?: readonly Place[]
  /** What the repair changed, or would change where it is refused. */
  readonly repair?: Repair
  readonly message: string
  readonly hint?: string
}

/** Makes a problem with the severity its code usually has. */
export function problem(
  code: ProblemCode,
  at: Place,
  more: Omit<Problem, 'code' | 'at' | 'severity'> & { severity?: Severity },
): Problem {
  return { code, severity: problemCodes[code].severity, at, ...more }
}

/** True when one of the problems is an error. */
export function hasError(problems: readonly Problem[] | undefined): boolean {
  return problems !== undefined && problems.some((each) => each.severity === 'error')
}
