/** Opens a file by the options that inspect, init and import share. */

import { nearest } from '../../core/values/nearest.ts'
import { allRules, mayBeAllowed } from '../../rules/index.ts'
import { resolve } from 'node:path'
import { withoutGzip } from '../../core/sources/gzip.ts'
import { spooledSource, standardInput, type Source } from '../../core/sources/source.ts'
import { openSource, webOf } from '../../core/sources/open-source.ts'
import { isWebAddress } from '../../core/sources/web-address.ts'
import { naming, WindrowError } from '../../core/error.ts'
import { openFile, type OpenedFile } from '../../formats/index.ts'
import type { Format, FormatOptions } from '../../formats/format.ts'
import { compileDatePattern, type DatePattern } from '../../core/values/date-pattern.ts'
import { columnNamed } from '../../mapping/cell.ts'
import { findZone, machineZone } from '../../mapping/zones.ts'
import { farmSaid } from '../../pipeline/export/find-holding.ts'
import { meaningOf } from '../../pipeline/definition/amounts.ts'
import type { ImportFile } from '../../pipeline/definition/definition-schema.ts'
import { usualRepair } from '../../pipeline/definition/definition.ts'
import { settingIn } from '../../pipeline/definition/settings.ts'
import type { OneOff } from '../../pipeline/inspect/one-off.ts'
import type { Connection } from '../../pipeline/report/course.ts'
import { groupIn, type Group } from '../../resources/groups.ts'
import { publishedTypes, typeToPublish } from '../../resources/index.ts'
import type { Identifier, ResourceType } from '../../resources/resource-type.ts'
import { flag, texts, timing, word, type Call, type Input, type Specs } from './command.ts'
import { formatModuleOption, knownFormats } from './format-module.ts'
import { stateOf } from './reach.ts'
import { setOption, settingsOf, textSet, writtenSettings } from './settings.ts'

/** The words that --to takes without a connection. */
export const typeChoices = publishedTypes.map(({ plural }) => plural)

export const readingOptions: Specs = {
  '--layer <NAME>': 'the layer or sheet to read, if the file has several',
  ...formatModuleOption,
  '--crs <CRS>': 'the coordinate system of the file, such as EPSG:2193; auto: work it out if the file names none',
  '--dates <PATTERN>': 'the format of dates in this file, such as d/M/yyyy',
  ...setOption(['import']),
}

/** The file of the command line, opened. `path` is its name in a pipeline. */
export type Reading = {
  readonly source: Source
  readonly path: string
  readonly opened: OpenedFile
  readonly formats: readonly Format[]
}

/** Opens the named file, or standard input for "-", and closes it after the work. A failure names the file. */
export async function withReading<T>(call: Call, work: (reading: Reading) => Promise<T>): Promise<T> {
  const { folder, stdin, signal } = call
  const formats = await knownFormats(call)
  const said = await settingsOf(call, 'import')
  const file = word(call, 'file')
  const isTyped = file === '-'
  const { source, close } = isTyped
    ? await withoutGzip(await spooledSource(standardInput, stdin, signal), signal)
    : await openSource(file, folder, {
        ...timing(call),
        ...webOf(call, stateOf(call)),
        allowsPrivate: allowsPrivate(said),
      })
  await using closers = new AsyncDisposableStack()
  closers.defer(close)
  try {
    const opened = await openFile(source, {
      signal,
      formats,
      options: formatOptions(said),
      format: textSet(said, 'from.format'),
    })
    closers.defer(opened.close)
    const path = isWebAddress(file) ? file : resolve(folder, isTyped ? 'standard-input' : file)
    return await work({ source, opened, formats, path })
  } catch (cause) {
    throw naming(source.name, cause)
  }
}

/** True where a web address may lead to this machine or a private network. */
export function allowsPrivate(said: Group): boolean {
  return settingIn(said, 'from.private addresses') === 'allow'
}

/** The folder of grids. */
export function gridFolder(call: Call): string | undefined {
  const given = textSet(writtenSettings(call, 'import'), 'from.grids')
  return given === undefined ? undefined : resolve(call.folder, given)
}

