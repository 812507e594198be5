/** Cases of the rules about changes whose cause can be named. */

import type { Cases } from '../core/rule.ts'
import type { AreaFacts } from './change-causes.ts'
import { column } from './changes.cases.ts'
import type { ColumnFacts, NightFacts } from './changes.ts'

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

const columnCases: Cases<ColumnFacts> = {
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
    ],
  },
  'days-exchanged': {
    yes: [
      [
        'three that can be read both ways',
        all(`${sown}: 2026-04-03 > 2026-03-04; 2026-09-05 > 2026-05-09; 2026-11-02 > 2026-02-11`, { turnable: 3 }),
      ],
    ],
    no: [
      [
        'three of eight that were typed wrongly',
        column(`${sown} 3 of 8: 2026-04-03 > 2026-03-04; 2026-09-05 > 2026-05-09; 2026-11-02 > 2026-02-11`, {
          turnable: 8,
        }),
      ],
      ['two', all(`${sown}: 2026-04-03 > 2026-03-04; 2026-09-05 > 2026-05-09`)],
      ['other days', all(`${sown}: 2026-04-03 > 2026-04-09; 2026-09-05 > 2026-09-08; 2026-11-02 > 2026-11-20`)],
    ],
  },
  'land-moved': {
    yes: [
      [
        'by the way between two datums',
        all(
          '/spatialFeature: at 175.3 -37.8 > at 175.302 -37.8; at 175.31 -37.8 > at 175.312 -37.8; at 175.32 -37.8 > at 175.322 -37.8',
        ),
      ],
    ],
    no: [
      [
        'by a better survey',
        all(
          '/spatialFeature: at 175.3 -37.8 > at 175.30002 -37.8; at 175.31 -37.8 > at 175.31002 -37.8; at 175.32 -37.8 > at 175.32002 -37.8',
        ),
      ],
      [
        'each by another way',
        all(
          '/spatialFeature: at 175.3 -37.8 > at 175.302 -37.8; at 175.31 -37.8 > at 175.31 -37.802; at 175.32 -37.8 > at 175.323 -37.8',
        ),
      ],
      [
        'three of many',
        column(
          '/spatialFeature 3 of 9: at 175.3 -37.8 > at 175.302 -37.8; at 175.31 -37.8 > at 175.312 -37.8; at 175.32 -37.8 > at 175.322 -37.8',
        ),
      ],
    ],
  },
}

const night = (...columns: readonly ColumnFacts[]): NightFacts => ({ columns, elsewhere: [], merged: undefined })
/** The boundaries of each farm of a file that do not meet their former box, such as '5 of 5'. */
const elsewhere = (text: string): NightFacts => {
  const farms = text.split(', ')
  const counts = farms.map((farm, index) => {
    const [changed = 0, known = 0] = farm.split(' of ').map(Number)
    const start = farms.length === 1 ? '' : `plots/s/farm${index}/`
    return { start, known, changed, first: all('/spatialFeature: at 175.3 -37.8 > at 175.4 -37.8').changes }
  })
  return { columns: [], elsewhere: counts, merged: undefined }
}

const nightCases: Cases<NightFacts> = {
  'ids-moved': {
    yes: [
      [
        'names a row lower',
        night(all('/name: Front > New; Kānuka > Front; Woolshed > Kānuka; Top > Woolshed; Creek > Top')),
      ],
      [
        'names sorted alone',
        night(all('/name: Woolshed > Creek; Top > Front; Creek > Hill; Hill > Top; Front > Woolshed')),
      ],
      [
        'boundaries sorted alone',
        night(
          all(
            '/spatialFeature: at 175.1 -37.8 > at 175.2 -37.8; at 175.2 -37.8 > at 175.3 -37.8; at 175.3 -37.8 > at 175.1 -37.8',
          ),
        ),
      ],
      [
        'the name and boundary of one other record',
        night(
          all('/name: 10 > 11; 11 > 12'),
          all('/spatialFeature: at 175.1 -37.8 > at 175.2 -37.8; at 175.2 -37.8 > at 175.3 -37.8'),
        ),
      ],
      [
        'areas a row lower',
        night(all('/totalArea: 4.1 ha > 3.5 ha; 5.2 ha > 4.1 ha; 6.9 ha > 5.2 ha; 7.3 ha > 6.9 ha')),
      ],
      [
        'areas a row lower, in another unit',
        night(all('/totalArea: 4.1 ha > 35000 m²; 5.2 ha > 41000 m²; 6.9 ha > 52000 m²; 7.3 ha > 69000 m²')),
      ],
      [
        'dates sorted alone',
        night(
          all(
            `${sown}: 2026-03-03 > 2026-11-05; 2026-04-14 > 2026-11-02; 2026-11-02 > 2026-04-14; 2026-11-05 > 2026-03-03`,
          ),
        ),
      ],
    ],
    no: [
      ['two exchanged names', night(all('/name: Front > Kānuka; Kānuka > Front'))],
      ['other names', night(all('/name: Kānuka > Hill; Front > Gully; Top > Yard'))],
      ['names in other letters', night(all('/name: Kānuka > KANUKA; Front > FRONT; Top > TOP'))],
      [
        'small paddocks of few areas',
        night(all('/totalArea: 1 ha > 2 ha; 2 ha > 1 ha; 1 ha > 2 ha; 2 ha > 1 ha; 1 ha > 2 ha; 2 ha > 1 ha')),
      ],
      [
        'a plan that moves by a week',
        night(
          all(
            `${sown}: 2026-02-01 > 2026-02-08; 2026-02-08 > 2026-02-15; 2026-02-15 > 2026-02-22; 2026-02-22 > 2026-03-01`,
          ),
        ),
      ],
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

/** The area of a record, such as '1250 ha > 1.25 ha'. */
const area = (text: string): AreaFacts => {
  const [change] = all(`/totalArea: ${text}`).changes
  return { at: { source: 'a.csv', row: 2 }, before: change!.before, now: change!.now }
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

export const changeCausesCases: Cases<unknown> = { ...columnCases, ...nightCases, ...areaCases }
