/** Formats the plan and the result of an undo for the terminal. */

import { identifierText } from '../../resources/resource-type.ts'
import type { Report } from '../../pipeline/report/report.ts'
import type { NamedRecord, UndoPlan } from '../../pipeline/undo-run.ts'
import { undoKinds, type UndoKind } from '../../pipeline/undo-plan.ts'
import { count, painter, plain, type Terminal } from './terminal.ts'
import { cutTo, fit, widest } from './text-width.ts'

const titles: Readonly<Record<UndoKind, string>> = {
  'put-back': 'to put back as before the run',
  delete: 'to delete, because the run created them',
  restore: 'to restore, because the run deleted them',
  'as-before': 'already as they were before the run',
  'left-alone': 'left alone, because they are no longer as the run left them',
}

const indent = '    '
const gap = '  '

/** The plan as a table: the first records of each kind, in the width of the terminal. */
export function planLines(plan: UndoPlan, terminal: Terminal): readonly string[] {
  const paint = painter(terminal)
  const { counts, first } = plan
  const shown = undoKinds.filter((kind) => counts[kind] > 0)
  const listed = shown.filter((kind) => kind !== 'as-before')
  const widths = widthsFor(
    listed.flatMap((kind) => first[kind]),
    terminal.out.columns ?? 100,
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

type Widths = { readonly id: number; readonly name: number; readonly reason: number }

function widthsFor(records: readonly NamedRecord[], whole: number): Widths {
  const room = whole - indent.length - 2 * gap.length
  const [ids, names] = [records.map((each) => plain(each.id)), records.map((each) => plain(each.name ?? ''))]
  const [id, name] = [widest(ids, Math.floor(room / 4)), widest(names, Math.floor(room / 3))]
  return { id, name, reason: room - id - name }
}

function lineOf({ id, name = '', reason = '' }: NamedRecord, widths: Widths): string {
  return `${indent}${fit(plain(id), widths.id)}${gap}${fit(plain(name), widths.name)}${gap}${cutTo(plain(reason), widths.reason)}`.trimEnd()
}

/** How many records the plan would change. */
export function changesIn({ counts }: UndoPlan): number {
  return counts['put-back'] + counts.delete + counts.restore
}

/** The books of an undo: what the run had changed, and what became of it. */
export function undoneLines({ rows, records, gone }: Report): readonly [changed: string, undone: string] {
  const undone = records.updated + gone.deleted + records.created
  const toUndo = records.ready + gone.gone
  return [
    `changed   ${count(rows.read)} by that run = ${count(rows.ready)} to undo + ${count(rows.unchanged)} as before already + ${count(rows.skipped)} left alone`,
    `undone    ${count(toUndo)} to undo = ${count(records.updated)} put back + ${count(gone.deleted)} deleted + ${count(records.created)} restored + ${count(toUndo - undone)} failed`,
  ]
}
