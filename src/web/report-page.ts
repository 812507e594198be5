/** Renders the report of a run for a browser: one file that loads nothing. */

import { hash } from 'node:crypto'
import type { Problem, Severity } from '../core/problem.ts'
import { chosen, type Choice } from '../core/row.ts'
import { otherText, yamlInline } from '../core/values/yaml-text.ts'
import { changesTable, type ShownChange } from './changes-table.ts'
import { colouredCrops, farmMap, mostDrawn, mostListed, type Mark, type Paddock } from './farm-map.ts'
import { html, tableHead, timeIn, wholePage, type Html } from './html.ts'
import { hectares, legend, paddockTable, type OutcomeWords } from './paddock-table.ts'
import { pageScript } from './page-script.ts'
import { booksOf, countsRepeated, howToCorrect, rowsTakenOut, type Book, type Booked } from './report-books.ts'

/** What the page shows of a run's report. */
export type ReportView = Booked & {
  readonly run: string
  readonly pipeline: string
  readonly started: string
  /** The run whose rejected rows this one sent, corrected: how many are in the service now, and how many are not. */
  readonly retries?:
    | { readonly run: string; readonly corrected: number; readonly takenOut: number; readonly rejected: number }
    | undefined
  readonly dryRun?: boolean | undefined
  readonly exit: number
  readonly error?: { readonly message: string; readonly hint?: string | undefined } | undefined
  readonly source: {
    readonly name: string
    readonly table: string
    /** The number of rows by geometry type. */
    readonly kinds: Readonly<Record<string, number>>
    readonly crs?: Crs | undefined
  }
  readonly choices: readonly Choice[]
  readonly target: {
    readonly type: string
    readonly service?: string | undefined
    readonly holdings: readonly string[]
  }
  readonly areaM2: number
  readonly statedArea?: { readonly column: string; readonly statedM2: number; readonly measuredM2: number } | undefined
  readonly accepted: number
  readonly unseen: number
  readonly problems: readonly {
    readonly code: string
    readonly severity: Severity
    readonly meaning: string
    readonly count: number
    readonly first: readonly Problem[]
  }[]
  readonly unchecked?: readonly string[] | undefined
  /** The rejected rows to correct, and the command to type afterwards. */
  readonly retry?: { readonly file: string; readonly command: string } | undefined
  /** The command that sends exactly what a dry run staged. */
  readonly apply?: string | undefined
  /** The command that takes the run back, if it changed something. */
  readonly undo?: string | undefined
}
type Crs = Readonly<Record<'code' | 'name' | 'evidence' | 'transformation', string>> & { readonly accuracyM: number }

/** What the page shows beyond the report: the first records and updates, and the farm's time zone. */
export type PageContent = {
  readonly paddocks: readonly Paddock[]
  readonly changes: readonly ShownChange[]
  readonly zone: string
}

const none: PageContent = { paddocks: [], changes: [], zone: 'UTC' }
const scripts = `; script-src 'sha256-${hash('sha256', pageScript, 'base64')}'`

// Without the script all rows are shown.
const head = html`<noscript>
  <style>
    .in-pages tbody:not(.open) {
      display: table-row-group;
    }
  </style>
</noscript>`

export function reportPage(report: ReportView, content: PageContent = none): string {
  const { run, pipeline, source, started, exit } = report
  const { zone } = content
  return wholePage(
    { title: `${pipeline}: ${source.name}`, scripts, head, end: { html: `<script>${pageScript}</script>` } },
    html`${header(report)} ${stop(report)} ${counts(report)} ${next(report)} ${map(report, content)}
      ${changes(report, content)} ${problems(report, content)} ${paddocks(report, content)} ${choices(report)}
      <footer>
        Run ${run}, started ${timeIn(started, zone)} (${zone}), exit
        ${exit}${report.undo && html`<br />To take ${report.undoes === undefined ? 'it' : 'the undo'} back, type: <code>${report.undo}</code>`}
      </footer>`,
  )
}

/** Why the run stopped: a sentence, the records that it names, and what to do. */
function stop({ error }: ReportView): Html | undefined {
  if (error === undefined) return undefined
  const [sentence, ...named] = error.message.split('\n')
  return html`<section class="stop">
    <h2>${sentence}</h2>
    ${
      named.length > 0 &&
      html`<ul>
        ${named.map((each) => html`<li>${each.trim()}</li>`)}
      </ul>`
    }
    ${error.hint?.split('\n').map((each) => html`<p>${each}</p>`)}
  </section>`
}

/** What to correct, and the command to type afterwards; of a plan, the command that sends it. */
function next({ retry, apply }: ReportView): Html | undefined {
  if (apply !== undefined)
    return html`<section>
      <h2>What to do next</h2>
      <p>To send exactly this, type:</p>
      <p><code>${apply}</code></p>
    </section>`
  if (retry === undefined) return undefined
  const name = retry.file.replace(/^.*[/\\]/, '')
  const [before, after] = howToCorrect(name).split(name)
  return html`<section>
    <h2>What to do next</h2>
    <p>${before}<a href="${encodeURIComponent(name)}">${name}</a>${after}, and type:</p>
    <p><code>${retry.command}</code></p>
  </section>`
}

