/** Cases of the rules about what a file changes in known records. */

import type { Cases } from '../core/rule.ts'
import { unitCode } from '../resources/units.ts'
import type { AreaFacts, ColumnFacts, ValueChange } from './changes.ts'

/** A field such as '/name 3 of 4: Top > Low; Hill > Ridge': so many of the known records change, and the first of them. */
function column(text: string, more: Partial<ColumnFacts> = {}): ColumnFacts {
  const [, field = '', count, all, pairs = ''] = /^(\S+) (\d+) of (\d+)(?:: (.*))?$/.exec(text) ?? []
  const [changed, known] = [Number(count), Number(all)]
  const changes = pairs === '' ? [] : pairs.split('; ').map(changeOf)
  const farms = [{ start: '', known, changed, first: changes.slice(0, 3) }]
  const counted = { had: known, turnable: 0, changed, filled: 0, blank: 0, elsewhere: [] }
  return { field, known, changes, farms, ...counted, isKept: false, isMappingOther: false, merged: undefined, ...more }
}

function changeOf(pair: string, index: number): ValueChange {
  const [before, now] = pair.split(' > ').map(valueOf)
  return { before, now, row: index + 2, id: String(index + 1) }
}

/** A value such as 'Top', '3.5 ha', or 'at 175.3 -37.8' for a boundary. */
function valueOf(text: string): unknown {
  const [, lon, lat] = /^at (\S+) (\S+)$/.exec(text)?.map(Number) ?? []
  if (lon !== undefined && lat !== undefined)
    return { centroid: [lon, lat], areaM2: 10_000, bbox: [lon - 0.0005, lat - 0.0005, lon + 0.0005, lat + 0.0005] }
  const [, amount, sign = ''] = /^([\d.]+) ?(\S+)$/.exec(text) ?? []
  const units = unitCode(sign)
  return units === undefined ? text : { measurement: Number(amount), units }
}

/** The rows of known records with a blank cell in a column, such as '8 of 10, 8 had a value'. */
function blank(text: string, isKept: boolean, merged?: string): ColumnFacts {
  const [count = 0, known = 0, lost = 0] = text.match(/\d+/g)!.map(Number)
  return column(`/crops/0/name 0 of ${known}`, { had: lost + known - count, blank: lost, isKept, merged })
}

/** The records that change and the known ones of each farm of a file, such as '5 of 100, 3 of 4'. */
function farms(text: string): ColumnFacts {
  const counts = text.split(', ').map((farm, index) => {
    const [changed = 0, known = 0] = farm.split(' of ').map(Number)
    return { start: `plots/s/farm${index}/`, known, changed, first: [] }
  })
  return column('/name 0 of 104', { farms: counts })
}

const merged = 'Cells of "Crop" are merged over several rows.'

/** A field of a farm of which all known records change, such as '/totalArea: 3.5 ha > 35000 ha; 4 ha > 40000 ha'. */
function all(text: string, more: Partial<ColumnFacts> = {}): ColumnFacts {
  const count = text.split('; ').length
  return column(text.replace(':', ` ${count} of ${count}:`), more)
}

const sown = '/crops/0/establishmentDate'
const planned = (text: string): ColumnFacts => {
  const column = all(text)
  return { ...column, changes: column.changes.map((change) => ({ ...change, isPlanned: true })) }
}

/** The boundaries of each farm of a file that do not meet their former box, such as '5 of 5'. */
const elsewhere = (text: string): ColumnFacts => {
  const farms = text.split(', ')
  const counts = farms.map((farm, index) => {
    const [changed = 0, known = 0] = farm.split(' of ').map(Number)
    const start = farms.length === 1 ? '' : `plots/s/farm${index}/`
    return { start, known, changed, first: all('/spatialFeature: at 175.3 -37.8 > at 175.4 -37.8').changes }
  })
  return column('/spatialFeature 0 of 0', { elsewhere: counts })
}

