/** Renders the past runs of a folder for a browser: one file that loads nothing. */

import { html, tableHead, timeIn, wholePage, type Html } from './html.ts'

/** What the page shows of a run. `page` is the address of its own page. */
export type RunRow = {
  readonly pipeline: string
  readonly started: string
  readonly outcome: string
  readonly exit: number
  readonly isGood: boolean
  readonly counts: Readonly<Record<string, number>>
  readonly error?: string | undefined
  /** That it is a dry run, undoes another run, or sends its corrected rows: it then says nothing about the nights. */
  readonly note?: string | undefined
  readonly page?: string | undefined
}

const columns = ['read', 'created', 'updated', 'deleted', 'rejected'] as const
const style = `
.nights { display:flex; flex-wrap:wrap; align-items:flex-end; gap:3px; margin:.4rem 0 } .nights i { width:.9rem; height:1.4rem; border-radius:.2rem; background:var(--created) } .nights i.bad { height:1.9rem; background:var(--rejected) }
.runs th:nth-child(1) { width:10.5rem } .runs th:nth-child(3) { width:8rem } .runs th:nth-child(n+4) { width:5.2rem } .bad td:nth-child(3), .bad small { color:var(--rejected) }
.runs .why, .runs .why td { border-top:0; padding-top:0 }
@media screen and (max-width:600px) { .runs td:nth-child(n+4):not(:empty) { display:inline-block; margin-right:1rem } .runs td:first-child { font-weight:600 } }
`

/** Renders the page: pipelines that fail first, and the newest run first. Times are in `zone`. */
export function runsPage(
  runs: readonly RunRow[],
  { title, zone }: { readonly title: string; readonly zone: string },
): string {
  const newest = [...runs].reverse()
  const nights = newest.filter(({ note }) => note === undefined)
  const names = [...new Set(nights.map(({ pipeline }) => pipeline))].sort()
  const failing = names.filter((name) => nights.find(({ pipeline }) => pipeline === name)?.isGood === false)
  return wholePage(
    { title: `Runs in ${title}`, style },
    html`<header>
        <p class="verdict ${failing.length === 0 ? 'good' : 'look'}">${verdictOf(names, failing)}</p>
        <h1>Runs in ${title}</h1>
        <p class="soft">Times are in the zone ${zone}.</p>
      </header>
      ${[...new Set([...failing, ...names])].map((name) => onePipeline(name, nights, zone))}
      <section class="long">
        <h2>All runs, newest first</h2>
        <table class="stack runs">
          ${tableHead(['Started', 'Pipeline', 'Ended'], columns.map(titleOf))}
          <tbody>
            ${newest.map((run) => oneRun(run, zone))}
          </tbody>
        </table>
      </section>`,
  )
}

function verdictOf(names: readonly string[], failing: readonly string[]): string {
  if (names.length === 0) return 'No runs yet'
  if (failing.length > 3) return `The last runs of ${failing.length} of ${names.length} pipelines failed`
  if (failing.length > 0) return `The last run of ${failing.join(', ')} failed`
  return names.length === 1 ? 'The last run was good' : 'All last runs were good'
}

/** A bar for each run, oldest first: a failed one is red and taller. */
function onePipeline(name: string, newest: readonly RunRow[], zone: string): Html {
  const runs = newest.filter(({ pipeline }) => pipeline === name).slice(0, 60)
  const good = runs.find(({ isGood }) => isGood)
  const failed = runs.filter(({ isGood }) => !isGood).length
  return html`<section>
    <h2>${name}</h2>
    <p class="soft">Last good run: ${good === undefined ? 'none' : timeIn(good.started, zone)}</p>
    <div class="nights" role="img" aria-label="${runs.length} runs, ${failed} failed">
      ${[...runs]
        .reverse()
        .map(
          (run) =>
            html`<i class="${run.isGood ? 'good' : 'bad'}" title="${timeIn(run.started, zone)}: ${endOf(run)}"></i>`,
        )}
    </div>
  </section>`
}

function oneRun(run: RunRow, zone: string): Html {
  const started = timeIn(run.started, zone)
  return html`<tr class="${run.isGood ? 'good' : 'bad'}">
      <td>${run.page === undefined ? started : html`<a href="${run.page}">${started}</a>`}</td>
      <td>${run.pipeline}${run.note && html`<small>${run.note}</small>`}</td>
      <td>${endOf(run)}</td>
      ${columns.map((name) => html`<td class="n" data-label="${titleOf(name)}">${run.counts[name]}</td>`)}
    </tr>
    ${
      run.error &&
      html`<tr class="bad why">
        <td colspan="${3 + columns.length}"><small>${run.error}</small></td>
      </tr>`
    }`
}

function endOf({ outcome, exit }: RunRow): string {
  const words = outcome.replace('-', ' ')
  return exit === 0 ? words : `${words}, exit ${exit}`
}

function titleOf(name: string): string {
  return `${name[0]!.toUpperCase()}${name.slice(1)}`
}