function header(report: ReportView): Html {
  const { target, source } = report
  const holdings =
    target.holdings.length === 0 || target.type === 'holdings'
      ? ''
      : ` of ${target.holdings.slice(0, 3).join(', ')}${target.holdings.length > 3 ? ' ...' : ''}`
  // A file with one table gives that its own name.
  const isNamed = !['', source.name, source.name.replace(/\.[^.]*$/, '')].includes(source.table)
  return html`<header>
    <p class="verdict ${report.exit === 0 ? 'good' : 'look'}">${verdict(report)}</p>
    <h1>${report.undoes === undefined ? source.name : `Undo of run ${report.undoes}`}</h1>
    <p>
      ${isNamed ? html`Layer ${source.table}, to` : 'To'}
      ${target.type}${holdings}${target.service && html`, at ${target.service}`}
    </p>
    ${report.retries && html`<p>${retriedWords(report.retries)}</p>`}
  </header>`
}

function retriedWords({ run, corrected, takenOut, rejected }: NonNullable<ReportView['retries']>): string {
  const whole = corrected + takenOut + rejected
  const taken = takenOut === 0 ? '' : ` ${rowsTakenOut(takenOut)}.`
  const state = rejected === 0 ? 'That run is complete.' : `${rejected} still to correct.`
  return `Corrected rows of run ${run}: ${corrected} of ${whole} published.${taken} ${state}`
}

function verdict(report: ReportView): string {
  if (report.outcome === 'dry-run') return 'Dry run: nothing was sent'
  if (report.outcome === 'interrupted') return 'Interrupted: run it again to continue'
  if (report.error !== undefined) return report.dryRun === true ? 'Dry run: stopped' : 'Stopped'
  if (report.undoes !== undefined)
    return report.rows.skipped > 0 ? `Undone, ${report.rows.skipped} left alone` : 'Undone'
  const needing = report.rows.rejected + report.records.refused
  if (needing > 0) return `Done, ${needing} ${needing === 1 ? 'row needs' : 'rows need'} you`
  return report.records.unsent > 0 ? `Done, ${report.records.unsent} unsent` : 'Done'
}

function counts(report: ReportView): Html {
  const { accepted, unseen } = report
  const what = report.outcome === 'dry-run' ? 'What would happen' : 'What happened'
  return html`<section>
    <h2>${what} to each ${report.undoes === undefined ? 'row' : 'record'}</h2>
    ${booksOf(report).map(bar)}
    <p class="facts">
      ${report.areaM2 > 0 && html`<span>${hectares(report.areaM2)} ha measured</span>`}
      ${report.statedArea && html`<span>${hectares(report.statedArea.statedM2)} ha in the column ${report.statedArea.column}${countsRepeated(report) && ', with repeated rows'}</span>`}
      ${accepted > 0 && html`<span>${accepted - unseen} of ${accepted} accepted records seen in the service</span>`}
    </p>
  </section>`
}

function bar({ name, whole, verb, parts }: Book): Html {
  return html`<div class="book">
    <p>
      <b>${name}</b> ${whole} ${verb} =
      ${parts.map(([part, n], index) => html`${index > 0 && ' + '}<span>${n} ${part}</span>`)}
    </p>
    <div class="bar">
      ${parts.map(([part, n, tone]) => n > 0 && html`<i class="${tone}" style="flex:${n}" title="${n} ${part}"></i>`)}
    </div>
  </div>`
}

/** What the outcomes are called, where not by their names: a plan says what would happen, an undo how it is as before. */
function outcomeWords(report: ReportView): OutcomeWords {
  if (report.outcome === 'dry-run') return { created: 'to create', updated: 'to update', deleted: 'to delete' }
  return report.undoes === undefined ? {} : { created: 'restored', updated: 'put back' }
}

const chosenFirst = 'those with problems or changes first, the others evenly over the file'

function map(report: ReportView, { paddocks: all }: PageContent): Html | undefined {
  const { rows, source } = report
  const marks = marksOf(report)
  const crops = frequentCrops(all)
  const drawing = farmMap(all, marks, crops)
  const drawn = all.filter(({ rings }) => rings.length > 0).length
  const boundaries = Object.values(source.kinds).reduce((sum, n) => sum + n, 0)
  // A boundary of a small farm that is not drawn has a finding that says why.
  const whole = boundaries > mostDrawn ? boundaries : drawn
  // A mark without a place is not drawn.
  const placed = marks.filter(({ severity }) => drawing?.html.includes(`class="mark ${severity}"`))
  return (
    drawing &&
    html`<section>
      <h2>Map</h2>
      ${drawing}
      ${
        drawn < whole &&
        html`<p class="soft">
          The map shows ${drawn} of ${whole} boundaries: ${chosenFirst}.
          ${rows.read - rows.skipped <= mostListed && 'The table has all rows.'}
        </p>`
      }
      <p id="about" role="status"></p>
      ${legend(all, { marks: placed, crops, words: outcomeWords(report) })}
    </section>`
  )
}

