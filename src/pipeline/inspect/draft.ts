/** Writes a first pipeline file from a suggestion, with the evidence in comments. */

import { WindrowError } from '../../core/error.ts'
import { isWebAddress, withoutSecrets } from '../../core/sources/web-address.ts'
import type { TableProfile } from '../../core/profile/profile-table.ts'
import type { Problem } from '../../core/problem.ts'
import { isObject } from '../../core/values/exact-json.ts'
import { isBlank, valueText, type Choice, type Row, type Value } from '../../core/row.ts'
import { compileMapping, type MappingSpec } from '../../mapping/compile.ts'
import { choiceOf, columnsTaken, fieldChoices, recordOf } from '../../mapping/choice.ts'
import { whereColumnsAre } from '../../mapping/suggest-key.ts'
import type { Suggestion } from '../../mapping/suggest.ts'
import { dataPointKey } from '../../resources/keys.ts'
import type { Identifier } from '../../resources/resource-type.ts'
import { holdingDoubt, holdingToFillIn } from '../definition/holding-text.ts'
import { deletedRows } from './decisions.ts'
import { otherText, yamlComment, yamlInline } from './yaml-text.ts'

/** What a pipeline is drafted from. `file` is written as given, relative to the pipeline's folder. */
export type Draft = {
  readonly file: string
  readonly allowsPrivate?: boolean
  readonly layer?: string
  /** The folder of grids, relative to the pipeline's folder. */
  readonly grids?: string
  readonly crs?: { readonly code: string; readonly evidence: string }
  /** The file's name for a coordinate system that it describes without a code. */
  readonly crsDescribed?: string
  /** A likely coordinate system and a hint, if the system is unknown. */
  readonly crsMissing?: { readonly candidate: string; readonly hint: string }
  readonly choices: readonly Choice[]
  /** The reader's findings about the whole file. */
  readonly found?: readonly Problem[]
  readonly profile: TableProfile
  readonly suggestion: Suggestion
  readonly holding: Identifier
  readonly zone: string
}

/** The schema for editors, relative to the pipeline's folder; init writes it there. */
export const schemaPath = '.windrow/pipeline.schema.json'
const schemaComment = `# yaml-language-server: $schema=${schemaPath}`

type Line = { readonly text: string; readonly comment: string | undefined }

function line(text: string, comment?: string): Line {
  return { text, comment }
}

const commentColumn = 36
const longestCell = 200

/** Writes the pipeline file. Throws `key-missing` if no column of the table can be the key. */
export function draftPipeline(draft: Draft): string {
  const { suggestion, profile, holding } = draft
  const key = choiceOf(suggestion.choices, 'key')
  if (key?.value === undefined)
    throw new WindrowError('key-missing', key?.evidence ?? 'There is no key.', {
      hint:
        profile.columns.length === 0
          ? whereColumnsAre(profile)
          : 'Name the column that is different in every row with --key, or number the rows in the program that made the file.',
    })
  const ofHolding = choiceOf(suggestion.choices, 'holding')
  const name = isWebAddress(draft.file) ? withoutSecrets(draft.file) : draft.file
  const rows = `${profile.rows} ${profile.rows === 1 ? 'row' : 'rows'}`
  const unused = suggestion.unused.slice(0, 20).map((each) => `<${each}>`)
  const lines: readonly Line[] = [
    line(schemaComment),
    line(yamlComment(`${suggestion.type.title} records from "${name}", ${rows} when this was written`)),
    ...doubts(draft).map((note) => line(yamlComment(note))),
    line('windrow: 1'),
    line(`import: ${suggestion.type.plural}`),
    line('from:'),
    ...fromLines(draft),
    ...columnLines(profile),
    ...onlyLines(suggestion),
    line(`holding: ${yamlInline(holdingOf(draft))}`, ofHolding && commentOf(ofHolding)),
    line(`key: ${yamlInline(key.value)}`, commentOf(key)),
    ...zoneLines(draft),
    ...recordLines(suggestion),
    ...(unused.length === 0 ? [] : [line(`  ${yamlComment(`not used: ${unused.join(' ')}`)}`)]),
    ...(Object.keys(profile.shapes).length === 0 ? [] : [line('geometry: { multipart: keep, repair: up to 1 % }')]),
    line('rules: { rejected: stop above 5 %, fewer-rows: stop above 20 % }'),
    ...exampleLines(draft, holding),
  ]
  return `${lines.map(spell).join('\n')}\n`
}

