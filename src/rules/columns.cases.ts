/** Lists cases of the rules that decide what columns mean, and of the notes about them. */

import { addCell, finishColumn, startBudget, startColumn } from '../core/profile/column.ts'
import type { TableProfile } from '../core/profile/profile-table.ts'
import type { Cases } from '../core/rule.ts'
import { fieldRules } from '../core/values/header-words.ts'
import { findResourceType } from '../resources/index.ts'
import type { ColumnsDecided } from './column-notes.ts'
import { decideColumns } from './columns.ts'
import type { ColumnsRead, FieldFacts } from './field-columns.ts'
import type { KeyFacts } from './key-column.ts'
import { farmChoice, ownExport } from './own-export.ts'

type More = Partial<ColumnsRead> & { readonly shapes?: boolean; readonly plural?: string }

/** The profile of a list such as "ID|Name" with rows such as "1|Top; 2|Low". */
function profileOf(header: string, rows: string, shapes = false): TableProfile {
  const cells = rows.split('; ').map((row) => row.split('|'))
  const budget = startBudget()
  const columns = header.split('|').map((name, at) => {
    const column = startColumn()
    for (const [index, row] of cells.entries()) addCell(column, row[at], { source: 'a.csv', row: index + 2 }, budget)
    return finishColumn(name, column, cells.length)
  })
  const seen = { withoutShape: 0, vertices: 0, bbox: undefined, firstShapes: [], points: [], sample: undefined }
  return { name: 'a', format: 'csv', rows: cells.length, columns, shapes: shapes ? { Polygon: 1 } : {}, ...seen }
}

const list = (header: string, rows: string, { shapes, plural = 'plots', ...more }: More = {}): ColumnsRead => ({
  type: findResourceType(plural)!,
  profile: profileOf(header, rows, shapes),
  ...more,
})

const field = (name: string, header: string, rows: string, more?: More): FieldFacts => {
  const facts = list(header, rows, more)
  const rule = fieldRules.find((each) => each.field === name && each.types.includes(facts.type.plural))!
  return { ...facts, field: rule, free: facts.profile.columns, mark: undefined }
}

const key = (header: string, rows: string, more?: More): KeyFacts => {
  const facts = list(header, rows, more)
  const farms = facts.profile.columns.find(({ name }) => name === 'Farm no')
  return { ...facts, holding: farms && farmChoice(farms, '') }
}

const decided = (header: string, rows: string, more?: More): ColumnsDecided => {
  const facts = list(header, rows, more)
  const { choices, unused } = decideColumns(facts)
  return { ...facts, decided: choices, unused, ofExport: ownExport.find(facts) }
}

const column = (name: string, header: string, rows: string, more?: More) => {
  const facts = decided(header, rows, more)
  const found = facts.profile.columns.find((each) => each.name === name)!
  return { ...facts, column: found, isTaken: !facts.unused.includes(name) }
}

const exported = 'Source id (nz.example.farm-number.plots)|Name'
const zone = 'America/Chicago'