/** What is set about the format of the file. */
function formatOptions(said: Group): FormatOptions {
  const {
    layer: _layer,
    format: _format,
    crs: _crs,
    grids: _grids,
    settled: _settled,
    'private addresses': _addresses,
    ...options
  } = groupIn(said, 'from')
  return options as FormatOptions
}

/** The type of record that the rows become. */
export function targetType(input: Input): ResourceType {
  return typeToPublish(textSet(writtenSettings(input, 'import'), 'import') ?? 'plots')
}

export const zoneOption: Specs = {
  '--zone <ZONE>': "the time zone of dates, such as Pacific/Auckland (default: this machine's)",
}

/** Several columns, or one and the place, make a key in parts. */
export const keyOption: Specs = {
  '--key <COLUMN>': {
    description:
      'the id column, different in every row; several columns: give it again, or "A,B"; without ids: name+place, the name and where the boundary lies',
    many: true,
  },
}

/** The pattern of the dates of the file. */
export function datesOf(input: Input): DatePattern | undefined {
  const given = textSet(writtenSettings(input, 'import'), 'dates')
  const pattern = given === undefined ? undefined : compileDatePattern(given)
  return typeof pattern === 'object' ? pattern : undefined
}

/** The time zone that a person named. */
export function zoneOf(input: Input): string | undefined {
  const given = textSet(writtenSettings(input, 'import'), 'zone')
  return given === undefined ? undefined : findZone(given)?.name
}

/** The zone of dates without one: that of --zone, else this machine's. */
export function zoneAndWhy(input: Input): { readonly zone: string; readonly evidence: string } {
  const given = zoneOf(input)
  if (given !== undefined) return { zone: given, evidence: 'set by a person' }
  return { zone: machineZone(), evidence: "this machine's zone; set zone to change it" }
}

/** A file to import, the type of its records, and where they go. */
export type OneFile = {
  readonly reading: Reading
  readonly connection: Connection | undefined
  readonly type: ResourceType
}

/** What the command line says about one file. */
export async function oneOffOf(call: Call, { reading: { source, path }, connection, type }: OneFile): Promise<OneOff> {
  const said = await settingsOf(call, 'import')
  const { blank, match, holding, key = [] } = said as Partial<ImportFile>
  const around = { type, connection, signal: call.signal }
  return {
    file: path,
    fileName: source.name,
    type,
    typeIsSaid: said['import'] !== undefined,
    holding: typeof holding === 'object' ? (holding as Identifier) : await farmSaid(holding, around),
    key: [key].flat().flatMap((each) => (typeof each === 'string' ? (columnNamed(each) ?? each) : [])),
    layer: textSet(said, 'from.layer'),
    format: textSet(said, 'from.format'),
    crs: textSet(said, 'from.crs'),
    grids: gridFolder(call),
    zone: zoneAndWhy(call).zone,
    blank,
    options: formatOptions(said),
    repairUpTo: meaningOf('/geometry/repair', textSet(said, 'geometry.repair')) ?? usualRepair,
    match: meaningOf('/match', match),
    dryRun: flag(call, 'dry-run'),
  }
}

/** How rows find the records that they are, and what does not stop this one run; import and run share these. */
export const ruleOptions: Specs = {
  '--match <HOW>':
    'find records that the service has under other keys and update those: boundary, name, or COLUMN=identifier where the column has ids that the service knows',
  '--allow <RULE>': {
    description: 'let this one run through a rule that would stop it (docs/rules.md lists them); may be given again',
    many: true,
  },
}

/** The rules that do not stop this one run. */
export function allowedBy(input: Input): ReadonlySet<string> {
  const ids = allRules.filter(mayBeAllowed).map(({ id }) => id)
  return new Set(
    texts(input, 'allow').map((written) => {
      const id = written.trim()
      if (ids.includes(id)) return id
      const near = nearest(id, ids)
      const hint =
        near === undefined ? 'docs/rules.md lists the rules that stop a run.' : `Did you mean: --allow ${near}`
      throw new WindrowError('option-invalid', `No rule "${written}" stops a run.`, { hint })
    }),
  )
}
