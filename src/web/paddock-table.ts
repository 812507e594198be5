/** Renders the table of the records and the legend of the map. */

import { markShapes, outcomes, type Mark, type Paddock } from './farm-map.ts'
import { html, tableHead, type Html } from './html.ts'

// Rows of one page of the table; the rest is shown on request.
const perPage = 250

/** What an outcome is called, where not by its name. */
export type OutcomeWords = Readonly<Partial<Record<Paddock['outcome'], string>>>

type About = { readonly words: OutcomeWords; readonly findings: ReadonlyMap<number, string> }

/** The table; each row links to its boundary on the map, if it has one. */
export function paddockTable(paddocks: readonly Paddock[], about: About & { readonly noun: string }): Html {
  const pages = Array.from({ length: Math.ceil(paddocks.length / perPage) }, (_, page) => page * perPage)
  return html`<p class="filter" hidden>
      <label for="filter">Find</label> <input type="search" id="filter" placeholder="name, key, crop, rejected ..." />
      <span id="found" role="status"></span>
    </p>
    <table class="paddocks stack in-pages">
      ${tableHead([about.noun, 'Key', 'Crop', 'What happened'], ['Area, ha', 'Before, ha'])}
      ${pages.map(
        (from) =>
          html`<tbody class="${from === 0 && 'open'}">
            ${paddocks.slice(from, from + perPage).map((each, at) => paddockRow(each, from + at, about))}
          </tbody>`,
      )}
    </table>
    <p id="more" hidden><button type="button">Show more rows</button></p>`
}

function paddockRow(
  { row, id, name, crop, outcome, areaM2, beforeM2, rings }: Paddock,
  index: number,
  { words, findings }: About,
): Html {
  const finding = row < 0 ? undefined : findings.get(row)
  const title = name ?? (id === '' ? `row ${row}` : id)
  const named = rings.length === 0 ? html`<a href="#r${index}">${title}</a>` : html`<a href="#p${index}">${title}</a>`
  const what = html`${words[outcome] ?? outcome}${finding !== undefined && html`<small>${finding}</small>`}`
  const cells = [named, id, crop, what].map((each) => html`<td>${each}</td>`)
  const areas = [areaM2, beforeM2].map((each) => html`<td class="n">${hectares(each)}</td>`)
  return html`<tr id="r${index}">
    ${cells}${areas}
  </tr>`
}

/** Square metres as hectares; nothing for an unknown area. */
export function hectares(areaM2: number | undefined): string {
  return areaM2 === undefined ? '' : (areaM2 / 10_000).toFixed(2)
}

/** What the patterns and shapes of the map mean, with the control for crop colours. */
export function legend(
  paddocks: readonly Paddock[],
  {
    marks,
    crops,
    words,
  }: { readonly marks: readonly Mark[]; readonly crops: readonly string[]; readonly words: OutcomeWords },
): Html {
  const drawn = paddocks.filter(({ rings }) => rings.length > 0)
  const count = (outcome: string): number => drawn.filter((each) => each.outcome === outcome).length
  const severities = { error: 'problem', warning: 'warning', note: 'note' } as const
  return html`<ul class="legend">
      ${outcomes
        .filter((outcome) => count(outcome) > 0)
        .map((outcome) => html`<li>${swatch(outcome)} ${count(outcome)} ${words[outcome] ?? outcome}</li>`)}
      ${(['error', 'warning', 'note'] as const)
        .filter((severity) => marks.some((mark) => mark.severity === severity))
        .map(
          (severity) =>
            html`<li>
              <svg width="18" height="18" viewBox="-18 -18 36 36" aria-hidden="true">
                <path class="mark ${severity}" d="${markShapes[severity]}" /></svg
              >${severities[severity]}
            </li>`,
        )}
    </ul>
    ${
      crops.length > 0 &&
      html`<label class="on-request"><input type="checkbox" id="by-crop" /> Colour by crop</label>
        <ul class="legend crops">
          ${crops.map((crop, index) => html`<li>${swatch(`k${index}`)} ${crop}</li>`)}
        </ul>`
    }`
}

function swatch(name: string): Html {
  return html`<svg width="30" height="20" viewBox="0 0 60 40" aria-hidden="true">
    <rect class="swatch ${name}" x="3" y="3" width="54" height="34" />
  </svg>`
}
