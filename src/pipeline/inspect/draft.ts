/** Writes a first pipeline file from what was decided, with the evidence in comments. */

import { relativePath } from '../../core/sources/relative-path.ts'
import { isWebAddress, withoutSecrets } from '../../core/sources/web-address.ts'
import { isBlank, valueText, type Choice, type Row, type Value } from '../../core/row.ts'
import { isObject } from '../../core/values/exact-json.ts'
import { compileMapping, type MappingSpec } from '../../mapping/compile.ts'
import { putAt, type Branch } from '../../mapping/tree.ts'
import { dataPointKey } from '../../resources/keys.ts'
import type { Identifier } from '../../resources/resource-type.ts'
import type { ImportFile } from '../definition/definition-schema.ts'
import { holdingToFillIn } from '../definition/holding-text.ts'
import type { Group } from '../definition/yaml-source.ts'
import type { Decided } from './decide.ts'
import { answerOf, refusalOf } from './one-off.ts'
import { otherText, yamlComment, yamlInline } from '../../core/values/yaml-text.ts'

/** The schema for editors, relative to the pipeline's folder; init writes it there. */
export const schemaPath = '.windrow/pipeline.schema.json'
const schemaComment = `# yaml-language-server: $schema=${schemaPath}`

type Line = { readonly text: string; readonly comment?: string | undefined }

const commentColumn = 36
const longestCell = 200
const usualRules = { rejected: 'stop above 5 %', 'fewer-rows': 'stop above 20 %' }
const order = ['import', 'from', 'columns', 'only', 'holding', 'key', 'zone', 'record']

/** The pipeline file in this folder. Throws `choices-missing` if it is open what the rows are, or where. */
export function draftFor(
  decided: Decided,
  {
    folder,
    fileName,
    hint,
  }: { readonly folder: string; readonly fileName: string; readonly hint?: string | undefined },
): string {
  const { missing, raw } = decided
  if (missing.some(({ setting }) => setting === 'import' || setting === 'from.layer'))
    throw refusalOf(missing, fileName, hint)!
  return draftPipeline({ ...decided, raw: { ...raw, from: relativeTo(folder, raw['from'] as ImportFile['from']) } })
}

/** The paths of a pipeline as they are from its folder. */
function relativeTo(folder: string, { file: path = '', grids, ...from }: Partial<ImportFile['from']>): Group {
  return {
    file: isWebAddress(path) ? path : relativePath(folder, path),
    ...from,
    ...(grids === undefined ? {} : { grids: relativePath(folder, grids) || '.' }),
  }
}

/** Writes the pipeline file. `file` and the paths in `raw` are relative to its folder. */
export function draftPipeline(decided: Omit<Decided, 'found' | 'missing' | 'isExport'>): string {
  const { raw, profile, table, type, choices, notes } = decided
  const { file } = raw['from'] as Group
  const name = isWebAddress(String(file)) ? withoutSecrets(String(file)) : String(file)
  const rows = `${profile.rows} ${profile.rows === 1 ? 'row' : 'rows'}`
  const wrong = table.found().filter(({ severity }) => severity !== 'note')
  const whole: Group = {
    holding: holdingToFillIn,
    ...raw,
    rules: { ...usualRules, ...(raw['rules'] as Group | undefined) },
  }
  const shown = withOpen(whole, choices)
  const isEmpty = Object.keys(shown['record'] as Group).length === 0
  const names = [...new Set([...order, ...Object.keys(shown)])].filter((each) => shown[each] !== undefined)
  const comments = [...notes, ...wrong.map(({ message }) => `please check: ${message}`)]
  const lines: readonly Line[] = [
    { text: schemaComment },
    { text: yamlComment(`${type.title} records from "${name}", ${rows} when this was written`) },
    ...comments.map((note) => ({ text: yamlComment(note) })),
    { text: 'windrow: 1' },
    ...names.flatMap((each) => [
      ...(each === 'record' && isEmpty
        ? emptyRecord(decided)
        : memberLines(each, shown[each], { setting: each, indent: '', choices })),
      ...(each === 'record' ? unusedLines(choices) : []),
    ]),
    ...exampleLines(decided, whole['holding'] as Identifier),
  ]
  return `${lines.map(spell).join('\n')}\n`
}

function spell({ text, comment }: Line): string {
  return comment === undefined || comment === '' ? text : `${text.padEnd(commentColumn - 1)} ${yamlComment(comment)}`
}

/** The pipeline with the proposals for what is still open, each at its place; their lines are commented out. */
function withOpen(raw: Group, choices: readonly Choice[]): Group {
  const shown = structuredClone(raw) as Record<string, unknown>
  for (const choice of choices) {
    if (choice.certainty !== 'ask' || choice.setting === 'dates') continue
    const path = choice.setting.split('.')
    const value = choice.value ?? choice.others[0]?.value ?? '<COLUMN>'
    if (path[0] === 'record') putAt(shown['record'] as Branch, path.slice(1), value)
    else if (path.length === 1) shown[path[0]!] ??= value
    else shown[path[0]!] = { ...(shown[path[0]!] as Group), [path[1]!]: value }
  }
  return shown
}

type At = { readonly setting: string; readonly indent: string; readonly choices: readonly Choice[] }

const blocks: ReadonlySet<string> = new Set(['from', 'record'])