/** What a person should check first. */
function doubts(draft: Draft): readonly string[] {
  const { suggestion, profile, found = [] } = draft
  const wrong = found.filter(({ severity }) => severity !== 'note')
  const ofHolding = holdingDoubt(suggestion.choices, profile, holdingOf(draft))
  return [
    ...suggestion.notes,
    ...(ofHolding === undefined ? [] : [`please check: ${ofHolding}`]),
    ...wrong.map(({ message }) => `please check: ${message}`),
  ]
}

function spell({ text, comment }: Line): string {
  return comment === undefined ? text : `${text.padEnd(commentColumn - 1)} ${yamlComment(comment)}`
}

function commentOf({ evidence, others: [next], certainty }: Choice): string {
  const other = next === undefined ? '' : `; runner-up ${otherText(next)}`
  return `${certainty === 'sure' ? '' : 'please check: '}${evidence.replace(/\.$/, '')}${other}`
}

function fromLines(draft: Draft): readonly Line[] {
  const { file, allowsPrivate, layer, crs, crsDescribed, crsMissing, grids, choices, suggestion } = draft
  const decimal = choiceOf(suggestion.choices, 'from.decimal')
  const decided = choices.filter(({ setting }) => setting !== 'from.decimal' || decimal === undefined)
  const lines = [
    line(`  file: ${yamlInline(file)}`),
    allowsPrivate === true && isWebAddress(file) ? line('  private addresses: allow') : undefined,
    layer === undefined ? undefined : line(`  layer: ${yamlInline(layer)}`),
    crs && line(`  crs: ${yamlInline(crs.code)}`, crs.evidence),
    crsDescribed === undefined ? undefined : line(`  ${yamlComment(`crs: ${crsDescribed}`)}`),
    crsMissing && line(`  # crs: ${crsMissing.candidate}`, `please fill in: ${crsMissing.hint}`),
    grids === undefined ? undefined : line(`  grids: ${yamlInline(grids)}`),
    ...[...decided, ...(decimal === undefined ? [] : [decimal])].map((each) => {
      const name = each.setting.slice('from.'.length)
      if (each.value !== undefined) return line(`  ${name}: ${yamlInline(each.value)}`, commentOf(each))
      const ways = each.others.map(({ value }) => yamlInline(value))
      return line(`  # ${name}: ${ways[0]}`, `please fill in: ${ways.join(' or ')}; ${each.evidence}`)
    }),
  ]
  return lines.filter((each) => each !== undefined)
}

function columnLines({ columns, shapes }: TableProfile): readonly Line[] {
  const names = columns.map(({ name }) => name).filter((name) => name !== '')
  // A file without geometry usually arrives again and again, so its columns are written down; geometry files usually come once.
  if (Object.keys(shapes).length > 0 || names.length === 0 || names.length > 40) return []
  return [line(`columns: { expect: ${yamlInline(names)}, new: warn, missing: stop }`)]
}

function onlyLines({ exported }: Suggestion): readonly Line[] {
  const only = exported?.only ?? {}
  return Object.keys(only).length === 0 ? [] : [line(`only: ${yamlInline(only)}`, `other rows: ${deletedRows}`)]
}

/** The column if it names several farms, else the one farm. */
function holdingOf({ suggestion, holding, profile }: Draft): Identifier {
  const value = choiceOf(suggestion.choices, 'holding')?.value
  if (isObject(value)) return value as Identifier
  const column = profile.columns.find(({ name }) => columnsTaken(value).includes(name))
  const isMany = column !== undefined && column.distinct > 1
  return isMany ? { scheme: holding.scheme, id: `<${column.name}>` } : holding
}

