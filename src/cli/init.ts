/** Runs `windrow init`: looks over a file and drafts a pipeline for it. */

import { existsSync } from 'node:fs'
import { basename, dirname, extname, relative, resolve } from 'node:path'
import { WindrowError } from '../core/error.ts'
import type { TableProfile } from '../core/profile/profile-table.ts'
import { isWebAddress, withoutSecrets } from '../core/sources/web-address.ts'
import { fileTarget } from '../core/sources/target.ts'
import type { Problem } from '../core/problem.ts'
import type { Table } from '../core/row.ts'
import { axisOrderFor } from '../geometry/place/axis-order.ts'
import { crsSaid } from '../geometry/place/missing-crs.ts'
import { suggestFor, type Suggestion } from '../mapping/suggest.ts'
import { doubtsOf } from '../pipeline/prepare/coordinate-system.ts'
import { lookOver } from '../pipeline/inspect/look-over.ts'
import { draftPipeline, type Draft } from '../pipeline/inspect/draft.ts'
import { exportedHolding, seenByService, typeIn, withKey } from '../pipeline/inspect/one-off.ts'
import { chooseTable, tableFor } from '../pipeline/prepare/choose-table.ts'
import { holdingToFillIn } from '../pipeline/definition/holding-text.ts'
import type { Identifier } from '../resources/resource-type.ts'
import {
  connectionOption,
  flag,
  jsonOption,
  text,
  texts,
  type CommandSpec,
  type Input,
  type Surroundings,
} from './command.ts'
import { reach } from './reach.ts'
import {
  datesOption,
  gridFolder,
  holdingOption,
  keyOption,
  withReading,
  readingOptions,
  targetType,
  zoneOf,
  zoneOption,
} from './reading.ts'
import { plain, say } from './terminal.ts'

export const init: CommandSpec = {
  words: [{ name: 'file', description: 'the file, folder, zip or web address that the pipeline will read' }],
  options: [
    { flags: '--to <TYPE>', description: 'what the rows become: plots, holdings or land-covers' },
    { flags: '--holding <SCHEME:ID>', description: 'the farm the records belong to' },
    keyOption,
    {
      flags: '--zone <ZONE>',
      description: "the time zone of dates, such as Pacific/Auckland (default: this machine's)",
    },
    {
      flags: '-o, --out <FILE>',
      description: 'the pipeline file to write (default: in this folder, named after the file)',
    },
    ...readingOptions,
    connectionOption,
    jsonOption,
  ],
  examples: ['windrow init "Rimu paddocks FINAL v3.zip" --to plots --holding nz.example.farm-number:00412876'],
  run: runInit,
}