function frequentCrops(all: readonly Paddock[]): readonly string[] {
  const counted = new Map<string, number>()
  for (const { crop } of all) if (crop !== undefined) counted.set(crop, (counted.get(crop) ?? 0) + 1)
  const byCount = [...counted].toSorted(([, one], [, other]) => other - one)
  return byCount.slice(0, colouredCrops).map(([crop]) => crop)
}

function marksOf({ problems: groups }: ReportView): readonly Mark[] {
  return groups.flatMap(({ first, severity }) =>
    first
      .filter(({ where, at }) => where !== undefined || at.row >= 0)
      .map(({ where, at, message }) => ({
        ...where,
        row: at.row,
        severity: severity === 'stop' ? 'error' : severity,
        label: `${at.row}  ${message}`,
      })),
  )
}

function paddocks(report: ReportView, { paddocks: all }: PageContent): Html | undefined {
  if (all.length === 0) return undefined
  const groups = report.problems.toReversed().filter(({ severity }) => severity !== 'note')
  // The worst finding of a row replaces the others.
  const findings = new Map(groups.flatMap(({ first }) => first.map(({ at, message }) => [at.row, message] as const)))
  const isPlots = report.target.type === 'plots'
  const { rows } = report
  return html`<section class="long">
    <h2>${isPlots ? 'Paddocks' : 'Records'}</h2>
    ${
      rows.read - rows.skipped > Math.max(all.length, mostListed) &&
      html`<p class="soft">The table has ${all.length} of ${rows.read - rows.skipped} rows: ${chosenFirst}.</p>`
    }
    ${paddockTable(all, { words: outcomeWords(report), findings, noun: isPlots ? 'Paddock' : 'Name' })}
  </section>`
}

function changes(report: ReportView, { changes: all, paddocks: listed }: PageContent): Html | undefined {
  if (all.length === 0) return undefined
  const total = Math.max(all.length, report.records.updated)
  return html`<section class="long">
    <h2>${report.outcome === 'dry-run' ? 'What would change' : 'What changed'}, field by field</h2>
    ${all.length < total && html`<p class="soft">The first ${all.length} of ${total} updates are shown.</p>`}
    ${changesTable(all, new Map(listed.map(({ key }, index) => [key, index])))}
  </section>`
}

function problems({ problems: groups }: ReportView, { paddocks: all }: PageContent): Html | undefined {
  if (groups.length === 0) return undefined
  const byRow = new Map(all.flatMap(({ row, name }, index) => (row < 0 ? [] : [[row, { name, index }] as const])))
  return html`<section class="long">
    <h2>Problems and notes</h2>
    ${groups.map(
      (group) =>
        html`<details class="${group.severity}" ${(group.severity === 'error' || group.severity === 'stop') && 'open'}>
          <summary><b>${group.count} ×</b> ${group.meaning} <code>${group.code}</code></summary>
          <table class="findings stack">
            ${tableHead(['Row', 'Name', 'Column', 'Value', 'Problem and what to do'])}
            <tbody>
              ${group.first.map((each) => problemRow(each, byRow.get(each.at.row)))}
            </tbody>
          </table>
          ${group.count > group.first.length && html`<p>The first ${group.first.length} of ${group.count} are shown.</p>`}
        </details>`,
    )}
  </section>`
}

function problemRow(
  each: Problem,
  of: { readonly name: string | undefined; readonly index: number } | undefined,
): Html {
  const { row } = each.at
  // Without a column, the value is what the row is called.
  const isNamed = each.column === undefined && each.value === of?.name
  return html`<tr>
    <td data-label="Row">${row < 0 ? '' : of === undefined ? row : html`<a href="#r${of.index}">${row}</a>`}</td>
    <td>${of?.name}</td>
    <td data-label="Column">${each.column ?? each.path}</td>
    <td data-label="Value">${isNamed ? '' : each.value}</td>
    <td>${each.message}${each.hint && html`<br /><em>${each.hint}</em>`}</td>
  </tr>`
}

function crsEvidence({ evidence, transformation, accuracyM }: Crs): string {
  return `${evidence}, good to ${accuracyM} m${transformation === '' ? '' : ` by ${transformation}`}`
}

function choices({ source, choices: made, unchecked }: ReportView): Html | undefined {
  const { crs } = source
  const rows: readonly Choice[] = [
    ...(crs === undefined ? [] : [chosen('crs', `${crs.name} ${crs.code}`, crsEvidence(crs))]),
    ...made,
  ]
  if (rows.length === 0) return undefined
  return html`<section class="long">
    <h2>How the file was read, and why</h2>
    <table class="decided stack">
      ${tableHead(['Choice', 'Value', 'Evidence'])}
      <tbody>
        ${rows.map(
          ({ setting, value, evidence, others: [next], certainty }) =>
            html`<tr>
              <th scope="row">${setting}</th>
              <td>${typeof value === 'string' ? value : yamlInline(value)}</td>
              <td>
                ${certainty === 'sure' ? '' : 'please check: '}${evidence}${next && html`; next best: ${otherText(next)}`}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${unchecked && html`<p>Not checked, because no service is connected: ${unchecked.join('; ')}.</p>`}
  </section>`
}