function zoneLines({ suggestion, zone }: Draft): readonly Line[] {
  const isNeeded = fieldChoices(suggestion.choices).some(
    ({ value }) => isObject(value) && 'date' in value && !('zone' in value),
  )
  return isNeeded ? [line(`zone: ${yamlInline(zone)}`, 'for all dates without a time zone')] : []
}

function recordLines({ choices, type }: Suggestion): readonly Line[] {
  const lines: Line[] =
    fieldChoices(choices).length > 0
      ? [line('record:')]
      : [
          line('record:', `please fill in: no column looks like a field of ${type.plural}. For example:`),
          line('  # name: <COLUMN>'),
          line('  # totalArea: { from: COLUMN, unit: ha }'),
        ]
  const ofRecord = choices.filter(({ setting }) => setting.startsWith('record.'))
  const groups = Map.groupBy(ofRecord, ({ setting }) => setting.split('.')[1])
  let open = ''
  for (const choice of [...groups.values()].flat()) {
    const { lines: made, top } = fieldLines(choice, open)
    if (choice.certainty === 'ask')
      lines.push(...made.map(({ text }) => line(text.replace(/^ */, '$&# '), toChoose(choice))))
    else {
      lines.push(...made)
      open = top
    }
  }
  return lines
}

/** The lines of one field; `open` is the group that the previous line belongs to. */
function fieldLines(choice: Choice, open: string) {
  const [, top = '', ...rest] = choice.setting.split('.')
  const value = yamlInline(choice.value ?? choice.others[0]?.value)
  const comment = commentOf(choice)
  if (rest.length === 0) return { lines: [line(`  ${top}: ${value}`, comment)], top }
  if (rest.length === 1 && rest[0] === '0') return { lines: [line(`  ${top}: [${value}]`, comment)], top }
  const inList = rest[0] === '0'
  const indent = inList && open !== top ? '    - ' : inList ? '      ' : '    '
  const header = open === top ? [] : [line(`  ${top}:`)]
  return { lines: [...header, line(`${indent}${rest.at(-1)}: ${value}`, comment)], top }
}

/** The comment beside a date line whose pattern a person must choose. */
function toChoose({ others, evidence }: Choice): string {
  const patterns = others.map(({ value }) => valueText((value as { readonly date?: Value }).date))
  return `please choose ${patterns.join(' or ')} (${evidence}), then remove the # in front`
}

/** One real row with its record as an example; none if the row is wrong or too long to read. */
function exampleLines(draft: Draft, holding: Identifier): readonly Line[] {
  const { profile, suggestion, zone } = draft
  const { sample } = profile
  const { choices } = suggestion
  const key = choiceOf(choices, 'key')?.value
  if (sample === undefined || key === undefined || fieldChoices(choices).length === 0) return []
  const spec: MappingSpec = {
    type: suggestion.type,
    holding: holdingOf(draft),
    key,
    record: recordOf(choices),
    zone,
    decimal: choiceOf(choices, 'from.decimal')?.value as MappingSpec['decimal'],
  }
  const mapping = compileMapping(spec)
  const row = exampleRow(sample, mapping.columns)
  if (row === undefined) return []
  const mapped = mapping.apply({ at: sample.at, values: row })
  if (mapped.problems.length > 0 || mapped.sourceId === undefined) return []
  const identity = { type: suggestion.type, holding: mapped.holding ?? holding, sourceId: mapped.sourceId }
  const { scheme, id } = identity.holding
  // A key with the placeholder would be wrong as soon as the farm is filled in.
  const isFilledIn = scheme !== holdingToFillIn.scheme && id !== holdingToFillIn.id
  const gives = { ...(isFilledIn ? { dataPointKey: dataPointKey(identity) } : {}), ...mapped.record }
  return [line('examples:'), line(`  - row: ${yamlInline(row)}`), line(`    gives: ${yamlInline(gives)}`)]
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