export const columnsCases: Cases<unknown> = {
  'record-type': {
    yes: [['an export says it', { fileName: 'a.csv', profile: profileOf(exported, '7/1|Top') }]],
    no: [
      ['a list of harvests', { fileName: 'a.csv', profile: profileOf('Time|Quantity', '1|2') }],
      ['land covers', { fileName: 'a.csv', profile: profileOf('Land cover|Area ha', 'Forest|3.1') }],
      [
        'loads of a paddock',
        {
          fileName: 'a.csv',
          profile: profileOf('Field|Date|Load|Driver|Area', 'A|2026-01-02|1|x|1; A|2026-01-03|2|x|1'),
        },
      ],
      ['areas', { fileName: 'a.csv', profile: profileOf('ID|Area ha', '1|3.1') }],
      ['boundaries alone', { fileName: 'a.csv', profile: profileOf('ID', '1', true) }],
      [
        'paddocks with their yields',
        { fileName: 'a.csv', profile: profileOf('Field|Area ha|Yield', 'A|3.1|7; B|2.2|8') },
      ],
    ],
  },
  'own-export': {
    yes: [['a column of source ids', list(exported, '7/1|Top')]],
    no: [
      ['another column of ids', list('Id|Name', '7|Top')],
      ['source ids that are all blank', list(exported, '|Top')],
    ],
  },
  'farm-column': {
    yes: [
      ['the number of a farm', list('Farm no|ID', '7|1')],
      ['a register', list('NAIT|ID', '7|1')],
    ],
    no: [
      ['the name of a farm', list('Farm|ID', 'Rimu|1')],
      ['a blank column', list('Farm no|ID', '|1')],
    ],
  },
  'key-column': {
    yes: [
      ['the number of a paddock', key('Paddock no|Name', '1|Top; 2|Low')],
      ['a parcel and its sheet', key('Sheet|Parcel', 'A|7; B|8')],
    ],
    no: [
      ['names, to be confirmed', key('Name', 'Top; Low')],
      ['a number of each farm, to be confirmed', key('Farm no|Paddock no', '1|1; 1|2; 2|1')],
      [
        'an id that is there twice, to be corrected',
        key('ID', Array.from({ length: 12 }, (_, at) => `K${Math.max(1, at)}`).join('; ')),
      ],
      ['two columns that may be different together, to be asked', key('Journal|Mark', 'A|x; A|y; B|x; B|y')],
      ['nothing, to be asked', key('Crop', 'Oats; Kale')],
      ['a file without columns, to be asked', key('', '')],
    ],
  },
  'decimal-separator': {
    yes: [
      ['decimal commas', list('Area ha', '12,5; 3,25')],
      ['a comma before a unit', list('Area', '3,00 ha; 8 ha')],
    ],
    no: [
      ['1,204, which could be either', list('Area ha', '1,204')],
      ['whole numbers', list('Area ha', '12; 7')],
      ['a point before a unit', list('Area', '3.00 ha; 8 ha')],
    ],
  },
  'column-of-texts': {
    yes: [
      ['the name of a paddock', field('name', 'Block|Paddock', 'A|Top; A|Low')],
      ['the crop of the last season', field('crops.0.name', 'Crop 24/25|Crop 25/26', 'Oats|Kale')],
      ['codes of crops', field('crops.0.name', 'Kultur', '115; 411')],
      ['names that a spreadsheet made days', field('name', 'Name', '2026-01-01; 2026-02-01')],
    ],
    no: [
      ['another header', field('name', 'Remark', 'Top')],
      ['dates below the header of a crop', field('crops.0.name', 'Crop', '2026-01-01')],
    ],
  },
  'column-of-dates': {
    yes: [
      ['a date that shows the order', field('crops.0.establishmentDate', 'Sown', '31/8/2026')],
      ['the header of an export', field('meta.modified', 'Modified (UTC)', '2026-09-03T01:02:03')],
    ],
    no: [
      ['dates in two readings, to be asked', field('crops.0.establishmentDate', 'Sown', '3/9/2026; 5/9/2026')],
      ['no dates', field('crops.0.establishmentDate', 'Sown', 'early spring')],
      ['another header', field('crops.0.establishmentDate', 'Seen', '31/8/2026')],
    ],
  },
  'area-measured': {
    yes: [['a boundary', field('totalArea', 'Area ha', '3.1', { shapes: true })]],
    no: [
      ['a list without boundaries', field('totalArea', 'Area ha', '3.1')],
      ['another field', field('totalLength', 'Perimeter m', '3.1', { shapes: true })],
    ],
  },
  'column-of-amounts': {
    yes: [
      ['a unit in the header', field('totalArea', 'Area (ha)', '3.1; 12')],
      ['units in the cells', field('totalArea', 'Area', '3.1 ha; 12 ac')],
      ['thousands, to be checked', field('totalArea', 'Area ha', '1,204; 2,110')],
      ['areas that may be square metres, to be checked', field('totalArea', 'Area ha', '12500; 125000')],
    ],
    no: [
      ['no unit', field('totalArea', 'Area', '3.1')],
      ['texts', field('totalArea', 'Area ha', 'large; small')],
    ],
  },
  'farm-position': {
    yes: [['degrees', { ...list('Lon|Lat', '175.3|-37.7', { lonLat: ['Lon', 'Lat'] }), mark: undefined }]],
    no: [
      ['no position', { ...list('Lon|Lat', '175.3|-37.7'), mark: undefined }],
      ['a cell that is no number', { ...list('Lon|Lat', '175.3|south', { lonLat: ['Lon', 'Lat'] }), mark: undefined }],
    ],
  },
  'ids-of-service': {
    yes: [['ids under Id, as the service gives them', decided('Id|Name', '0a1b2c3d-0000-4000-8000-000000000001|Top')]],
    no: [['ids of your own', decided('Id|Name', '7|Top')]],
  },
  'rows-of-log': {
    yes: [['names that come again', decided('Paddock|Area ha', 'Top|1; Top|2; Low|1; Low|2')]],
    no: [
      ['boundaries', decided('Paddock|Area ha', 'Top|1; Top|2; Low|1; Low|2', { shapes: true })],
      ['different names', decided('Paddock|Area ha', 'Top|1; Low|2')],
    ],
  },
  'names-missing': {
    yes: [['a map with numbers', decided('PDK_NO', '7; 9', { shapes: true })]],
    no: [
      ['a list, in which they may be known by number', decided('PDK_NO', '7; 9')],
      ['a map with names', decided('PDK_NO|Name', '7|Top', { shapes: true })],
    ],
  },
  'export-changed': {
    yes: [
      ['lists without source ids', decided('Name|Crop 1 name|Crop 1 establishment date (UTC)', 'Top|Kale|2026-09-03')],
      ['the first crop is missing', decided(`${exported}|Crop 2 name`, '7/1|Top|Kale')],
    ],
    no: [
      ['an export', decided(exported, '7/1|Top')],
      ['another list', decided('ID|Crop', '1|Kale')],
    ],
  },
  'column-left-out': {
    yes: [
      [
        'dates in several formats',
        column('Sown', 'ID|Sown', '0|03/04/2026; 1|2026-04-05; 2|13/04/2026; 3|5 April 2026'),
      ],
      ['a date without a crop', column('Sown', 'ID|Sown', '1|31/8/2026')],
      ['an area without a unit', column('Area', 'ID|Area', '1|3.2')],
      ['cells that are no numbers', column('Area ha', 'ID|Area ha', '0|5.2; 1|4.9; 2|soon')],
    ],
    no: [
      ['a column that is used', column('Area ha', 'ID|Area ha', '0|5.2')],
      ['a field that another column fills', column('Size ha', 'ID|Area ha|Size ha', '0|5.2|soon')],
      ['a measured area', column('Area', 'ID|Area', '1|3.2', { shapes: true })],
    ],
  },
  'texts-odd': {
    yes: [
      ['typographic quotes', column('Name', 'ID|Name', '1|“Top”; 2|„Low“')],
      ['quotes', column('Name', 'ID|Name', '1|"Top"; 2|"Low"')],
    ],
    no: [
      ['paddocks that are called by number', column('Name', 'ID|Name', '1|12; 2|14')],
      ['a quote in one name', column('Name', 'ID|Name', '1|"Top"; 2|Low')],
      ['a column that is not used', column('Remark', 'ID|Remark', '1|"Top"')],
    ],
  },
  'days-universal': {
    yes: [
      [
        'midnight in universal time, in America',
        column('Sown', 'ID|Crop|Sown', '1|Oats|2026-03-13T00:00:00Z', { zone }),
      ],
    ],
    no: [
      ['six in the morning', column('Sown', 'ID|Crop|Sown', '1|Oats|2026-03-13T06:00:00Z', { zone })],
      [
        'east of Greenwich',
        column('Sown', 'ID|Crop|Sown', '1|Oats|2026-03-13T00:00:00Z', { zone: 'Pacific/Auckland' }),
      ],
    ],
  },
}
