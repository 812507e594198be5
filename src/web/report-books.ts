/** Lists the books of a run: what became of its rows and records, for the page and the terminal. */

/** What the books of a run are made of. */
export type Booked = {
  readonly outcome: string
  /** The run that this one undoes. */
  readonly undoes?: string | undefined
  readonly rows: Counts<'read' | 'ready' | 'unchanged' | 'rejected' | 'skipped'>
  readonly records: Counts<'ready' | 'created' | 'updated' | 'refused' | 'unsent' | 'unchanged'>
  readonly gone: Counts<'gone' | 'deleted' | 'kept'>
}
type Counts<Name extends string> = Readonly<Record<Name, number>>

/** A sum and its parts, each with the colour that it has on the page. */
export type Book = ReturnType<typeof book>
type Part = readonly [name: string, count: number, tone: string]

function book(name: string, whole: number, verb: string, parts: readonly Part[]) {
  return { name, whole, verb, parts }
}

/** The books of rows, of records, and of what is gone from the file; of an undo, those of what the run had changed. */
export function booksOf({ outcome, undoes, rows, records, gone }: Booked): readonly Book[] {
  const would = outcome === 'dry-run' ? 'would be ' : ''
  const toUndo = records.ready + gone.gone
  if (undoes !== undefined)
    return [
      book('changed', rows.read, 'by that run', [
        ['to undo', rows.ready, 'created'],
        ['as before already', rows.unchanged, 'unchanged'],
        ['left alone', rows.skipped, 'skipped'],
      ]),
      book('undone', toUndo, 'to undo', [
        ['put back', records.updated, 'updated'],
        ['deleted', gone.deleted, 'rejected'],
        ['restored', records.created, 'created'],
        ['failed', toUndo - records.updated - gone.deleted - records.created, 'skipped'],
      ]),
    ]
  const ofRecords = [
    book('rows', rows.read, 'read', [
      ['ready', rows.ready, 'created'],
      ['unchanged', rows.unchanged, 'unchanged'],
      ['rejected', rows.rejected, 'rejected'],
      ['skipped', rows.skipped, 'skipped'],
    ]),
    book('records', records.ready, 'ready', [
      [`${would}created`, records.created, 'created'],
      [`${would}updated`, records.updated, 'updated'],
      ['refused', records.refused, 'rejected'],
      ['unsent', records.unsent, 'skipped'],
    ]),
  ]
  if (gone.gone === 0) return ofRecords
  const ofGone = book('gone', gone.gone, 'gone from the file', [
    [`${would}deleted`, gone.deleted, 'rejected'],
    ['kept', gone.kept, 'unchanged'],
  ])
  return [...ofRecords, ofGone]
}

/** Whether the column of areas adds up rows, too, that the measured area leaves out. */
export function countsRepeated({
  areaM2,
  statedArea,
  problems,
}: {
  readonly areaM2: number
  readonly statedArea?: { readonly measuredM2: number } | undefined
  readonly problems: readonly { readonly code: string }[]
}): boolean {
  const isRepeated = problems.some(({ code }) => code === 'row-repeated' || code === 'key-repeated')
  return isRepeated && statedArea !== undefined && statedArea.measuredM2 > areaM2 + 1
}

/** What to do with a file of rejected rows. No program saves the files of a shapefile into a zip. */
export function howToCorrect(file: string): string {
  return file.endsWith('.zip')
    ? `Unpack ${file} where it is, correct the rows in ${file.replace(/zip$/, 'shp')}, save it`
    : `Correct the rows in ${file}, save it`
}

/** A sentence about rows that a file of corrected rows no longer has, without its full stop. */
export function rowsTakenOut(count: number): string {
  return `${count} ${count === 1 ? 'row was' : 'rows were'} taken out`
}
