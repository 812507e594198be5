/** Hides what a wrong row looks like: a value with a code, a place and a sentence; never an exception. */

/** Where something lies, numbered as the person's own program numbers it. */
export type Place = { readonly source: string; readonly layer?: string; readonly row: number }

export type Severity = 'note' | 'warning' | 'error'

/** Every code once, with its usual severity and a sentence for the documentation. */
export const problemCodes = {
  // reading
  'row-ragged': { severity: 'error', meaning: 'The row has more or fewer cells than the header.' },
  'quote-unclosed': { severity: 'error', meaning: 'A quoted cell is never closed.' },
  'row-unreadable': { severity: 'error', meaning: 'The row cannot be read at all.' },
  'file-truncated': { severity: 'error', meaning: 'The file ends before it should; rows are missing.' },
  'file-inconsistent': { severity: 'warning', meaning: 'Two parts of the file disagree, such as .shp and .dbf.' },
  'encoding-guessed': {
    severity: 'note',
    meaning: 'The file does not say how its text is encoded; this is the best fit.',
  },
  'encoding-doubtful': {
    severity: 'warning',
    meaning: 'Some text cannot be decoded, looks decoded twice, or lost letters before the file was made.',
  },
  'text-mended': {
    severity: 'note',
    meaning: 'The text breaks a rule of its format in a way whose meaning is plain; it was read all the same.',
  },
  'value-not-fitting-column': { severity: 'error', meaning: 'The cell does not fit the kind of column it stands in.' },
  'column-unreadable': {
    severity: 'warning',
    meaning: 'The column is of a kind that cannot be read; its cells are empty.',
  },
  'cell-error': { severity: 'error', meaning: 'The cell shows an error of the spreadsheet, such as #REF!.' },
  'blank-in-words': { severity: 'note', meaning: 'Cells say NULL or the like and were taken for blank.' },
  'formula-not-calculated': {
    severity: 'warning',
    meaning: 'The cell holds a formula that was never calculated; it is read as blank.',
  },
  'cells-hidden': { severity: 'note', meaning: 'Hidden rows or columns of a sheet were read like the others.' },
  'cells-merged': {
    severity: 'warning',
    meaning: 'Cells of several rows are merged; only the first row has their value.',
  },
  'rows-far-below': { severity: 'note', meaning: 'A long run of blank rows was passed over; rows below it were read.' },
  'sheet-hidden': { severity: 'note', meaning: 'The workbook has a hidden sheet, which was not read.' },
  'header-renamed': { severity: 'note', meaning: 'An empty or repeated header was given a name of its own.' },
  'header-missing': { severity: 'warning', meaning: 'No row looks like column names; the columns are numbered.' },
  'rows-above-header': { severity: 'note', meaning: 'Rows above the column names are titles and were left out.' },
  'header-again': { severity: 'note', meaning: 'The row repeats the column names and was skipped.' },
  'row-like-total': {
    severity: 'warning',
    meaning: 'The row looks like a total but stands among the records, or is filled in like one; it was read as a row.',
  },
  'row-blank': { severity: 'note', meaning: 'The row holds nothing and was skipped.' },
  'row-footer': { severity: 'note', meaning: 'The row is a total or a footer and was skipped.' },
  'row-filtered': { severity: 'note', meaning: 'The pipeline asks to leave this row out.' },
  'row-deleted': { severity: 'note', meaning: 'Rows that another program marked as deleted were left out.' },
  'row-repeated': { severity: 'note', meaning: 'The row says exactly what an earlier row says and was skipped.' },
  'columns-changed': {
    severity: 'warning',
    meaning: 'The columns of the file are not those that the pipeline expects.',
  },
  'files-beside': { severity: 'note', meaning: 'The folder or zip holds further files, which were not read.' },
  'parts-left-out': { severity: 'note', meaning: 'The file holds things that are no records; they were left out.' },
  'parts-apart': { severity: 'note', meaning: 'Each part of a boundary became a record of its own.' },
  'description-read': { severity: 'note', meaning: 'Columns were read out of the tables in descriptions.' },
  'dimensions-dropped': { severity: 'note', meaning: 'Heights or measures of the coordinates were left out.' },
  // what windrow keeps between runs
  'run-unreadable': {
    severity: 'warning',
    meaning: 'What an earlier run left cannot be read; that run was passed over.',
  },
  'ledger-rebuilt': {
    severity: 'warning',
    meaning: 'The ledger was damaged or empty and was set aside; what the service holds was read again.',
  },
  // geometry
  'crs-assumed': { severity: 'note', meaning: 'The coordinate system was worked out, not read.' },
  'grid-missing': {
    severity: 'note',
    meaning: 'The folder of grids has none for the file; its coordinates were shifted without one, less exactly.',
  },
  'grid-left': {
    severity: 'warning',
    meaning: 'The boundary is not covered by the grid; it was shifted without it, less exactly.',
  },
  'crs-out-of-area': {
    severity: 'warning',
    meaning:
      'The coordinate system puts all boundaries where it is not used, in an ocean or far from the farm: another one may be meant.',
  },
  'coordinates-turned': {
    severity: 'note',
    meaning: 'Every row has its coordinates the other way round; they were turned.',
  },
  'geometry-missing': { severity: 'error', meaning: 'The row has no boundary.' },
  'geometry-unreadable': { severity: 'error', meaning: 'The cell does not hold a geometry that can be read.' },
  'geometry-wrong-type': { severity: 'error', meaning: 'The geometry is of a type that the record cannot take.' },
  'boundary-open': { severity: 'note', meaning: 'A ring was not closed; its first point was repeated at the end.' },
  'boundary-too-few-points': { severity: 'error', meaning: 'A ring has fewer than three different points.' },
  'boundary-crosses-itself': { severity: 'error', meaning: 'The boundary crosses itself.' },
  'boundary-touches-itself': {
    severity: 'note',
    meaning: 'The boundary touches itself at a point; its land is published in valid parts.',
  },
  'boundary-hole-outside': { severity: 'error', meaning: 'A hole lies outside the boundary it belongs to.' },
  'boundary-parts-overlap': { severity: 'error', meaning: 'Two parts of one boundary overlap.' },
  'boundary-repaired': { severity: 'note', meaning: 'The boundary was mended within what the pipeline allows.' },
  'boundary-slivers': {
    severity: 'note',
    meaning: 'What was narrower than the pipeline says was taken out: points all but on each other, spikes, slivers.',
  },
  'boundary-no-area': { severity: 'error', meaning: 'The boundary encloses no area.' },
  'boundary-points-repeated': { severity: 'note', meaning: 'Repeated points were taken out.' },
  'coordinate-not-a-number': { severity: 'error', meaning: 'A coordinate is not a number.' },
  'coordinate-out-of-range': {
    severity: 'error',
    meaning: 'A coordinate lies outside the world or the area of its system.',
  },
  'boundary-twice': { severity: 'warning', meaning: 'The same boundary stands there again under another key.' },
  'boundary-inside-another': { severity: 'warning', meaning: 'A boundary lies inside another one.' },
  'boundaries-overlap': { severity: 'warning', meaning: 'Two boundaries claim the same land.' },
  'boundary-trimmed': {
    severity: 'note',
    meaning: 'Land that a larger boundary claims too was cut off, as the pipeline asks.',
  },
  'boundaries-sliver': { severity: 'note', meaning: 'Two boundaries overlap in a narrow strip.' },
  'boundaries-crowded': {
    severity: 'note',
    meaning: 'So many boundaries lie over each other that each was compared with the nearest of them only.',
  },
  'boundaries-gap': { severity: 'note', meaning: 'Between two boundaries a narrow strip is left.' },
  'area-differs': { severity: 'warning', meaning: 'The measured area and the column of the file differ.' },
  // mapping
  'value-missing': { severity: 'error', meaning: 'A value that the record needs is empty.' },
  'date-impossible': { severity: 'error', meaning: 'There is no such day or time.' },
  'date-unclear': { severity: 'error', meaning: 'The text is not a date in the form the pipeline gives.' },
  'date-order-unclear': {
    severity: 'warning',
    meaning: 'The dates of a column could be day/month or month/day, and nothing shows which; it is not published.',
  },
  'date-twice': { severity: 'note', meaning: 'The clock shows this time twice on that day; the first was taken.' },
  'number-unclear': { severity: 'error', meaning: 'The text is not a number in the form the pipeline gives.' },
  'word-unknown': { severity: 'error', meaning: 'The word is not in the list that the pipeline gives.' },
  'unit-unknown': { severity: 'error', meaning: 'The unit is not one that the service knows.' },
  'truth-unclear': { severity: 'error', meaning: 'The text is neither yes nor no.' },
  'group-disagrees': { severity: 'error', meaning: 'Rows of one record disagree about a value.' },
  // keys
  'key-missing': { severity: 'error', meaning: 'The row has nothing in its key column.' },
  'key-repeated': { severity: 'error', meaning: 'Different rows carry the same key.' },
  'key-stand-in': {
    severity: 'warning',
    meaning: 'There is no key; the row number stands in. Good for looking, not for publishing.',
  },
  'id-from-number': { severity: 'warning', meaning: 'Numbers became identifiers; zeros in front may be lost.' },
  'holding-missing': { severity: 'error', meaning: 'The row does not say which holding it belongs to.' },
  // checking
  'field-invalid': { severity: 'error', meaning: 'A field is not what the service takes.' },
  'field-missing': { severity: 'error', meaning: 'A field that the service requires is missing.' },
  'field-unknown': { severity: 'note', meaning: 'The field is not one that windrow knows; it is passed on.' },
  'code-unknown': {
    severity: 'note',
    meaning: 'The value is not in the known list; the list is open, so it is passed on.',
  },
  'code-respelled': { severity: 'note', meaning: 'The value was written the way the list writes it.' },
  'would-lose-field': { severity: 'error', meaning: 'The record has a value there now and this row would empty it.' },
  // sending
  refused: { severity: 'error', meaning: 'The service refused this record.' },
  'not-seen': { severity: 'warning', meaning: 'The service accepted the record but does not show it yet.' },
  'changed-meanwhile': {
    severity: 'warning',
    meaning: 'The record was changed in the service since the run was staged.',
  },
  'not-in-file': {
    severity: 'warning',
    meaning: 'The service has records of this source that are not in the file and that the pipeline does not own.',
  },
  'gone-from-source': { severity: 'note', meaning: 'The record is no longer in the file.' },
} as const satisfies Record<string, { severity: Severity; meaning: string }>

export type ProblemCode = keyof typeof problemCodes

/** What mending a boundary changes: how much land its lines enclose, the share of it that is taken otherwise than drawn, parts and points. */
export type Mending = {
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
  /** What mending the boundary changed, or would change where it is refused. */
  readonly mending?: Mending
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
