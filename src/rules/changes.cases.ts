/** Cases of the rules about fields that change for any reason, or are blank. */

import type { Cases } from '../core/rule.ts'
import { unitCode } from '../resources/units.ts'
import type { ColumnFacts, NightFacts, ValueChange } from './changes.ts'

/** A field such as '/name 3 of 4: Top > Low; Hill > Ridge': so many of the known records change, and the first of them. */
export function column(text: string, more: Partial<ColumnFacts> = {}): ColumnFacts {
  const [, field = '', count, all, pairs = ''] = /^(\S+) (\d+) of (\d+)(?:: (.*))?$/.exec(text) ?? []
  const [changed, known] = [Number(count), Number(all)]
  const changes = pairs === '' ? [] : pairs.split('; ').map(changeOf)
  const farms = [{ start: '', known, changed, first: changes.slice(0, 3) }]
  const counted = { had: known, turnable: 0, changed, filled: 0, blank: 0, isKept: false, isMappingOther: false }
  return { field, known, changes, farms, ...counted, ...more }
}

function changeOf(pair: string, index: number): ValueChange {
  const [before, now] = pair.split(' > ').map(valueOf)
  return { before, now, row: index + 2, id: String(index + 1) }
}

/** A value such as 'Top', '3.5 ha', or 'at 175.3 -37.8' for a boundary. */
function valueOf(text: string): unknown {
  const [, lon, lat] = /^at (\S+) (\S+)$/.exec(text)?.map(Number) ?? []
  if (lon !== undefined && lat !== undefined)
    return { middle: [lon, lat], areaM2: 10_000, box: [lon - 0.0005, lat - 0.0005, lon + 0.0005, lat + 0.0005] }
  const [, amount, sign = ''] = /^([\d.]+) ?(\S+)$/.exec(text) ?? []
  const units = unitCode(sign)
  return units === undefined ? text : { measurement: Number(amount), units }
}

/** The rows of known records with a blank cell in a column, such as '8 of 10, 8 had a value'. */
function blank(text: string, isKept: boolean): ColumnFacts {
  const [count = 0, known = 0, lost = 0] = text.match(/\d+/g)!.map(Number)
  return column(`/crops/0/name 0 of ${known}`, { had: lost + known - count, blank: lost, isKept })
}

/** The records that change and the known ones of each farm of a file, such as '5 of 100, 3 of 4'. */
function farms(text: string): ColumnFacts {
  const counts = text.split(', ').map((farm, index) => {
    const [changed = 0, known = 0] = farm.split(' of ').map(Number)
    return { start: `plots/s/farm${index}/`, known, changed, first: [] }
  })
  return column('/name 0 of 104', { farms: counts })
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
    ],
    no: [
      ['blank but for three of ten', blank('7 of 10, 7 had a value', false)],
      ['two of two', blank('2 of 2, 2 had a value', false)],
      ['mostly blank before', blank('18 of 20, 4 had a value', false)],
      ['what is kept', blank('4 of 4, 3 had a value', true)],
    ],
  },
  'column-blank': {
    yes: [['all blank', blank('4 of 4, 3 had a value', true)]],
    no: [
      ['blank but for three of ten', blank('7 of 10, 7 had a value', true)],
      ['what is cleared', blank('4 of 4, 3 had a value', false)],
    ],
  },
}

const [lost, kept] = [false, true].map((isKept) => [blank('1 of 9, 1 had a value', isKept)])
const merged = 'Cells of "Crop" are merged over several rows.'
const nightCases: Cases<NightFacts> = {
  'cells-merged-clear': {
    yes: [['one value', { columns: lost!, elsewhere: [], merged }]],
    no: [
      ['values that are kept', { columns: kept!, elsewhere: [], merged }],
      ['no merged cells', { columns: lost!, elsewhere: [], merged: undefined }],
    ],
  },
}

export const changesCases: Cases<unknown> = { ...columnCases, ...nightCases }