async function runInit(input: Input, surroundings: Surroundings): Promise<number> {
  const said = targetType(input)
  const connection = await reach(input, surroundings).catch(unlessUnconnected)
  return withReading(input, surroundings, async ({ source, opened, path }) => {
    const { tables, name } = opened
    const { table, profile } = await lookOver(chooseTable(tables, text(input, 'layer'), name), {
      watch: (each) => tableFor(said, each),
      signal: surroundings.signal,
    })
    const { zone } = zoneOption(input)
    const fileName = source.name
    const type = typeIn({ type: said, typeIsSaid: text(input, 'to') !== undefined, fileName }, profile)
    const isWeb = isWebAddress(path)
    const ownName = isWeb ? source.name : basename(path)
    const out = resolve(surroundings.folder, text(input, 'out') ?? `${basename(ownName, extname(ownName))}.yaml`)
    if (existsSync(out))
      throw new WindrowError('target-unwritable', `"${out}" already exists.`, {
        hint: 'Choose another name with -o, or delete it first.',
      })
    const crs = text(input, 'crs')
    const grids = gridFolder(input, surroundings)
    const clue = crs === undefined ? table.crs : ({ from: 'option', text: crs } as const)
    const seen = await seenByService(connection?.client, type, profile, surroundings.signal)
    const suggested = await suggestFor(type, {
      ...seen,
      table,
      profile,
      zone,
      saidZone: zoneOf(input),
      dates: datesOption(input),
      signal: surroundings.signal,
    })
    const suggestion = withKey(suggested, texts(input, 'key'), { profile, serviceIds: seen.serviceIds })
    const given = holdingOption(input)
    const holding = exportedHolding({ holding: given, fileName }, suggestion, profile) ?? holdingOf(given, suggestion)
    const placed = table.hasGeometry ? placeOf(table, crs, profile) : { draft: {}, doubts: [] }
    const yaml = draftPipeline({
      file: isWeb ? path : relative(dirname(out), path).replaceAll('\\', '/'),
      allowsPrivate: flag(input, 'allow-private-addresses'),
      decisions: table.decisions,
      found: [...table.found(), ...placed.doubts],
      profile,
      suggestion,
      holding,
      zone,
      ...(tables.length > 1 ? { layer: table.name } : {}),
      ...placed.draft,
      ...(grids === undefined ? {} : { grids: relative(dirname(out), grids).replaceAll('\\', '/') || '.' }),
    })
    // A web address may contain a password: the file keeps it, readable by its owner only, and it is not shown.
    const shownYaml = isWeb ? yaml.replaceAll(path, withoutSecrets(path)) : yaml
    const target = await fileTarget(out, { private: shownYaml !== yaml })
    await target.write(yaml)
    await target.commit()
    if (flag(input, 'json')) say(surroundings.terminal, JSON.stringify({ pipeline: out, yaml: shownYaml }))
    else {
      const shown = relative(surroundings.folder, out)
      const needsCrs = table.hasGeometry && clue === undefined
      const blanks = [
        ...(holding.scheme === holdingToFillIn.scheme || holding.id === holdingToFillIn.id ? ['the holding'] : []),
        ...(needsCrs ? ['the coordinate system'] : []),
        ...(suggestion.decimalIsUnclear ? ['the decimal separator'] : []),
        ...(suggestion.undecided.length > 0 ? ['the order of day and month'] : []),
        ...(suggestion.fields.length === 0 ? ['the record'] : []),
      ]
      const todo = blanks.length === 0 ? '' : `fill in ${blanks.join(' and ')}, `
      say(
        surroundings.terminal,
        ...shownYaml.trimEnd().split('\n').map(plain),
        '',
        `Written to ${plain(shown)}. Read it, ${todo}then:`,
        `  windrow check "${plain(shown)}"`,
        `  windrow run "${plain(shown)}" --dry-run`,
      )
    }
    return 0
  })
}

/** Without a connection only the headers show which ids the service gave. */
function unlessUnconnected(cause: unknown): undefined {
  if (cause instanceof WindrowError && cause.code === 'connection-missing') return undefined
  throw cause
}

/** The farm that --holding names; for what is missing, the column that names it, or a blank to fill in. */
function holdingOf(given: Identifier | undefined, { holding }: Suggestion): Identifier {
  const id = holding?.column === undefined ? holdingToFillIn.id : `<${holding.column}>`
  return { scheme: given?.scheme ?? holdingToFillIn.scheme, id: given === undefined || given.id === '' ? id : given.id }
}

type Placed = {
  readonly draft: Pick<Draft, 'crs' | 'crsDescribed' | 'crsMissing'>
  readonly doubts: readonly Problem[]
}

type Extents = Pick<TableProfile, 'bbox' | 'firstShapes'>

/** The coordinate system for the draft; where none is named, the one that the coordinates fit. */
function placeOf(table: Table, given: string | undefined, { bbox, firstShapes }: Extents): Placed {
  try {
    const crs = crsSaid(given, table.crs, bbox ?? [Infinity, Infinity, -Infinity, -Infinity])
    const { code, name, evidence } = crs
    const draft =
      code === '' && given === undefined
        ? { crsDescribed: `"${name}" has no EPSG code; it is described by ${evidence} of the file` }
        : { crs: { code: code === '' ? given! : code, evidence: `from ${evidence}` } }
    const isTurned = firstShapes.map(axisOrderFor(crs)).includes('turned')
    return { draft, doubts: isTurned ? [] : doubtsOf(table, crs, { shapes: firstShapes }) }
  } catch (failure) {
    if ((given ?? table.crs) !== undefined || !(failure instanceof WindrowError)) throw failure
    const [candidate = 'EPSG:2193'] = (failure.data?.['candidates'] ?? []) as readonly string[]
    return { draft: { crsMissing: { candidate, hint: failure.hint ?? failure.message } }, doubts: [] }
  }
}
