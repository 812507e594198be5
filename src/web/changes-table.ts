/** Renders the updates of a plan or run, field by field. */

import { html, tableHead, type Html } from './html.ts'
import { hectares } from './paddock-table.ts'

export type Cell = string | number | boolean

/** A field by its column title in an export. Without `before` it was blank; without `after` it is cleared. */
export type FieldChange = { readonly field: string; readonly before?: Cell; readonly after?: Cell }

/** The area before and after, the land that is in only one of the two boundaries, and the way between two without common land. */
export type BoundaryChange = { readonly [Part in 'beforeM2' | 'afterM2' | 'movedM2' | 'movedKm']?: number }

/** An updated record. */
export type ShownChange = {
  readonly key: string
  readonly id: string
  readonly name?: string
  readonly fields: readonly FieldChange[]
  readonly boundary?: BoundaryChange
}

/** The table; `rows` gives the number of each key's row in the table of paddocks. */
export function changesTable(changes: readonly ShownChange[], rows: ReadonlyMap<string | null, number>): Html {
  return html`<table class="changes stack">
    ${tableHead(['Name', 'Field', 'Before', 'After'])}
    ${changes.map(
      (change) =>
        html`<tbody>
          ${linesOf(change).map(([field, before, after], line, lines) => {
            const row = rows.get(change.key)
            const title = change.name ?? change.id
            const named = row === undefined ? title : html`<a href="#r${row}">${title}</a>`
            return html`<tr>
              ${line === 0 && html`<th scope="rowgroup" rowspan="${lines.length}">${named}</th>`}
              <td>${field}</td>
              <td data-label="before">${before}</td>
              <td data-label="after">${after}</td>
            </tr>`
          })}
        </tbody>`,
    )}
  </table>`
}

type Line = readonly [field: string, before: Html | string, after: Html | string]

function linesOf({ fields, boundary }: ShownChange): readonly Line[] {
  if (fields.length === 0 && boundary === undefined) return [['the same', '', 'sent again: not confirmed yet']]
  const { beforeM2, afterM2 } = boundary ?? {}
  const moved = movedWords(boundary ?? {})
  const area = (areaM2: number | undefined): string => (areaM2 === undefined ? 'none' : `${hectares(areaM2)} ha`)
  const isNewOrGone = (beforeM2 === undefined) !== (afterM2 === undefined)
  const after = isNewOrGone ? html`<b>${area(afterM2)}</b>` : html`${area(afterM2)}, <b>${moved}</b>`
  const ofBoundary: readonly Line[] = boundary === undefined ? [] : [['Boundary', area(beforeM2), after]]
  return [
    ...ofBoundary,
    ...fields.map(({ field, before, after }): Line => {
      const [was, is] = withoutMidnights(String(before), String(after))
      return [
        field,
        before === undefined ? 'blank' : html`<del>${was}</del>`,
        after === undefined ? 'cleared' : html`<ins>${is}</ins>`,
      ]
    }),
  ]
}

const midnight = /^(\d{4}-\d\d-\d\d)T00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:?\d\d)?$/

/** Days without their midnight, unless only that differs. */
export function withoutMidnights(was: string, is: string): readonly [string, string] {
  const [before, after] = [was.replace(midnight, '$1'), is.replace(midnight, '$1')]
  return before === after ? [was, is] : [before, after]
}

type Written = (whole: number) => string

/** How a boundary moved: how much of its land, or how far if no land is in common with the one before. */
export function movedWords({ movedM2, movedKm: km }: BoundaryChange, written: Written = String): string {
  if (km !== undefined) {
    const way = km < 1 ? `${Math.round(km * 1000)} m` : `${km < 10 ? km.toFixed(1) : Math.round(km)} km`
    return `moved ${way}; no land in common`
  }
  if (movedM2 === undefined) return 'moved'
  return `${movedM2 >= 10_000 ? `${hectares(movedM2)} ha` : squareMetres(movedM2, written)} moved`
}

/** A small area; `written` writes a whole number. */
export function squareMetres(areaM2: number, written: Written): string {
  return `${areaM2 < 10 ? areaM2.toFixed(1) : written(Math.round(areaM2))} m²`
}
