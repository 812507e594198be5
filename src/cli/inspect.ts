/** Runs `windrow inspect`: shows what a file contains. */

import { inspectTable, type Inspection, type LayerSeen } from '../pipeline/inspect/inspection.ts'
import { chooseTable } from '../pipeline/prepare/choose-table.ts'
import type { Table } from '../core/row.ts'
import { flag, jsonOption, text, type Call, type CommandSpec } from './options/command.ts'
import { fileLine, layerLines } from './screen/inspect-text.ts'
import { datesOf, gridFolder, withReading, readingOptions } from './options/reading.ts'
import { startSketch } from './screen/sketch.ts'
import { say } from './screen/terminal.ts'

export const inspect: CommandSpec = {
  words: [{ name: 'file', description: 'the file, folder, zip or web address; - for standard input' }],
  options: [...readingOptions, jsonOption],
  examples: ['windrow inspect "Rimu paddocks FINAL v3.zip"', 'windrow inspect nightly.csv --json'],
  run: runInspect,
}

type Shown = { readonly layer: LayerSeen; readonly picture: readonly string[] }

async function runInspect(call: Call): Promise<void> {
  const { terminal } = call
  return withReading(call, async ({ source, opened }) => {
    const wanted = text(call, 'layer')
    const tables = wanted === undefined ? opened.tables : [chooseTable(opened.tables, wanted, opened.name)]
    const shown: Shown[] = []
    for (const table of tables) shown.push(await look(table, call))
    const inspection: Inspection = {
      windrow: 'inspection',
      version: 1,
      file: opened.name,
      bytes: source.members === undefined ? source.size : 0,
      format: opened.format.name,
      layers: shown.map(({ layer }) => layer),
    }
    if (flag(call, 'json')) say(terminal, JSON.stringify(inspection))
    else {
      say(terminal, fileLine(inspection, opened.format.title))
      for (const { layer, picture } of shown) say(terminal, '', ...layerLines(layer, picture, terminal))
    }
  })
}

const pictureLimits = { wide: 60, tall: 20 }

async function look(table: Table, call: Call): Promise<Shown> {
  const { terminal, signal } = call
  const hasRoom = terminal.out.isTTY === true && (terminal.out.columns ?? 0) > pictureLimits.wide + 4
  const draws = hasRoom && !flag(call, 'json')
  let sketch = startSketch()
  const layer = await inspectTable(table, {
    crs: text(call, 'crs'),
    grids: gridFolder(call),
    dates: datesOf(call),
    ...(draws ? { onShape: (shape) => sketch.add(shape), onAgain: () => (sketch = startSketch()) } : {}),
    signal,
  })
  const isLonLat = layer.lonLat !== null && layer.lonLat.every((each, index) => each === layer.bbox?.[index])
  return { layer, picture: draws && layer.vertices > 0 ? sketch.lines({ ...pictureLimits, isLonLat }) : [] }
}
