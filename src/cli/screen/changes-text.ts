/** Lays out the changes of a plan, and the plan and result of an undo, in the width of the terminal. */

import type { Change, ChangeKind } from '../../pipeline/report/changes.ts'
import {
  movedWords,
  squareMetres,
  withoutMidnights,
  type BoundaryChange,
  type Cell,
  type FieldChange,
} from '../../web/changes-table.ts'
import { hectares } from '../../web/paddock-table.ts'
import { count, painter, plain, type Terminal } from './terminal.ts'
import { cutTo, fit, widest, widthOf } from './text-width.ts'
import { identifierText } from '../../resources/resource-type.ts'
import type { NamedRecord, UndoPlan } from '../../pipeline/undo-run.ts'
import { undoKinds, type UndoKind } from '../../pipeline/undo-plan.ts'

/** How many changes of each kind are shown. */
export const shownChanges = 20

const shownFields = 8
const defaultWidth = 100

/** The changes as lines; unchanged records are only counted. */
export function changeLines(
  counts: Readonly<Record<ChangeKind, number>>,
  first: (kind: ChangeKind) => readonly Change[],
  terminal: Terminal,
): readonly string[] {
  const paint = painter(terminal)
  const sections = [
    ['created', 'to create'],
    ['updated', 'to update'],
    ['deleted', 'to delete'],
    ['kept', 'gone from the file, but kept in the service'],
  ] as const
  const shown = sections
    .filter(([kind]) => counts[kind] > 0)
    .map(([kind, words]) => ({ title: `${count(counts[kind])} ${words}`, total: counts[kind], changes: first(kind) }))
  const widths = widthsFor(
    shown.flatMap(({ changes }) => changes),
    terminal.out.columns ?? defaultWidth,
  )
  const lines = shown.flatMap(({ title, total, changes }) => [
    '',
    paint('bold', `  ${title}`),
    ...changes.flatMap((change) => linesOf(change, widths)).map((line) => line.trimEnd()),
    ...(total > changes.length ? [`    and ${count(total - changes.length)} more (see the page)`] : []),
  ])
  return counts.unchanged === 0 ? lines : [...lines, '', paint('bold', `  ${count(counts.unchanged)} unchanged`)]
}

type Widths = Readonly<Record<'id' | 'name' | 'field' | 'value', number>>

const indent = '    '
const gap = '  '

/** The columns are as wide as their longest text, up to a share of the width; the values take the rest. */
function widthsFor(changes: readonly Change[], whole: number): Widths {
  const room = whole - indent.length - 3 * gap.length
  const detailed = changes.filter(({ kind }) => kind === 'updated')
  const titles = detailed.flatMap((each) => fieldsOf(each).map(([title]) => title))
  const id = widest(changes.map(idOf), Math.floor(room / 5))
  const name = widest(detailed.map(nameOf), Math.floor(room / 4))
  const field = widest(titles, Math.floor(room / 4))
  return { id, name, field, value: Math.max(12, room - id - name - field) }
}

function linesOf(change: Change, { id, name, field, value }: Widths): readonly string[] {
  const fields = fieldsOf(change)
  if (fields.length === 0)
    return [`${indent}${fit(idOf(change), id)}${gap}${cutTo(nameOf(change), name + field + value + 2 * gap.length)}`]
  const shown = fields.length > shownFields + 1 ? fields.slice(0, shownFields) : fields
  const rows = shown.map(([title, words]) => `${fit(title, field)}${gap}${words(value)}`)
  if (shown.length < fields.length) rows.push(`and ${fields.length - shown.length} more fields`)
  const named = `${fit(idOf(change), id)}${gap}${fit(nameOf(change), name)}`
  const blank = ' '.repeat(id + gap.length + name)
  return rows.map((row, index) => `${indent}${index === 0 ? named : blank}${gap}${row}`)
}

function idOf(change: Change): string {
  return plain(change.id ?? '')
}

function nameOf(change: Change): string {
  return plain(('name' in change ? change.name : undefined) ?? '')
}

type Cells = readonly [title: string, words: (width: number) => string]

