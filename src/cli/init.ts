/** Runs `windrow init`: looks over a file and drafts a pipeline for it. */

import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { WindrowError } from '../core/error.ts'
import { isObject } from '../core/values/exact-json.ts'
import type { TableProfile } from '../core/profile/profile-table.ts'
import { isWebAddress, withoutSecrets } from '../core/sources/web-address.ts'
import { relativePath } from '../core/sources/relative-path.ts'
import { writeTarget } from '../core/sources/target.ts'
import type { Table } from '../core/row.ts'
import { axisOrderFor } from '../geometry/place/axis-order.ts'
import { crsSaid } from '../geometry/place/missing-crs.ts'
import { choiceOf, columnsTaken, fieldChoices } from '../mapping/choice.ts'
import type { Suggestion } from '../mapping/suggest.ts'
import { doubtsOf } from '../pipeline/prepare/coordinate-system.ts'
import { draftPipeline, schemaPath, type Draft } from '../pipeline/inspect/draft.ts'
import { exportedHolding, otherFarmIn, lookAtFile, withKey } from '../pipeline/inspect/one-off.ts'
import { pipelineSchema } from '../pipeline/definition/definition-schema.ts'
import { holdingToFillIn } from '../pipeline/definition/holding-text.ts'
import { farmSaid } from '../pipeline/export/find-holding.ts'
import type { Identifier } from '../resources/resource-type.ts'
import { askMissing, canAsk, findingOf, listMissing } from './options/ask-missing.ts'
import { connectionOption, flag, jsonOption, text, texts, type Call, type CommandSpec } from './options/command.ts'
import { reach } from './options/reach.ts'
import { writtenSettings } from './options/settings.ts'
import { unlessUnconnected } from './running/import-report.ts'
import {
  allowsPrivate,
  datesOf,
  gridFolder,
  keyOption,
  withReading,
  readingOptions,
  targetType,
  typeChoices,
  zoneOf,
  zoneAndWhy,
  zoneOption,
  type OneFile,
  type Reading,
} from './options/reading.ts'
import { plain, say } from './screen/terminal.ts'

export const init: CommandSpec = {
  words: { file: 'the file, folder, zip or web address that the pipeline will read' },
  options: {
    '--to <TYPE>': { description: 'what the rows become: plots, holdings or land-covers', choices: typeChoices },
    '--holding <FARM>': 'the farm the records belong to: SCHEME:ID, or its name or number',
    ...keyOption,
    ...zoneOption,
    '-o, --out <FILE>': 'the pipeline file to write (default: in this folder, named after the file)',
    ...readingOptions,
    ...connectionOption,
    ...jsonOption,
  },
  examples: ['windrow init "Rimu paddocks FINAL v3.zip" --to plots --holding nz.example.farm-number:00412876'],
  run: runInit,
}

async function runInit(call: Call): Promise<void> {
  const type = targetType(call)
  // Without a connection only the headers show which ids the service gave.
  const connection = await reach(call, undefined, { isTrial: true }).catch(unlessUnconnected(call))
  return withReading(call, async (reading) => {
    const about = { reading, connection, type }
    const answered = await withAnswers(call, about)
    const out = newPipeline(answered, reading)
    const draft = await draftOf(answered, about, dirname(out))
    const yaml = draftPipeline(draft)
    const { path, formats } = reading
    // A web address may contain a password: the file keeps it, readable by its owner only, and it is not shown.
    const shownYaml = isWebAddress(path) ? yaml.replaceAll(path, withoutSecrets(path)) : yaml
    await writeTarget(out, yaml, { private: shownYaml !== yaml })
    // Beside the pipeline, so that any editor finds it without a network, on every machine that the folder is copied to.
    const schemaFile = join(dirname(out), schemaPath)
    await mkdir(dirname(schemaFile), { recursive: true, mode: 0o700 })
    await writeTarget(schemaFile, `${JSON.stringify(pipelineSchema(formats), undefined, 2)}\n`)
    if (flag(call, 'json')) say(call.terminal, JSON.stringify({ pipeline: out, yaml: shownYaml }))
    else {
      const shown = plain(relative(call.folder, out))
      const blanks = blanksOf(draft)
      const todo = blanks.length === 0 ? '' : `fill in ${blanks.join(' and ')}, `
      say(
        call.terminal,
        ...shownYaml.trimEnd().split('\n').map(plain),
        '',
        `Written to ${shown}. Read it, ${todo}then:`,
        `  windrow check "${shown}"`,
        `  windrow run "${shown}" --dry-run`,
      )
    }
  })
}

/** Where the pipeline will be written. Throws 'target-unwritable' if something is there. */
function newPipeline(call: Call, { path, source }: Reading): string {
  const name = isWebAddress(path) ? source.name : basename(path)
  const out = resolve(call.folder, text(call, 'out') ?? `${basename(name, extname(name))}.yaml`)
  if (!existsSync(out)) return out
  throw new WindrowError('target-unwritable', `"${out}" already exists.`, {
    hint: 'Choose another name with -o, or delete it first.',
  })
}

