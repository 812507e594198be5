/** Chooses the layer of a file to import. */

import { WindrowError } from '../../core/error.ts'
import { problem } from '../../core/problem.ts'
import type { Table } from '../../core/row.ts'
import { nearest } from '../../core/values/nearest.ts'
import type { OpenedFile } from '../../formats/index.ts'
import { exportedType, sourceIdColumns } from '../../rules/own-export.ts'
import type { ImportPipeline } from '../definition/definition.ts'

/** The only layer, or the only export of windrow's own records among several: people add sheets to one. */
export function onlyTable(tables: readonly Table[]): Table | undefined {
  const exports = tables.filter(({ columns = [] }) => exportedType(columns.map(({ name }) => name)) !== undefined)
  return [tables, exports].find(({ length }) => length === 1)?.[0]
}

/** Chooses the named layer, or the only one. */
export function chooseTable(tables: readonly Table[], layer: string | undefined, source: string): Table {
  const names = tables.map(({ name }) => name)
  const only = onlyTable(layer === undefined ? tables : tables.filter(({ name }) => name === layer))
  if (only !== undefined) return only
  if (layer !== undefined) {
    const isHidden = tables.some((table) =>
      table.found().some(({ code, at }) => code === 'sheet-hidden' && at.layer === layer),
    )
    if (isHidden)
      throw new WindrowError('layer-unclear', `The sheet "${layer}" of "${source}" is hidden.`, {
        hint: 'Show it in the workbook, or set  from.hidden: true',
      })
    // Paddocks 2025 is not Paddocks 2026 misspelt: it is another season.
    const others = names.filter((name) => withoutDigits(name) !== withoutDigits(layer))
    const near = nearest(layer, others)
    throw new WindrowError('layer-unclear', `"${source}" has no layer "${layer}".`, {
      hint: `It has: ${names.join(', ')}.${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    })
  }
  throw new WindrowError('layer-unclear', `"${source}" has ${names.length} layers: ${names.join(', ')}.`, {
    hint: 'Choose one with  from.layer: NAME',
  })
}

/** Warns of the layers beside an export, which nobody chose to leave out. */
export function layersLeftOut({ tables, name: source }: Pick<OpenedFile, 'tables' | 'name'>, read: Table) {
  const others = tables.filter(({ name }) => name !== read.name).map(({ name }) => name)
  if (others.length === 0) return []
  const message = `Only "${read.name}" was read, as it is an export. Not read: ${others.join(', ')}.`
  const hint = 'To read another one, name it with  from.layer: NAME'
  return [problem('parts-left-out', { source, row: -1 }, { severity: 'warning', message, hint })]
}

function withoutDigits(name: string): string {
  return name.replaceAll(/\d+/g, '')
}

/** The table without points made from two columns, unless records of this type have points. In an export they are centroids. */
export function tableFor(type: ImportPipeline['type'], table: Table): Table {
  const names = table.columns?.map(({ name }) => name) ?? []
  const hasPoints = type.shapes?.includes('Point') === true && sourceIdColumns(type, names).size === 0
  return hasPoints ? table : (table.withoutPoints ?? table)
}
