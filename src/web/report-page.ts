/** Renders the report of a run for a browser: one file, without scripts, that loads nothing. */

import type { Problem } from '../core/problem.ts'
import type { Decision } from '../core/row.ts'
import { farmMap, type Mark, type Outline } from './farm-map.ts'
import { html, type Html } from './html.ts'

/** What the page shows of a run. */
export type ReportView = {
  readonly run: string
  readonly pipeline: string
  readonly started: string
  /** The run that this one undoes. */
  readonly undoes?: string
  readonly outcome: string
  readonly exit: number
  readonly error?: { readonly message: string; readonly hint?: string }
  readonly source: {
    readonly name: string
    readonly table: string
    readonly crs?: {
      readonly code: string
      readonly name: string
      readonly evidence: string
      readonly transformation: string
      readonly accuracyM: number
    }
    readonly decisions: readonly Decision[]
  }
  readonly target: { readonly type: string; readonly service?: string; readonly holdings: readonly string[] }
  readonly rows: Counts<'read' | 'ready' | 'unchanged' | 'rejected' | 'skipped'>
  readonly records: Counts<'ready' | 'created' | 'updated' | 'refused' | 'unsent' | 'unchanged'>
  readonly gone: Counts<'gone' | 'deleted' | 'kept'>
  readonly areaM2: number
  readonly statedArea?: { readonly column: string; readonly statedM2: number }
  readonly accepted: number
  readonly unseen: number
  readonly problems: readonly {
    readonly code: string
    readonly severity: string
    readonly meaning: string
    readonly count: number
    readonly first: readonly Problem[]
  }[]
}
type Counts<Name extends string> = Readonly<Record<Name, number>>