/** Looks over the file, and gathers what the pipeline in `folder` says of it. */
async function draftOf(call: Call, { reading, connection, type: said }: OneFile, folder: string): Promise<Draft> {
  const { opened, path } = reading
  const { signal } = call
  const fileName = reading.source.name
  const { zone } = zoneAndWhy(call)
  const seen = await lookAtFile(
    opened,
    { layer: text(call, 'layer'), type: said, typeIsSaid: text(call, 'to') !== undefined, fileName, zone },
    { dates: datesOf(call), saidZone: zoneOf(call), connection, signal },
  )
  const { table, profile, type } = seen
  const suggestion = withKey(seen.suggestion, texts(call, 'key'), seen)
  const given = await farmSaid(text(call, 'holding'), { type, connection, signal })
  const holding =
    exportedHolding({ holding: given, fileName }, suggestion, profile) ?? holdingOrBlank(given, suggestion)
  const ofOtherFarm = await otherFarmIn({ fileName, holding, type }, profile, { connection, signal })
  const isZoneUsed = fieldChoices(suggestion.choices).some(
    ({ value }) => isObject(value) && 'date' in value && value['zone'] === zone,
  )
  const checks = [
    ...ofOtherFarm.flatMap(({ message, hint, setting }) => [`please check: ${message}`, `${setting}. ${hint}`]),
    ...(isZoneUsed && zoneOf(call) === undefined
      ? [`please check: the zone of the dates, ${zone}, is that of this machine; --zone chooses another`]
      : []),
  ]
  const grids = gridFolder(call)
  const placed = table.hasGeometry ? crsForDraft(table, text(call, 'crs'), profile) : { draft: {}, doubts: [] }
  return {
    file: isWebAddress(path) ? path : relativePath(folder, path),
    allowsPrivate: allowsPrivate(writtenSettings(call, 'import')),
    choices: table.choices,
    found: [...table.found(), ...placed.doubts],
    profile,
    suggestion: { ...suggestion, notes: [...suggestion.notes, ...checks] },
    holding,
    zone,
    ...(opened.tables.length > 1 ? { layer: table.name } : {}),
    ...placed.draft,
    ...(grids === undefined ? {} : { grids: relativePath(folder, grids) || '.' }),
  }
}

/** What a person has to fill in before the pipeline can run. */
function blanksOf({ holding, crsMissing, suggestion }: Draft): readonly string[] {
  const asked = suggestion.choices.filter(({ certainty }) => certainty === 'ask').map(({ setting }) => setting)
  return [
    ...(holding.scheme === holdingToFillIn.scheme || holding.id === holdingToFillIn.id ? ['the holding'] : []),
    ...(crsMissing === undefined ? [] : ['the coordinate system']),
    ...(asked.includes('from.decimal') ? ['the decimal separator'] : []),
    ...(asked.some((setting) => setting.startsWith('record.')) ? ['the order of day and month'] : []),
    ...(fieldChoices(suggestion.choices).length === 0 ? ['the record'] : []),
  ]
}

/** In a terminal the input with what was missing; else an unclear layer is refused with everything that is missing. */
async function withAnswers(call: Call, about: OneFile): Promise<Call> {
  if (canAsk(call)) return askMissing('init', await findingOf(call, about), call)
  if (about.reading.opened.tables.length === 1 || text(call, 'layer') !== undefined) return call
  throw (await listMissing('init', await findingOf(call, about), call)) ?? new Error('No layer is missing.')
}

/**
 * The farm that --holding names; for what is missing, the column that names it, or a blank to fill in. Throws a WindrowError if
 * only a scheme was named, and no column has the ids.
 */
function holdingOrBlank(given: Identifier | undefined, { choices, type }: Suggestion): Identifier {
  const columnOf = (setting: string): string | undefined => columnsTaken(choiceOf(choices, setting)?.value)[0]
  const column = columnOf('holding') ?? (type.plural === 'holdings' ? columnOf('key') : undefined)
  if (given?.id === '' && column === undefined)
    throw new WindrowError(
      'holding-missing',
      `--holding "${given.scheme}" names no farm, and no column of the file does.`,
      { hint: 'Write SCHEME:ID, such as nz.example.farm-number:00412876.' },
    )
  const id = column === undefined ? holdingToFillIn.id : `<${column}>`
  return { scheme: given?.scheme ?? holdingToFillIn.scheme, id: given === undefined || given.id === '' ? id : given.id }
}

/** The coordinate system for the draft; where none is named, the one that the coordinates fit. */
function crsForDraft(table: Table, given: string | undefined, { bbox, firstShapes }: TableProfile) {
  try {
    const crs = crsSaid(given, table.crs, firstShapes, bbox)
    const isTurned = firstShapes.map(axisOrderFor(crs)).includes('turned')
    const { code, name, evidence } = crs
    const turned = isTurned
      ? ', but with latitude or northing first; a run exchanges the two if every row is like this'
      : ''
    const draft =
      code === '' && given === undefined
        ? { crsDescribed: `"${name}" has no EPSG code; it is described by ${evidence} of the file` }
        : { crs: { code: code === '' ? given! : code, evidence: `from ${evidence}${turned}` } }
    return { draft, doubts: isTurned ? [] : doubtsOf(table, crs, { shapes: firstShapes }) }
  } catch (failure) {
    if ((given ?? table.crs) !== undefined || !(failure instanceof WindrowError)) throw failure
    const [candidate = 'EPSG:2193'] = (failure.data?.['candidates'] ?? []) as readonly string[]
    return { draft: { crsMissing: { candidate, hint: failure.hint ?? failure.message } }, doubts: [] }
  }
}