const columnCases: Cases<ColumnFacts> = {
  'values-changed': {
    yes: [
      ['a farm of 4 with three edits', column('/name 3 of 4: Top > Low; Creek > Flat; Hill > Ridge')],
      ['six of 25', column('/name 6 of 25: Top > Low')],
      ['the areas of a second survey', column('/totalArea 3 of 3: 3.5 ha > 3.6 ha; 4 ha > 4.3 ha')],
      ['another mapping', column('/name 4 of 4: Top > 001; Low > 002', { isMappingOther: true })],
      ['boundaries that were rounded', column('/spatialFeature 11 of 20: at 175.30012 -37.8 > at 175.3 -37.8')],
      ['one of two farms', farms('5 of 100, 3 of 4')],
      ['both of two farms', farms('30 of 100, 3 of 4')],
    ],
    no: [
      ['a farm of 4 with one edit', column('/name 1 of 4: Top > Terrace')],
      ['a farm of 3 with two edits', column('/name 2 of 3: Top > Terrace')],
      ['half of 24', column('/name 12 of 24: Top > Low')],
      ['a fifth of 25', column('/name 5 of 25: Top > Low')],
      ['a few of each of two farms', farms('20 of 100, 2 of 4')],
      ['crops that were sown again', column('/crops 4 of 4: Kale of 2026-03-04 > Barley of 2027-03-04')],
    ],
  },
  'crops-resown': {
    yes: [['a spring of re-sowing', column('/crops 4 of 4: Kale of 2026-03-04 > Barley of 2027-03-04')]],
    no: [
      ['a crop of four', column('/crops 1 of 4: Kale of 2026-03-04 > Barley of 2027-03-04')],
      ['other names', column('/name 4 of 4: Top > Low')],
    ],
  },
  'column-cleared': {
    yes: [
      ['all blank', blank('4 of 4, 3 had a value', false)],
      ['blank but for two of ten', blank('8 of 10, 8 had a value', false)],
      ['all blank, and a fifth had a value', blank('20 of 20, 4 had a value', false)],
      ['one of nine in merged cells', blank('1 of 9, 1 had a value', false, merged)],
    ],
    no: [
      ['blank but for three of ten', blank('7 of 10, 7 had a value', false)],
      ['two of two', blank('2 of 2, 2 had a value', false)],
      ['mostly blank before', blank('18 of 20, 4 had a value', false)],
      ['what is kept', blank('4 of 4, 3 had a value', true)],
      ['what is kept in merged cells', blank('1 of 9, 1 had a value', true, merged)],
      ['merged cells, and nothing is lost', blank('1 of 9, 0 had a value', false, merged)],
    ],
  },
  'column-blank': {
    yes: [['all blank', blank('4 of 4, 3 had a value', true)]],
    no: [
      ['blank but for three of ten', blank('7 of 10, 7 had a value', true)],
      ['what is cleared', blank('4 of 4, 3 had a value', false)],
    ],
  },
  'amounts-resized': {
    yes: [
      ['hectares became square metres', all('/totalArea: 1.25 ha > 12500 ha; 3.5 ha > 35000 ha; 40 ha > 400000 ha')],
      ['hectares became acres', all('/totalArea: 1.25 ha > 3.09 ha; 3.5 ha > 8.65 ha; 40 ha > 98.84 ha')],
      ['the decimal comma was lost', all('/totalArea: 4.52 ha > 452 ha; 7.31 ha > 731 ha; 3.08 ha > 308 ha')],
      ['a decimal separator that is one of thousands', all('/totalArea: 1.25 ha > 1250 ha; 3.125 ha > 3125 ha')],
      ['metres became kilometres', all('/totalLength: 1230 m > 1.23 m; 857 m > 0.86 m; 2004 m > 2 m')],
      ['metres became feet', all('/totalLength: 1230 m > 4035.43 m; 857 m > 2811.68 m; 640 m > 2099.74 m')],
      [
        'amounts of another field',
        all('/additionalProperties/cover: 1400 kg > 1.4 kg; 1623 kg > 1.62 kg; 980 kg > 0.98 kg'),
      ],
      ['the pipeline has another unit', all('/totalArea: 1.25 ha > 1.25 ac; 3.5 ha > 3.5 ac; 40 ha > 40 ac')],
    ],
    no: [
      ['one area by a thousand', all('/totalArea: 1250 ha > 1.25 ha')],
      [
        'three of many areas by ten, as people correct them',
        column('/totalArea 3 of 9: 12.5 ha > 1.25 ha; 35 ha > 3.5 ha; 40 ha > 4 ha'),
      ],
      [
        'most changed otherwise',
        all('/totalArea: 1 ha > 100 ha; 2 ha > 2.5 ha; 3 ha > 3.5 ha; 4 ha > 4.5 ha; 5 ha > 5.5 ha'),
      ],
      ['a second survey', all('/totalArea: 1.25 ha > 1.3 ha; 3.5 ha > 3.4 ha; 40 ha > 41 ha')],
    ],
  },
  'dates-moved': {
    yes: [
      ['by a day', all(`${sown}: 2026-03-03 > 2026-03-02; 2026-04-14 > 2026-04-13; 2026-09-20 > 2026-09-19`)],
      ['by 1462 days', all(`${sown}: 2020-01-01 > 2024-01-02; 2020-01-03 > 2024-01-04; 2020-02-01 > 2024-02-02`)],
      ['by a century', all(`${sown}: 2021-03-03 > 1921-03-03; 2021-03-09 > 1921-03-09; 2021-04-03 > 1921-04-03`)],
      [
        'by the hours of a zone',
        all(
          `${sown}: 2026-03-03T11:00:00Z > 2026-03-02T22:00:00Z; 2026-04-14T11:00:00Z > 2026-04-13T22:00:00Z; 2026-09-20T11:00:00Z > 2026-09-19T22:00:00Z`,
        ),
      ],
      [
        'plans by the hours of a zone',
        planned(
          `${sown}: 2026-03-03T11:00:00Z > 2026-03-02T22:00:00Z; 2026-04-14T11:00:00Z > 2026-04-13T22:00:00Z; 2026-09-20T11:00:00Z > 2026-09-19T22:00:00Z`,
        ),
      ],
      [
        'day and month of three that can be read both ways',
        all(`${sown}: 2026-04-03 > 2026-03-04; 2026-09-05 > 2026-05-09; 2026-11-02 > 2026-02-11`, { turnable: 3 }),
      ],
    ],
    no: [
      ['by a week', all(`${sown}: 2026-03-03 > 2026-03-10; 2026-04-14 > 2026-04-21; 2026-09-20 > 2026-09-27`)],
      [
        'one day that all have',
        all(`${sown}: 2026-03-03 > 2026-03-04; 2026-03-03 > 2026-03-04; 2026-03-03 > 2026-03-04`),
      ],
      [
        'three of many',
        column(`${sown} 3 of 9: 2026-03-03 > 2026-03-02; 2026-04-14 > 2026-04-13; 2026-09-20 > 2026-09-19`),
      ],
      [
        'a plan by a day, as when it rains',
        planned('/crops/0/harvestDate: 2027-02-03 > 2027-02-04; 2027-02-14 > 2027-02-15; 2027-03-01 > 2027-03-02'),
      ],
      ['names', all('/name: Top > Low; Creek > Hill; Flat > Ridge')],
      [
        'day and month of three of eight that were typed wrongly',
        column(`${sown} 3 of 8: 2026-04-03 > 2026-03-04; 2026-09-05 > 2026-05-09; 2026-11-02 > 2026-02-11`, {
          turnable: 8,
        }),
      ],
      ['day and month of two', all(`${sown}: 2026-04-03 > 2026-03-04; 2026-09-05 > 2026-05-09`)],
      ['other days', all(`${sown}: 2026-04-03 > 2026-04-09; 2026-09-05 > 2026-09-08; 2026-11-02 > 2026-11-20`)],
    ],
  },
  'other-land': {
    yes: [
      ['five of five', elsewhere('5 of 5')],
      ['the only one', elsewhere('1 of 1')],
      ['the rows of one of two farms', elsewhere('0 of 40, 3 of 4')],
    ],
    no: [
      ['half of six', elsewhere('3 of 6')],
      ['two of a farm of two among others', elsewhere('0 of 40, 2 of 2')],
    ],
  },
}

