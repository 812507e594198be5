/** Checks what a schema cannot check in a pipeline file: amounts, zones, days, units, and the mapping. */

import { isObject } from '../../core/values/exact-json.ts'
import { compileDatePattern } from '../../core/values/date-pattern.ts'
import { decimalOf } from '../../core/values/locale.ts'
import { WindrowError } from '../../core/error.ts'
import { isS3Address, isWebAddress, parseWebAddress } from '../../core/sources/web-address.ts'
import { identifyCrs } from '../../geometry/crs/crs.ts'
import { checkMapping } from '../../mapping/compile.ts'
import { isLeafMap } from '../../mapping/leaf-map.ts'
import { findZone } from '../../mapping/zones.ts'
import { findResourceType } from '../../resources/index.ts'
import { chosenRates, chosenUnit } from '../../resources/units.ts'
import { pointerPart } from '../../resources/wording.ts'
import type { Value } from '../../core/row.ts'
import { readRuling } from '../../core/rule.ts'
import { groupIn } from '../../resources/groups.ts'
import { findRule } from '../../rules/index.ts'
import { readers } from './amounts.ts'
import type { Findings } from './pipeline-mistakes.ts'
import { faultOfDay, placeholders, placeholdersFor } from './period.ts'
import { holdingToFillIn, readHolding } from './holding-text.ts'
import { checkSchedule } from './schedule-keys.ts'
import { settingIn } from './settings.ts'
import { escapeFault, type Group } from './yaml-source.ts'

/** Adds findings for values that match the schema but make no sense. Values that do not match it are already reported. */
export function checkMeaning(kind: 'import' | 'export', raw: Group, findings: Findings): void {
  checkAmounts(raw, findings)
  checkRules(raw, findings)
  checkPaths(raw, findings)
  for (const pointer of ['/zone', '/schedule/zone']) checkZone(pointer, textAt(raw, pointer), findings)
  checkSchedule(raw, findings)
  if (kind === 'import') checkImport(raw, findings)
  else checkExport(raw, findings)
}

function checkAmounts(raw: Group, findings: Findings): void {
  for (const [pointer, read] of Object.entries(readers)) {
    const written = valueAt(raw, pointer)
    if (typeof written !== 'string' && typeof written !== 'number') continue
    const fault = read(String(written))
    if (typeof fault === 'string') findings.add(pointer, { message: fault })
  }
}

/** Only what the schema knows: a misspelt rule is reported by that. */
function checkRules(raw: Group, findings: Findings): void {
  for (const [id, written] of Object.entries(groupIn(raw, 'rules'))) {
    const rule = findRule(id)
    const ruling = rule && typeof written === 'string' ? readRuling(rule, written) : undefined
    if (typeof ruling === 'string') findings.add(`/rules/${pointerPart(id)}`, { message: ruling })
  }
}

/** What is left of C:\new, ..\new or \\server\new when \n is a line break, as \L and \P are others. */
const escapedPath = /^(?:[a-z]:|\.{1,2}|\\[^\\]*)[\p{Cc}\p{Zl}\p{Zp}]/iu

function checkPaths(raw: Group, findings: Findings): void {
  for (const pointer of ['/from/file', '/from/folder', '/from/grids', '/to/file'])
    if (escapedPath.test(textAt(raw, pointer) ?? '')) findings.add(pointer, escapeFault)
}

/** Reports a name that no time zone has. */
export function checkZone(pointer: string, name: string | undefined, findings: Findings): void {
  if (name === undefined || findZone(name) !== undefined) return
  const hint = 'Write it like Pacific/Auckland or Europe/London.'
  findings.add(pointer, { message: `"${name}" is not a time zone.`, hint })
}

function checkAddress(raw: Group, findings: Findings): void {
  const { file } = groupAt(raw, '/from') ?? {}
  const inside = valueAt(raw, '/from/private addresses')
  if (typeof file !== 'string') return
  if (isWebAddress(file)) {
    const isAddress = passes('/from/file', () => parseWebAddress(file), findings)
    if (isAddress && /^http:/i.test(file) && inside !== 'allow')
      findings.add('/from/file', {
        message: 'The address is plain http: anybody on the way can read and change the file.',
        hint: 'Use https. In a network of your own, add  private addresses: allow.',
      })
  } else if (inside !== undefined)
    findings.add('/from/private addresses', { message: 'This option is only for web addresses.' })
}

