/** Lists cases of the rules about rows. */

import type { Cases } from '../core/rule.ts'
import { findResourceType } from '../resources/index.ts'
import type { ColumnFacts, RowFacts, TableFacts } from './rows.ts'

const plots = findResourceType('plots')!
const farms = findResourceType('holdings')!

/** A new record of a paddock, from a list without boundaries, with what the row gives it. */
const row = (given: Record<string, unknown> = { name: 'Top' }, more: Partial<RowFacts> = {}): RowFacts => ({
  type: plots,
  id: '1',
  key: 'plot/nz.farm/7/1',
  given,
  blank: [],
  boundary: 'none in the file',
  isAlone: true,
  record: given,
  lost: [],
  deletedBy: undefined,
  exported: undefined,
  clears: false,
  now: '2026-11-29T02:00:00Z',
  ...more,
})
const crop = (name: string | undefined, establishmentDate?: string): Record<string, unknown> => ({
  name: 'Top',
  crops: [{ ...(name && { name }), ...(establishmentDate && { establishmentDate }) }],
})
const column = (more: Partial<ColumnFacts>): ColumnFacts => ({
  source: 'a.csv',
  column: 'No',
  idFromNumber: undefined,
  wordedBlanks: undefined,
  ...more,
})
const table = (more: Partial<TableFacts>): TableFacts => ({
  type: plots,
  newWithoutBoundary: 0,
  partsMade: { rows: 0, parts: 0 },
  dimensionsDropped: 0,
  ...more,
})

const rowCases: Cases<RowFacts> = {
  'row-without-record': {
    yes: [
      ['an id alone', row({})],
      ['an id and identifiers', row({ identifiers: [{ scheme: 's', id: '1' }], meta: {} })],
    ],
    no: [
      ['a name', row()],
      ['an area', row({ totalArea: { measurement: 5 } })],
      ['a crop', row(crop('Kale'))],
      ['a boundary', row({}, { boundary: 'given' })],
      ['a known record, which keeps what it has', row({}, { isAlone: false })],
      ['a farm, which need not have more', row({}, { type: farms })],
    ],
  },
  'heading-as-record': {
    yes: [['names as ids, and two blank cells', row({ name: '1' }, { blank: ['/totalArea', '/crops/0/name'] })]],
    no: [
      ['one blank cell', row({ name: '1' }, { blank: ['/totalArea'] })],
      ['a name that is not the id', row({ name: 'North block' }, { blank: ['/totalArea', '/crops/0/name'] })],
      ['a name and an area', row({ name: '1', totalArea: {} }, { blank: ['/crops/0/name', '/crops/0/variety'] })],
      ['a known record', row({ name: '1' }, { blank: ['/totalArea', '/crops/0/name'], isAlone: false })],
    ],
  },
  'row-without-boundary': {
    yes: [
      ['a row of a map', row({ name: 'Top' }, { boundary: 'missing' })],
      ['a row that clears one', row({ name: 'Top' }, { boundary: 'missing', clears: true })],
    ],
    no: [
      ['a row of a list', row()],
      ['a row with a boundary', row({ name: 'Top' }, { boundary: 'given' })],
    ],
  },
  'would-lose-field': {
    yes: [
      ['a crop that the row has blank', row({ name: 'Top' }, { lost: ['/crops/0/name'] })],
      ['the boundary and the area', row({ name: 'Top' }, { lost: ['/spatialFeature', '/totalArea'] })],
    ],
    no: [['nothing is lost', row()]],
  },
  'record-back': {
    yes: [['a record that a pipeline deleted', row({ name: 'Top' }, { deletedBy: 'north' })]],
    no: [['a record that nobody deleted', row()]],
  },
  'crop-unnamed': {
    yes: [['a day of sowing without a crop', row(crop(undefined, '2026-04-21'))]],
    no: [
      ['a crop with its day', row(crop('Oats', '2026-04-20'))],
      ['neither', row(crop(undefined))],
      ['no crops', row()],
    ],
  },
  'sowing-unlikely': {
    yes: [
      ['digits exchanged', row(crop('Kale', '2062-09-03'))],
      ['a number as a day', row(crop('Kale', '1905-07-19'))],
      [
        'a day that another crop of the export has',
        row(crop('Kale', '2062-09-03'), { exported: crop('Kale', '2062-09-04') }),
      ],
    ],
    no: [
      ['last spring', row(crop('Kale', '2026-09-03'))],
      ['in nine years', row(crop('Kale', '2035-09-03'))],
      ['a vineyard of 1950', row(crop('Vines', '1950-09-03'))],
      ['no day', row(crop('Kale'))],
      [
        'a day that the service has already',
        row(crop('Kale', '2062-09-03T00:00:00Z'), { exported: crop('Kale', '2062-09-03T00:00:00.000Z') }),
      ],
    ],
  },
}

const columnCases: Cases<ColumnFacts> = {
  'id-from-number': {
    yes: [['numbers as ids', column({ idFromNumber: 2 })]],
    no: [['texts as ids', column({})]],
  },
  'blank-in-words': {
    yes: [['NULL in two rows', column({ wordedBlanks: { first: 2, rows: 2 } })]],
    no: [['empty cells', column({})]],
  },
}

const tableCases: Cases<TableFacts> = {
  'boundary-absent': {
    yes: [['two new paddocks', table({ newWithoutBoundary: 2 })]],
    no: [
      ['no new records', table({})],
      ['new farms, which have no boundary', table({ newWithoutBoundary: 2, type: farms })],
    ],
  },
  'parts-apart': {
    yes: [['one row in three parts', table({ partsMade: { rows: 1, parts: 3 } })]],
    no: [['no row in parts', table({})]],
  },
  'dimensions-dropped': {
    yes: [['one boundary with heights', table({ dimensionsDropped: 1 })]],
    no: [['flat boundaries', table({})]],
  },
}

export const rowsCases: Cases<unknown> = { ...rowCases, ...columnCases, ...tableCases }