/** The lines of one member: on one line, or its own members below it where they have evidence of their own. */
function memberLines(name: string, value: unknown, { setting, indent, choices }: At): readonly Line[] {
  const choice = choices.find((each) => each.setting === setting)
  const within = choices.filter((each) => each.setting.startsWith(`${setting}.`))
  const inList = Array.isArray(value) && isObject(value[0])
  const head = `${indent}${yamlInline(name)}:`
  const isBlock = blocks.has(setting) || (choice === undefined && within.length > 0 && (inList || isObject(value)))
  if (!isBlock || (Array.isArray(value) && !inList)) {
    const why = choice ?? within.find((each) => each.setting === `${setting}.0`)
    const text = `${head} ${yamlInline(value)}`
    return [{ text: isOpen(why) ? text.replace(/^ */, '$&# ') : text, comment: why && commentOf(why) }]
  }
  const group = (inList ? value[0] : value) as Group
  const inner = Object.entries(group).flatMap(([each, member]) =>
    memberLines(each, member, {
      setting: `${setting}.${inList ? '0.' : ''}${each}`,
      indent: `${indent}${inList ? '    ' : '  '}`,
      choices,
    }),
  )
  const listed = inList
    ? inner.map((line, at) => (at > 0 ? line : { ...line, text: line.text.replace(/^( *) {2}/, '$1- ') }))
    : inner
  const isEmpty = !blocks.has(setting) && within.every(isOpen)
  return [{ text: isEmpty ? head.replace(/^ */, '$&# ') : head }, ...listed]
}

/** True for what only a person can decide, unless the pipeline has a proposal that can be run. */
function isOpen(choice: Choice | undefined): boolean {
  return (
    choice?.certainty === 'ask' &&
    choice.setting !== 'holding' &&
    !(choice.setting === 'key' && choice.value !== undefined)
  )
}

function commentOf({ setting, evidence, question, value, others, certainty }: Choice): string {
  const why = evidence.replace(/\.$/, '')
  if (certainty === 'ask') {
    const all = [...(value === undefined || setting.startsWith('record.') ? [] : [{ value, evidence: why }]), ...others]
    const ways = all.map(
      (each) => `${answerOf(setting, each.value)}${each.evidence === '' ? '' : ` (${each.evidence})`}`,
    )
    const open = ways.length === 0 ? why : ways.join(' or ')
    const remove = setting.startsWith('record.') ? ', then remove the # in front' : ''
    return `please choose: ${setting.startsWith('record.') ? '' : `${question} `}${open}${remove}`
  }
  const [next] = others
  const other = next === undefined ? '' : `; runner-up ${otherText(next)}`
  return `${certainty === 'check' ? 'please check: ' : ''}${why}${other}`
}

/** A record without fields. One that has not even a boundary is left to fill in. */
function emptyRecord({ type, profile }: Pick<Decided, 'type' | 'profile'>): readonly Line[] {
  const hasShapes = Object.keys(profile.shapes).length > 0
  return [
    { text: hasShapes ? 'record: {}' : 'record:', comment: hasShapes ? 'only the boundary' : 'please fill in' },
    { text: `  ${yamlComment(`no column looks like a field of ${type.plural}. For example:`)}` },
    { text: '  # name: <COLUMN>' },
    { text: '  # totalArea: { from: COLUMN, unit: ha }' },
  ]
}

function unusedLines(choices: readonly Choice[]): readonly Line[] {
  const unused = choices.find(({ setting }) => setting === 'not used')
  if (unused === undefined) return []
  const names = valueText(unused.value).split(', ')
  return [{ text: `  ${yamlComment(`not used: ${names.map((each) => `<${each}>`).join(' ')}`)}` }]
}

/** One real row with its record as an example; none if the row is wrong or too long to read. */
function exampleLines(
  { profile, type, raw }: Pick<Decided, 'profile' | 'type' | 'raw'>,
  holding: Identifier,
): readonly Line[] {
  const { sample } = profile
  const { key, record, zone, from } = raw as {
    readonly key?: Value
    readonly record: MappingSpec['record']
    readonly zone?: string
    readonly from: Group
  }
  if (sample === undefined || key === undefined || Object.keys(record).length === 0) return []
  const decimal = from['decimal'] as MappingSpec['decimal']
  const mapping = compileMapping({ type, holding, key, record, zone, decimal })
  const row = exampleRow(sample, mapping.columns)
  if (row === undefined) return []
  const mapped = mapping.apply({ at: sample.at, values: row })
  if (mapped.problems.length > 0 || mapped.sourceId === undefined) return []
  const identity = { type, holding: mapped.holding ?? holding, sourceId: mapped.sourceId }
  const { scheme, id } = identity.holding
  // A key with the placeholder would be wrong as soon as the farm is filled in.
  const isFilledIn = scheme !== holdingToFillIn.scheme && id !== holdingToFillIn.id
  const gives = { ...(isFilledIn ? { dataPointKey: dataPointKey(identity) } : {}), ...mapped.record }
  return [{ text: 'examples:' }, { text: `  - row: ${yamlInline(row)}` }, { text: `    gives: ${yamlInline(gives)}` }]
}

function exampleRow({ values }: Row, columns: readonly string[]): Readonly<Record<string, Value>> | undefined {
  const cells = columns.flatMap((name): [string, Value][] => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return isBlank(value) ? [] : [[name, value]]
  })
  const isReadable = cells.every(
    ([name, value]) => typeof value !== 'object' && Math.max(name.length, String(value).length) <= longestCell,
  )
  return isReadable ? Object.fromEntries(cells) : undefined
}