const nightCases: Cases<readonly ColumnFacts[]> = {
  'ids-moved': {
    yes: [
      [
        'names a row lower',
        [all('/name: Front > New; Kānuka > Front; Woolshed > Kānuka; Top > Woolshed; Creek > Top')],
      ],
      ['names sorted alone', [all('/name: Woolshed > Creek; Top > Front; Creek > Hill; Hill > Top; Front > Woolshed')]],
      [
        'boundaries sorted alone',
        [
          all(
            '/spatialFeature: at 175.1 -37.8 > at 175.2 -37.8; at 175.2 -37.8 > at 175.3 -37.8; at 175.3 -37.8 > at 175.1 -37.8',
          ),
        ],
      ],
      [
        'the name and boundary of one other record',
        [
          all('/name: 10 > 11; 11 > 12'),
          all('/spatialFeature: at 175.1 -37.8 > at 175.2 -37.8; at 175.2 -37.8 > at 175.3 -37.8'),
        ],
      ],
    ],
    no: [
      ['two exchanged names', [all('/name: Front > Kānuka; Kānuka > Front')]],
      ['other names', [all('/name: Kānuka > Hill; Front > Gully; Top > Yard')]],
      ['names in other letters', [all('/name: Kānuka > KANUKA; Front > FRONT; Top > TOP')]],
    ],
  },
}

/** The area of a record, such as '1250 ha > 1.25 ha'. */
const area = (text: string): AreaFacts => {
  const [change] = all(`/totalArea: ${text}`).changes
  return { at: { source: 'a.csv', row: 2 }, ...change! }
}

const areaCases: Cases<AreaFacts> = {
  'area-leap': {
    yes: [
      ['a thousandth', area('1250 ha > 1.25 ha')],
      ['ten times, in another unit', area('1.25 ha > 125000 m²')],
    ],
    no: [
      ['half', area('1.25 ha > 0.6 ha')],
      ['the same in another unit', area('1.25 ha > 12500 m²')],
    ],
  },
}

export const changesCases: Cases<unknown> = { ...columnCases, ...nightCases, ...areaCases }