/** Adds what the check throws; true if it throws nothing. */
function passes(pointer: string, check: () => void, findings: Findings): boolean {
  try {
    check()
    return true
  } catch (cause) {
    if (!(cause instanceof WindrowError)) throw cause
    findings.add(pointer, cause)
    return false
  }
}

const folderKeys = ['pattern', 'take', 'then', 'empty'] as const

/** A run reads a file, or files that arrive in a folder. */
function checkFolder(raw: Group, findings: Findings): void {
  const from = groupAt(raw, '/from')
  if (from === undefined) return
  const { file, folder, pattern } = from
  if (file === undefined && folder === undefined)
    findings.add('/from', {
      message: 'from.file is missing.',
      hint: 'Write from: { file: paddocks.csv }, or from: { folder: inbox, pattern: "paddocks-*.csv" }.',
      what: 'name',
    })
  if (folder === undefined) {
    for (const key of folderKeys)
      if (from[key] !== undefined)
        findings.add(`/from/${key}`, { message: `"${key}" is only for a folder where files arrive (folder: inbox).` })
    return
  }
  if (file !== undefined)
    findings.add('/from/folder', { message: '"folder" cannot be combined with "file".', hint: 'Keep one of the two.' })
  if (typeof folder === 'string' && isWebAddress(folder))
    findings.add('/from/folder', { message: 'A web address has no folder to look into.' })
  if (typeof pattern !== 'string') return
  if (/[\\/]/.test(pattern))
    findings.add('/from/pattern', { message: 'A pattern is for file names only; subfolders are not searched.' })
  if (/\.(?:shp|dbf|shx)$/i.test(pattern))
    findings.add('/from/pattern', {
      message: 'A shapefile is several files, which cannot be taken one by one.',
      hint: 'Let it arrive as a zip, and write *.zip here.',
    })
}

function checkImport(raw: Group, findings: Findings): void {
  checkAddress(raw, findings)
  checkFolder(raw, findings)
  const type = findResourceType(typeof raw['import'] === 'string' ? raw['import'] : '')
  const record = raw['record']
  const said = raw['holding']
  const holding: Group = typeof said === 'string' ? readHolding(said) : (groupAt(raw, '/holding') ?? {})
  if (typeof said === 'string' && holding['id'] === '')
    findings.add('/holding', {
      message: `"${said}" is not SCHEME:ID.`,
      hint: 'Write  holding: nz.example.farm-number:00412876',
    })
  const { scheme, id } = holding
  if (type === undefined || !isObject(record)) return
  if (raw['key'] === undefined && raw['import'] !== 'holdings')
    findings.add('', {
      message: 'There is no key, so windrow could not recognise these records next time.',
      hint: 'Name the column that is different in every row: key: <COLUMN>',
    })
  for (const part of ['scheme', 'id'] as const)
    if (holding[part] === holdingToFillIn[part])
      findings.add(`/holding/${part}`, {
        message: `Which farm? "${holdingToFillIn[part]}" is the placeholder that init wrote.`,
        hint: 'Write its scheme and id, for example holding: { scheme: nz.example.farm-number, id: "00412876" }',
      })
  checkPartsApart(raw, record, findings)
  checkWords(record, '/record', findings)
  const crs = textAt(raw, '/from/crs')
  if (crs !== undefined) passes('/from/crs', () => identifyCrs({ from: 'option', text: crs }), findings)
  const dates = textAt(raw, '/dates')
  const pattern = dates === undefined ? undefined : compileDatePattern(dates)
  if (typeof pattern === 'string')
    findings.add('/dates', { message: pattern, hint: 'Use a pattern such as d/M/yyyy, M/d/yyyy or yyyy-MM-dd.' })
  const decimal = valueAt(raw, '/from/decimal')
  const key = raw['key'] ?? (raw['import'] === 'holdings' ? id : undefined)
  const isKey = isWord(key) || (typeof key === 'object' && key !== null)
  // A holding of the wrong form is already reported; the rest of the mapping is checked anyway.
  const faults = checkMapping({
    type,
    holding: isWord(scheme) && isWord(id) ? { scheme, id } : { scheme: 'unsaid', id: 'unsaid' },
    record: record as Readonly<Record<string, Value>>,
    ...(isKey ? { key: key as Value } : {}),
    ...(decimal === 'comma' || decimal === 'point' ? { decimal } : {}),
    ...(typeof raw['zone'] === 'string' && findZone(raw['zone']) !== undefined ? { zone: raw['zone'] } : {}),
    ...(typeof pattern === 'object' ? { dates: pattern.pattern } : {}),
  })
  for (const { path, ...said } of faults)
    findings.add(path === '/key' && raw['key'] === undefined ? '/holding/id' : path, said)
}