/** Renders the page. */
export function reportPage(report: ReportView, outlines: readonly Outline[]): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>${report.pipeline}: ${report.source.name}</title>
        <style>
          ${{ html: style }}
        </style>
      </head>
      <body>
        <main>
          ${head(report)}
          ${
            report.error &&
            html`<section class="stop">
              <h2>${report.error.message}</h2>
              <p>${report.error.hint}</p>
            </section>`
          }
          ${counts(report)} ${map(outlines, report)} ${problems(report)} ${decisions(report)}
          <footer>Run ${report.run}, started ${report.started}, exit ${report.exit}</footer>
        </main>
      </body>
    </html> `
  return page.html
}

function head(report: ReportView): Html {
  const { target, source } = report
  const holdings =
    target.holdings.length === 0
      ? ''
      : ` of ${target.holdings.slice(0, 3).join(', ')}${target.holdings.length > 3 ? ' ...' : ''}`
  return html`<header>
    <p class="verdict ${report.exit === 0 ? 'good' : 'look'}">${verdict(report)}</p>
    <h1>${report.undoes === undefined ? source.name : `Undo of run ${report.undoes}`}</h1>
    <p>
      ${source.table === source.name ? '' : html`Layer ${source.table}, `}to
      ${target.type}${holdings}${target.service && html`, at ${target.service}`}
    </p>
  </header>`
}

function verdict(report: ReportView): string {
  if (report.outcome === 'dry-run') return 'Dry run: nothing was sent'
  if (report.outcome === 'interrupted') return 'Interrupted: run it again to continue'
  if (report.error !== undefined) return 'Stopped'
  if (report.undoes !== undefined)
    return report.rows.skipped > 0 ? `Undone, ${report.rows.skipped} left alone` : 'Undone'
  const needing = report.rows.rejected + report.records.refused
  if (needing > 0) return `Done, ${needing} ${needing === 1 ? 'row needs' : 'rows need'} you`
  return report.records.unsent > 0 ? `Done, ${report.records.unsent} unsent` : 'Done'
}

function counts(report: ReportView): Html {
  const { rows, records, gone } = report
  const would = report.outcome === 'dry-run' ? 'would be ' : ''
  return html`<section>
    <h2>What happened to each ${report.undoes === undefined ? 'row' : 'record'}</h2>
    ${bar('rows', rows.read, 'read', [
      ['ready', rows.ready, 'ready'],
      ['unchanged', rows.unchanged, 'unchanged'],
      ['rejected', rows.rejected, 'rejected'],
      ['skipped', rows.skipped, 'skipped'],
    ])}
    ${bar('records', records.ready, 'ready', [
      [`${would}created`, records.created, 'ready'],
      [`${would}updated`, records.updated, 'updated'],
      ['refused', records.refused, 'rejected'],
      ['unsent', records.unsent, 'skipped'],
    ])}
    ${
      gone.gone > 0 &&
      bar('gone from the file', gone.gone, 'gone', [
        [`${would}deleted`, gone.deleted, 'rejected'],
        ['kept', gone.kept, 'unchanged'],
      ])
    }
    <p class="facts">
      ${report.areaM2 > 0 && html`<span>${(report.areaM2 / 10_000).toFixed(2)} ha measured</span>`}
      ${report.statedArea && html`<span>${(report.statedArea.statedM2 / 10_000).toFixed(2)} ha in the column ${report.statedArea.column}</span>`}
      ${report.accepted > 0 && html`<span>${report.accepted - report.unseen} of ${report.accepted} accepted records seen in the service</span>`}
    </p>
  </section>`
}

type Part = readonly [name: string, count: number, tone: string]

function bar(name: string, whole: number, verb: string, parts: readonly Part[]): Html {
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

function map(outlines: readonly Outline[], report: ReportView): Html | undefined {
  const drawing = farmMap(outlines, marksOf(report))
  return (
    drawing &&
    html`<section>
      <h2>Map</h2>
      ${drawing}
      <p class="key">
        <i class="ready"></i> ready <i class="unchanged"></i> unchanged <i class="rejected"></i> rejected
        ${marksOf(report).length > 0 && html`<b>○</b> problem or note`}
      </p>
    </section>`
  )
}

/** The problems that have a place on the map. */
function marksOf({ problems: groups }: ReportView): readonly Mark[] {
  return groups.flatMap(({ first, severity }) =>
    first.flatMap(({ where, at, message }) =>
      where === undefined ? [] : [{ lon: where.lon, lat: where.lat, severity, label: `${at.row}  ${message}` }],
    ),
  )
}

function problems({ problems: groups }: ReportView): Html | undefined {
  if (groups.length === 0) return undefined
  return html`<section>
    <h2>Problems and notes</h2>
    ${groups.map(
      (group) =>
        html`<details class="${group.severity}" ${group.severity === 'error' && 'open'}>
          <summary><b>${group.count} ×</b> ${group.meaning} <code>${group.code}</code></summary>
          <table>
            <thead>
              <tr>
                <th>Row</th>
                <th>Column</th>
                <th>Value</th>
                <th>Problem and what to do</th>
              </tr>
            </thead>
            <tbody>
              ${group.first.map(problemRow)}
            </tbody>
          </table>
          ${group.count > group.first.length && html`<p>The first ${group.first.length} of ${group.count} are shown.</p>`}
        </details>`,
    )}
  </section>`
}

function problemRow(each: Problem): Html {
  return html`<tr>
    <td>${each.at.row < 0 ? '' : each.at.row}</td>
    <td>${each.column ?? each.path}</td>
    <td>${each.value}</td>
    <td>${each.message}${each.hint && html`<br /><em>${each.hint}</em>`}</td>
  </tr>`
}

function crsEvidence({ evidence, transformation, accuracyM }: NonNullable<ReportView['source']['crs']>): string {
  return `${evidence}, good to ${accuracyM} m${transformation === '' ? '' : ` by ${transformation}`}`
}

function decisions({ source }: ReportView): Html | undefined {
  const crs = source.crs
  const rows = [
    ...(crs === undefined ? [] : [{ option: 'crs', value: `${crs.name} ${crs.code}`, evidence: crsEvidence(crs) }]),
    ...source.decisions,
  ]
  if (rows.length === 0) return undefined
  return html`<section>
    <h2>How the file was read, and why</h2>
    <table>
      <tbody>
        ${rows.map(
          (each) =>
            html`<tr>
              <th>${each.option}</th>
              <td>${each.value}</td>
              <td>
                ${each.evidence}${'runnerUp' in each && each.runnerUp !== undefined && html`; next best: ${each.runnerUp}`}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`
}

const style = `
:root { --ready:#3d7a3a; --updated:#7fa650; --unchanged:#9aa5a0; --rejected:#c2452d; --skipped:#d9a441; --ink:#1f2a24; --paper:#fbfaf6; --line:#dcd8cc }
@media (prefers-color-scheme: dark) { :root { --ink:#e8e6df; --paper:#1b1f1c; --line:#3a403b; --ready:#6fae63; --unchanged:#6c756f } }
body { margin:0; background:var(--paper); color:var(--ink); font:16px/1.5 system-ui, sans-serif }
main { max-width:800px; margin:0 auto; padding:2rem 1.25rem 3rem }
h1 { margin:.2rem 0; font-size:1.7rem; overflow-wrap:anywhere } h2 { font-size:1.1rem; margin:2rem 0 .6rem }
.verdict { display:inline-block; margin:0; padding:.15rem .7rem; border-radius:1rem; color:#fff; font-weight:600 }
.verdict.good { background:var(--ready) } .verdict.look { background:var(--rejected) }
.stop { border-left:4px solid var(--rejected); padding-left:1rem }
.book p { margin:.6rem 0 .2rem } .bar { display:flex; height:.8rem; border-radius:.4rem; overflow:hidden; background:var(--line) }
i.ready { background:var(--ready) } i.updated { background:var(--updated) } i.unchanged { background:var(--unchanged) }
i.rejected { background:var(--rejected) } i.skipped { background:var(--skipped) }
.facts span { margin-right:1.5rem } .map { width:100%; max-height:540px; border:1px solid var(--line); border-radius:.5rem }
.map path { stroke:var(--paper); stroke-width:1; opacity:.9 } .map .ready { fill:var(--ready) } .map .unchanged { fill:var(--unchanged) }
.map .rejected { fill:var(--rejected); stroke:var(--rejected) }
.map circle { fill:none; stroke-width:2; stroke:var(--skipped) } .map circle.error { stroke:var(--rejected) } .map circle.note { stroke:var(--ink); opacity:.6 }
.key i { display:inline-block; width:.8rem; height:.8rem; border-radius:.2rem; margin:0 .2rem 0 1rem } .key i:first-child { margin-left:0 }
details { border:1px solid var(--line); border-radius:.5rem; margin:.5rem 0; padding:.4rem .8rem } details.error { border-color:var(--rejected) }
summary { cursor:pointer } code { opacity:.65; font-size:.85rem }
table { border-collapse:collapse; width:100%; margin:.5rem 0; font-size:.92rem } td, th { text-align:left; vertical-align:top; padding:.3rem .6rem .3rem 0; border-top:1px solid var(--line); overflow-wrap:anywhere }
th { overflow-wrap:normal; white-space:nowrap }
footer { margin-top:2.5rem; opacity:.6; font-size:.85rem }
`
