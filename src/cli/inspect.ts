/** Runs `windrow inspect`: shows what a file contains, in the width of the terminal. */

import {
  inspectTable,
  type Inspection,
  type LayerSeen,
  type ColumnSeen,
  type CrsSeen,
  type Extent,
} from '../pipeline/inspect/inspection.ts'
import { lookAt } from '../pipeline/inspect/look.ts'
import type { Choice, Table } from '../core/row.ts'
import { flag, jsonOption, type Call, type CommandSpec } from './options/command.ts'
import { choiceLine } from './options/ask-missing.ts'
import { withReading, readingOptions } from './options/reading.ts'
import { startSketch } from './screen/sketch.ts'
import { say, count, counted, painter, plain, type Terminal } from './screen/terminal.ts'
import { alignedLines, cutTo, widthOf } from './screen/text-width.ts'

export const inspect: CommandSpec = {
  words: { file: 'the file, folder, zip or web address; - for standard input' },
  options: { ...readingOptions, ...jsonOption },
  examples: ['windrow inspect "Rimu paddocks FINAL v3.zip"', 'windrow inspect nightly.csv --json'],
  run: runInspect,
}

async function runInspect(call: Call): Promise<void> {
  const { terminal, signal } = call
  return withReading(call, async ({ source, said, formats, path }) => {
    const hasRoom = terminal.out.isTTY === true && (terminal.out.columns ?? 0) > pictureLimits.wide + 4
    const draws = hasRoom && !flag(call, 'json')
    const facts = await lookAt(source, said, { formats, signal, everyLayer: true })
    await using closing = new AsyncDisposableStack()
    closing.defer(facts.close)
    const around = { path, fileName: source.name, connection: undefined, signal }
    const layers: LayerSeen[] = []
    for (const each of facts.tables) layers.push(await inspectTable(each, said, around))
    const { name: file, bytes, format } = facts
    const inspection: Inspection = { windrow: 'inspection', version: 1, file, bytes, format: format.name, layers }
    if (flag(call, 'json')) return say(terminal, JSON.stringify(inspection))
    say(terminal, plain(`${file}   ${format.title}${bytes === 0 ? '' : `, ${count(bytes)} bytes`}`))
    for (const [index, layer] of layers.entries()) {
      const picture = draws && layer.vertices > 0 ? await pictureOf(facts.tables[index]!.table, layer) : []
      say(terminal, '', ...layerLines(layer, picture, terminal))
    }
  })
}

const pictureLimits = { wide: 60, tall: 20 }

async function pictureOf(table: Table, { lonLat, bbox }: LayerSeen): Promise<readonly string[]> {
  const sketch = startSketch()
  for await (const batch of table.batches()) for (const { shape } of batch) if (shape) sketch.add(shape)
  const isLonLat = lonLat !== null && lonLat.every((each, index) => each === bbox?.[index])
  return sketch.lines({ ...pictureLimits, isLonLat })
}

/** The width where there is no terminal, or its width is unknown. */
const usualColumns = 120
const [widestName, widestType] = [30, 26]

/** The lines about one layer; `picture` goes between the facts and the columns. */
function layerLines(layer: LayerSeen, picture: readonly string[], terminal: Terminal): readonly string[] {
  const paint = painter(terminal)
  const troubles = [
    ...layer.problems.map(({ severity, message }) => ({ severity, text: `${severity}: ${message}` })),
    ...layer.inRows.map(({ severity, count: times, first }) => ({
      severity,
      text: `${severity}: ${counted(times, 'row')}, first ${first.at.row}: ${first.message}`,
    })),
  ]
  const doubts = layer.columns.flatMap(doubtsOf)
  const isOfFile = ({ setting, certainty }: Choice): boolean => setting.startsWith('from.') && certainty !== 'ask'
  const ofFile = layer.choices.filter(isOfFile)
  const ofColumns = layer.choices.filter((each) => !isOfFile(each))
  return [
    paint('bold', plain(`${layer.name}   ${headline(layer)}`)),
    ...(layer.crs === null ? [] : [crsLine(layer.crs, paint)]),
    ...extentLines(layer),
    ...ofFile.map(choiceLine),
    ...(picture.length === 0 ? [] : ['', ...picture.map((line) => paint('green', `  ${line}`))]),
    ...columnTable(layer.columns, terminal.out.columns ?? usualColumns),
    ...(ofColumns.length === 0
      ? []
      : ['', paint('dim', '  What an import would decide:'), ...ofColumns.map(choiceLine)]),
    ...(troubles.length + doubts.length === 0 ? [] : ['']),
    ...doubts.map((doubt) => plain(`  ${doubt}`)),
    ...troubles.map(({ severity, text }) => paint(severity === 'error' ? 'red' : 'yellow', plain(`  ${text}`))),
  ]
}

