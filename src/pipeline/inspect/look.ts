/** Looks at a file: reads all rows of its tables once and returns what is in them, as facts. It decides nothing about columns. */

import { readThrough, type TableProfile } from '../../core/profile/profile-table.ts'
import type { Problem, Severity } from '../../core/problem.ts'
import type { Choice, Row, Table } from '../../core/row.ts'
import { judge, usualPolicy } from '../../core/rule.ts'
import type { Source } from '../../core/sources/source.ts'
import { isObject } from '../../core/values/exact-json.ts'
import type { Format, FormatOptions } from '../../formats/format.ts'
import { formats as allFormats, openFile } from '../../formats/index.ts'
import { holdsNames } from '../../core/values/header-words.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { textRules } from '../../rules/letters.ts'
import type { Group } from '../definition/yaml-source.ts'
import { chooseTable, onlyTable, tableFor } from '../prepare/choose-table.ts'
import { fingerprintOf } from '../prepare/prepare.ts'

/** Problems of rows by their code: how many there are, and the first. */
export type InRows = {
  readonly code: string
  readonly severity: Severity
  readonly count: number
  readonly first: Problem
}

/**
 * What all rows of a table contain. `choices` are what was decided about its bytes and its columns with geometry, `found` is what is
 * wrong with it as a whole.
 */
export type TableFacts = {
  readonly table: Table
  readonly profile: TableProfile
  readonly choices: readonly Choice[]
  readonly found: readonly Problem[]
  readonly inRows: readonly InRows[]
}

/** What is in a file. `layers` are all its tables, of which `tables` were looked at; they can be read until `close`. */
export type Facts = {
  readonly name: string
  readonly format: Format
  readonly bytes: number
  /** A text that changes with the file. */
  readonly fingerprint: string
  readonly layers: readonly Table[]
  readonly tables: readonly TableFacts[]
  close(): Promise<void>
}

export type LookAround = {
  readonly formats?: readonly Format[]
  /** True to look at all layers, although one may be the only one that can be meant. */
  readonly everyLayer?: boolean
  readonly signal?: AbortSignal | undefined
}

/** Looks at the layer that is meant, or at all of them where that is not clear. `said` is what a person set, as in a pipeline. */
export async function lookAt(source: Source, said: Group, around: LookAround = {}): Promise<Facts> {
  const { formats = allFormats, everyLayer = false, signal } = around
  const { layer, format } = fromOf(said)
  const opened = await openFile(source, {
    formats,
    format: typeof format === 'string' ? format : undefined,
    options: optionsIn(said, formats),
    how: 'look',
    signal,
  })
  try {
    const only = everyLayer ? undefined : onlyTable(opened.tables)
    const wanted =
      typeof layer !== 'string'
        ? only === undefined
          ? opened.tables
          : [only]
        : [chooseTable(opened.tables, layer, opened.name)]
    const tables: TableFacts[] = []
    for (const each of wanted) tables.push(await lookAtTable(each, signal))
    return {
      name: opened.name,
      format: opened.format,
      bytes: source.members === undefined ? source.size : 0,
      fingerprint: await fingerprintOf(source),
      layers: opened.tables,
      tables,
      close: opened.close,
    }
  } catch (cause) {
    await opened.close()
    throw cause
  }
}

function fromOf(said: Group): Group {
  return isObject(said['from']) ? said['from'] : {}
}

/** The options of formats among what a person set under `from`. */
function optionsIn(said: Group, formats: readonly Format[]): FormatOptions {
  const known = new Set(formats.flatMap(({ options }) => Object.keys(options.properties)))
  return Object.fromEntries(Object.entries(fromOf(said)).filter(([name]) => known.has(name))) as FormatOptions
}

/** Reads all rows of a table. */
export async function lookAtTable(given: Table, signal?: AbortSignal): Promise<TableFacts> {
  const inRows = new Map<string, { count: number; readonly first: Problem }>()
  const onProblem = (each: Problem): void => {
    const known = inRows.get(each.code)
    if (known === undefined) inRows.set(each.code, { count: 1, first: each })
    else known.count += 1
  }
  const onQuestionMark = (row: Row): void => lettersLostIn(row).forEach(onProblem)
  const { table, profile } = await readThrough(given, signal, { onProblem, onQuestionMark })
  return {
    table,
    profile,
    choices: table.choices,
    found: table.found(),
    inRows: [...inRows].map(([code, each]) => ({ code, severity: each.first.severity, ...each })),
  }
}

/** What is found about question marks inside the words of names, by the headers of their columns. */
function lettersLostIn({ values, at: place }: Row): readonly Problem[] {
  return Object.entries(values).flatMap(([column, now]) => {
    if (typeof now !== 'string' || !now.includes('?') || !holdsNames(column)) return []
    const found = judge(textRules, { path: '/name', now, isReported: true }, { policy: usualPolicy, place })
    return found.map((each) => ({ ...each, path: undefined, column }))
  })
}

/** The same facts for records of a type: without the points that two columns make, where such records have none. */
export function factsFor(type: ResourceType, facts: TableFacts): TableFacts {
  const table = tableFor(type, facts.table)
  if (table === facts.table) return facts
  const { profile } = facts
  const none = { shapes: {}, withoutShape: profile.rows, vertices: 0, bbox: undefined, firstShapes: [], points: [] }
  return { ...facts, table, profile: { ...profile, ...none }, choices: table.choices, found: table.found() }
}