/** Reports words without a meaning, as init writes them; "" is the meaning of a word for nothing. */
function checkWords(node: unknown, pointer: string, findings: Findings): void {
  if (typeof node !== 'object' || node === null) return
  for (const [name, inner] of Object.entries(node)) {
    const at = `${pointer}/${pointerPart(name)}`
    if (name !== 'words' || typeof inner !== 'object' || inner === null || !isLeafMap(node)) {
      checkWords(inner, at, findings)
      continue
    }
    const empty = Object.entries(inner).flatMap(([word, meaning]) => (meaning === null ? [word] : []))
    if (empty.length === 0) continue
    findings.add(at, {
      message: `What ${empty.length === 1 ? 'does this word' : 'do these words'} mean: ${empty.join(', ')}?`,
      hint: `Write the meaning behind the colon, such as ${empty[0]}: Ryegrass, or ${empty[0]}: "" for nothing.`,
    })
  }
}

/** A value of the whole row, such as its area, is wrong for each part of its boundary. */
function checkPartsApart(raw: Group, record: Group, findings: Findings): void {
  if (valueAt(raw, '/geometry/multipart') !== 'explode') return
  const pointer = '/geometry/multipart'
  if (raw['import'] === 'holdings')
    findings.add(pointer, {
      message: 'A farm is one record, however many parts its boundary has.',
      hint: 'Write  multipart: keep  here. Only paddocks can be split into parts.',
    })
  if (raw['rows'] === 'group')
    findings.add(pointer, {
      message: 'Rows cannot be grouped (rows: group) and split into parts (multipart: explode) at the same time.',
      hint: 'Remove one of the two.',
    })
  for (const field of ['totalArea', 'totalLength'])
    if (record[field] !== undefined && record[field] !== 'measured')
      findings.add(`/record/${field}`, {
        message: 'This value is for the whole row; each part of its boundary would get all of it.',
        hint: `Write  ${field}: measured,  or remove it, or keep the parts together (multipart: keep).`,
      })
}

function isWord(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
}