function headline({ rows, geometry, withoutGeometry, vertices }: LayerSeen): string {
  const kinds = Object.entries(geometry).map(([kind, times]) => `${count(times)} ${kind}`)
  return [
    counted(rows, 'row'),
    ...kinds,
    ...(withoutGeometry === null || withoutGeometry === 0 ? [] : [`${count(withoutGeometry)} without geometry`]),
    ...(vertices === 0 ? [] : [counted(vertices, 'vertex', 'vertices')]),
  ].join(', ')
}

function crsLine(crs: CrsSeen, paint: ReturnType<typeof painter>): string {
  if ('problem' in crs) return paint('yellow', plain(`  crs        ${crs.problem} ${crs.hint ?? ''}`))
  const way = crs.transformation === '' ? '' : ` by ${crs.transformation}`
  return plain(`  crs        ${crs.name} ${crs.code}, from ${crs.evidence}, good to ${crs.accuracyM} m${way}`)
}

function extentLines({ bbox, lonLat }: LayerSeen): readonly string[] {
  const spell = (extent: Extent, decimals: number): string => {
    const [west, south, east, north] = extent.map((each) => Number(each.toFixed(decimals)))
    return `${west}, ${south} to ${east}, ${north}`
  }
  const isSame = bbox !== null && lonLat !== null && spell(bbox, 4) === spell(lonLat, 4)
  return [
    ...(bbox === null || isSame ? [] : [`  extent     ${spell(bbox, 3)}`]),
    ...(lonLat === null ? [] : [`  on earth   ${spell(lonLat, 4)}   (longitude, latitude)`]),
  ]
}

// With fewer, the column is of another type.
const nearlyAll = 0.9

/** The cells that do not fit the type of their column, for a person to check. */
function doubtsOf({ name, type, filled, numbers, dates }: ColumnSeen): readonly string[] {
  const doubts: string[] = []
  const [best] = dates
  if (type.startsWith('date ') && best !== undefined) {
    const { impossible, misfits, firstMisfit } = best
    if (firstMisfit !== undefined)
      doubts.push(
        impossible + misfits === 1
          ? `1 of ${count(filled)} is not a real date: ${firstMisfit.text}, row ${firstMisfit.at.row}`
          : `${count(impossible + misfits)} of ${count(filled)} are not real dates, the first is ${firstMisfit.text}, row ${firstMisfit.at.row}`,
      )
  }
  const asNumbers = numbers.typed + numbers.either + Math.max(numbers.point, numbers.comma)
  if (dates.length === 0 && asNumbers < filled && asNumbers >= filled * nearlyAll)
    doubts.push(`${count(asNumbers)} of ${count(filled)} are numbers`)
  return doubts.map((doubt) => `${name}: ${doubt}`)
}

function columnTable(columns: readonly ColumnSeen[], width: number): readonly string[] {
  if (columns.length === 0) return []
  const rows = columns.map((column) => [
    cutTo(plain(column.name), widestName),
    cutTo(column.type, widestType),
    count(column.filled),
    `${column.distinctIsExact ? '' : '> '}${count(column.distinct)}`,
  ])
  const examples = ['examples', ...columns.map((column) => plain(column.examples.slice(0, 3).join(' | ')))]
  const lines = alignedLines([['column', 'type', 'filled', 'different'], ...rows], 2)
  const left = Math.max(12, width - 4 - widthOf(lines[0]!))
  return ['', ...lines.map((line, at) => `  ${line}  ${cutTo(examples[at]!, left)}`.trimEnd())]
}