function fieldsOf(change: Change): readonly Cells[] {
  if (change.kind !== 'updated') return []
  const { fields, boundary } = change
  if (fields.length === 0 && boundary === undefined) return [['the same', () => 'sent again: not confirmed yet']]
  return [
    ...(boundary === undefined
      ? []
      : [['Boundary', (width: number) => cutTo(boundaryWords(boundary), width)] as const]),
    // The name of an entry needs no title of its own: "Crop 1 name" is "Crop 1".
    ...fields.map((each): Cells => [
      plain(each.field.replace(/^(.* \d+) name$/, '$1')),
      (width) => fieldWords(each, width),
    ]),
  ]
}

function fieldWords({ before, after }: FieldChange, width: number): string {
  const [was, is] = withoutMidnights(valueWords(before, 'blank'), valueWords(after, 'cleared'))
  const arrow = ' → '
  const room = width - arrow.length
  const half = Math.floor(room / 2)
  const ofFirst = Math.max(half, room - widthOf(is))
  const first = cutTo(was, ofFirst)
  return `${first}${arrow}${cutTo(is, Math.max(half, room - widthOf(first)))}`
}

function valueWords(value: Cell | undefined, without: string): string {
  if (value === undefined) return without
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return plain(`${value}`)
}

function boundaryWords(boundary: BoundaryChange): string {
  const { beforeM2, afterM2 } = boundary
  const inHectares = Math.max(beforeM2 ?? 0, afterM2 ?? 0) >= 10_000
  const area = (areaM2: number): string => (inHectares ? `${hectares(areaM2)} ha` : squareMetres(areaM2, count))
  if (beforeM2 === undefined) return afterM2 === undefined ? 'moved' : `blank → ${area(afterM2)}`
  if (afterM2 === undefined) return `${area(beforeM2)} → removed`
  return `${movedWords(boundary, count)} (${area(beforeM2)} → ${area(afterM2)})`
}

const titles: Readonly<Record<UndoKind, string>> = {
  'put-back': 'to put back as before the run',
  delete: 'to delete, because the run created them',
  restore: 'to restore, because the run deleted them',
  'as-before': 'already as they were before the run',
  'left-alone': 'left alone, because they are no longer as the run left them',
}

/** The plan as a table: the first records of each kind, in the width of the terminal. */
export function planLines(plan: UndoPlan, terminal: Terminal): readonly string[] {
  const paint = painter(terminal)
  const { counts, first } = plan
  const shown = undoKinds.filter((kind) => counts[kind] > 0)
  const listed = shown.filter((kind) => kind !== 'as-before')
  const widths = undoWidthsFor(
    listed.flatMap((kind) => first[kind]),
    terminal.out.columns ?? defaultWidth,
  )
  const [holding, ...others] = plan.holdings
  const of =
    holding === undefined ? '' : ` of ${others.length > 0 ? `${others.length + 1} holdings` : identifierText(holding)}`
  return [
    plain(`Undo of run ${plan.run}`),
    plain(`${plan.type}${of}`),
    ...(plan.continues === undefined ? [] : [plain(`continues the run ${plan.continues}, which was interrupted`)]),
    ...shown.flatMap((kind) => [
      '',
      paint('bold', `  ${count(counts[kind])} ${titles[kind]}`),
      ...(kind === 'as-before' ? [] : first[kind].map((each) => lineOf(each, widths))),
      ...(kind !== 'as-before' && counts[kind] > first[kind].length
        ? [`${indent}and ${count(counts[kind] - first[kind].length)} more`]
        : []),
    ]),
    '',
  ]
}

type UndoWidths = Readonly<Record<'id' | 'name' | 'reason', number>>

function undoWidthsFor(records: readonly NamedRecord[], whole: number): UndoWidths {
  const room = whole - indent.length - 2 * gap.length
  const [ids, names] = [records.map((each) => plain(each.id)), records.map((each) => plain(each.name ?? ''))]
  const [id, name] = [widest(ids, Math.floor(room / 4)), widest(names, Math.floor(room / 3))]
  return { id, name, reason: room - id - name }
}

function lineOf({ id, name = '', reason = '' }: NamedRecord, widths: UndoWidths): string {
  return `${indent}${fit(plain(id), widths.id)}${gap}${fit(plain(name), widths.name)}${gap}${cutTo(plain(reason), widths.reason)}`.trimEnd()
}