function checkExport(raw: Group, findings: Findings): void {
  for (const kind of ['area', 'length'] as const) {
    const unit = textAt(raw, `/units/${kind}`)
    if (unit !== undefined) passes(`/units/${kind}`, () => chosenUnit(unit, kind), findings)
  }
  const rate = textAt(raw, '/units/rate')
  if (rate !== undefined) passes('/units/rate', () => chosenRates(rate), findings)
  for (const name of ['day', 'from', 'until', 'modified since'] as const) {
    const written = textAt(raw, `/only/${name}`)
    const fault = written === undefined ? undefined : faultOfDay(written, true)
    if (fault !== undefined) findings.add(`/only/${name}`, { message: fault })
  }
  const only = groupAt(raw, '/only') ?? {}
  const type = findResourceType(String(raw['export']))
  for (const name of Object.keys(only)) {
    const fault = type && faultOfFilter(name, type.plural)
    if (fault !== undefined) findings.add(`/only/${name}`, { message: `"${name}" ${fault}`, what: 'name' })
  }
  const { day, from, until, changed, box } = only
  if (Array.isArray(box) && !box.every((each) => Number.isFinite(Number(each))))
    findings.add('/only/box', {
      message: 'The box has something that is no number.',
      hint: 'Write west, south, east and north in degrees: box: [175.2, -37.9, 175.4, -37.7]',
    })
  if (changed !== undefined && Object.keys(only).length > 1)
    findings.add('/only/changed', {
      message: '"changed" cannot be combined with other filters: a deleted record no longer shows what it was.',
    })
  if (day !== undefined && (from !== undefined || until !== undefined))
    findings.add('/only/day', {
      message: '"day" cannot be combined with "from" or "until".',
      hint: 'Keep either "day", or "from" and "until".',
    })
  if (isPlainDay(from) && isPlainDay(until) && from > until)
    findings.add('/only/until', { message: `The last day (${until}) is before the first (${from}).` })
  const crs = textAt(raw, '/to/crs')
  if (crs !== undefined) passes('/to/crs', () => identifyCrs({ from: 'option', text: crs }), findings)
  const locale = textAt(raw, '/to/locale')
  if (locale !== undefined) passes('/to/locale', () => void decimalOf(locale), findings)
  const file = textAt(raw, '/to/file') ?? ''
  if (isS3Address(file)) passes('/to/file', () => parseWebAddress(file), findings)
  else if (isWebAddress(file))
    findings.add('/to/file', {
      message: 'windrow cannot write to a web address.',
      hint: 'Write a path, or an address such as s3://farms/a.csv.',
    })
  for (const [whole, name] of file.matchAll(/\{([^{}]*)\}/g))
    if (!(placeholders as readonly string[]).includes(name ?? ''))
      findings.add('/to/file', {
        message: `"${whole}" is not a known placeholder.`,
        hint: `Known placeholders: ${placeholders.map((each) => `{${each}}`).join(', ')}.`,
      })
  const named = placeholders.filter((each) => file.includes(`{${each}}`))
  const needed = typeof day === 'string' ? placeholdersFor(day) : undefined
  if (needed !== undefined && named.length > 0 && !named.some((each) => needed.includes(each)))
    findings.add('/to/file', {
      message: `"${String(day)}" means other days again before {${named.join('} {')}} changes, so each file would replace the one before.`,
      hint: `Write {${needed.at(-1)!}} in the name, or no placeholder for one file that always has the last days.`,
    })
}

const dated = ['work-records', 'pasture-cover-events', 'load-receivals', 'sample-analyses', 'sample-plans']
const withChanges = ['plots', 'holdings', 'land-covers']
// The others are for all.
const typesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['plot', ['plots', 'land-covers', 'work-records', 'pasture-cover-events', 'sample-analyses', 'sample-plans']],
  ['operation', ['work-records']],
  ['product', ['work-records']],
  ['operator', ['work-records']],
  ['status', ['work-records']],
  ['day', dated],
  ['from', dated],
  ['until', dated],
  ['deleted', ['pasture-cover-events']],
  ['box', withChanges],
  ['changed', withChanges],
])

/** What is wrong with a filter for this type of record, to be said after its name; undefined if nothing is. */
function faultOfFilter(name: string, plural: string): string | undefined {
  const plurals = typesOf.get(name)
  if (plurals === undefined || plurals.includes(plural)) return undefined
  const words = plurals.map((each) => each.replaceAll('-', ' ')).join(', ')
  return `works for ${words} only, not for ${plural.replaceAll('-', ' ')}.`
}

/** A day in digits; the days of words are known only when the pipeline runs. */
function isPlainDay(written: unknown): written is string {
  return typeof written === 'string' && faultOfDay(written, false) === undefined
}

/** The text at a place; a missing one, an empty one or another value is reported elsewhere. */
function textAt(raw: Group, pointer: string): string | undefined {
  const value = valueAt(raw, pointer)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function groupAt(raw: Group, pointer: string): Group | undefined {
  const value = valueAt(raw, pointer)
  return isObject(value) ? value : undefined
}

function valueAt(raw: Group, pointer: string): unknown {
  return settingIn(raw, pointer.slice(1).replaceAll('/', '.'))
}
