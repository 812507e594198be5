/** Reads a pipeline file into typed values, or reports everything that is wrong with it. */

import type { JsonSchema } from '../../core/object-schema.ts'
import { isUtf8 } from 'node:buffer'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { isObject } from '../../core/values/exact-json.ts'
import { WindrowError } from '../../core/error.ts'
import { spelledAsThere } from '../../core/sources/file-tree.ts'
import { fileSource, readAll } from '../../core/sources/source.ts'
import { isWebAddress } from '../../core/sources/web-address.ts'
import { nearest } from '../../core/values/nearest.ts'
import type { Format } from '../../formats/format.ts'
import type { MappingSpec } from '../../mapping/compile.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { findResourceType } from '../../resources/index.ts'
import { checkAgainst } from '../../resources/validation.ts'
import type { Value, Values } from '../../core/row.ts'
import { meaningOf } from './amounts.ts'
import { checkMeaning } from './definition-check.ts'
import { apartFromOptions, schemaWith, type ExportFile, type ImportFile } from './definition-schema.ts'
import { fileInvalid, findingsFor, type Findings } from './pipeline-mistakes.ts'
import { readRuling, type Ruling } from '../../core/rule.ts'
import { findRule } from '../../rules/index.ts'
import { readHolding } from './holding-text.ts'
import { rowFilterOf } from './row-filter.ts'
import { scheduleOf } from './schedule-keys.ts'
import { withSettings, type Setting } from './settings.ts'
import { readYaml, type Group } from './yaml-source.ts'

/** A row and what its record must hold; `gives` may be a part of the record. */
export type Example = { readonly row: Values; readonly gives: Readonly<Record<string, Value>> }

/** What to do where the record has a value and the row has none. Without a policy the value is kept and the gap reported. */
export type BlankPolicy = 'keep' | 'clear' | undefined

/** A folder where files arrive, and what to do with each file. */
export type WatchFolder = ReturnType<typeof watchOf>

/** A pipeline that reads a file into the service. Paths are absolute, web addresses as written. */
export type ImportPipeline = Readonly<ReturnType<typeof importOf>>

/** A pipeline that exports records of the service to a file, as it is written; the default zone is the machine's. */
export type ExportPipeline = Readonly<ReturnType<typeof exportOf>>

export type Pipeline = ImportPipeline | ExportPipeline

const mostBytes = 1 << 20
/** The share of the area that a repair may change by default. */
const usualRepair = 0.01

/**
 * Reads a pipeline file. `formats` add their options to those known under `from` and `to`; `set` are settings for one run, which count
 * in place of those of the file.
 */
export async function readPipeline(
  path: string,
  formats: readonly Format[] = [],
  set: readonly Setting[] = [],
): Promise<Pipeline> {
  const bytes = await readAll(await fileSource(path), mostBytes)
  if (!isUtf8(bytes))
    throw new WindrowError('pipeline-invalid', `The pipeline "${basename(path)}" is not UTF-8 text.`, {
      hint: 'Save it again as UTF-8; most editors have "Save with encoding".',
      data: { path, findings: [] },
    })
  return parsePipeline(new TextDecoder().decode(bytes), await spelledAsThere(path), formats, set)
}

/** Reads the text of a pipeline file; `path` gives its name and folder. Throws `pipeline-invalid` with all findings. */
export function parsePipeline(
  text: string,
  path: string,
  formats: readonly Format[] = [],
  set: readonly Setting[] = [],
): Pipeline {
  const source = readYaml(text)
  const findings = findingsFor(path, source, set)
  if (findings.all.length > 0) throw fileInvalid('pipeline-invalid', path, findings.all)
  const raw = isObject(source.value) ? withSettings(source.value, set) : source.value
  return { ...pipelineOf(raw, path, { findings, formats, code: 'pipeline-invalid' }), set }
}

type Reading = {
  readonly findings: Findings
  readonly formats: readonly Format[]
  readonly code: 'pipeline-invalid' | 'option-invalid'
}

function pipelineOf(raw: unknown, path: string, { findings, formats, code }: Reading): Pipeline {
  const kind = isObject(raw) ? kindOf(raw) : undefined
  if (!isObject(raw))
    findings.add('', {
      message: 'This is not a pipeline. A pipeline begins with "windrow: 1" and has lines of the form  name: value.',
      hint: 'To read a file of records, use windrow import.',
    })
  else if (kind === undefined)
    findings.add('', {
      message: 'The pipeline has neither import nor export.',
      hint: 'Write import: plots, or export: plots.',
    })
  else {
    checkForm(schemaWith(kind, formats), raw, findings)
    checkMeaning(kind, raw, findings)
  }
  if (findings.all.length > 0) throw fileInvalid(code, path, findings.all)
  return kind === 'import' ? importOf(raw as ImportFile, path) : exportOf(raw as ExportFile, path)
}

/** A pipeline as a program gives it, in the words of a pipeline file; its paths are relative to the folder of `path`. */
export function pipelineFrom(raw: Group, path: string, formats: readonly Format[] = []): Pipeline {
  return pipelineOf({ windrow: 1, ...raw }, path, { findings: findingsFor(path), formats, code: 'option-invalid' })
}

/** Throws `option-invalid` for settings that no pipeline of this kind may have. What is missing may still be decided. */
export function checkSettings(kind: 'import' | 'export', settings: Group, formats: readonly Format[]): void {
  const findings = findingsFor('What was set')
  const whole =
    kind === 'import' ? completed(settings) : { ...plainExport, ...settings, to: withFile(settings['to'], 'file') }
  checkForm(schemaWith(kind, formats), whole, findings)
  checkMeaning(kind, whole, findings)
  if (findings.all.length > 0) throw fileInvalid('option-invalid', 'What was set', findings.all)
}

const plainExport = { windrow: 1, export: 'plots' }

function withFile(group: unknown = {}, file: string): unknown {
  return isObject(group) ? { file, ...group } : group
}

/** The settings with something in place of what deciding adds or puts into the form of a pipeline: type, file, farm and key. */
function completed(settings: Group): Group {
  const { import: type = 'plots', holding = '', key = '<key>', record = {} } = settings
  const isKnown = findResourceType(String(type)) !== undefined
  return {
    windrow: 1,
    ...settings,
    import: isKnown ? type : 'plots',
    from: withFile(settings['from'], 'https://windrow.example/file'),
    holding: typeof holding === 'string' ? 'scheme:id' : holding,
    key: typeof key === 'object' && !Array.isArray(key) ? key : '<key>',
    // Its fields may be a part of what is decided.
    record: isObject(record) ? {} : record,
  }
}

/** Adds what does not fit a schema. A required name that is misspelt is one mistake, reported at the misspelt name. */
export function checkForm(schema: JsonSchema, raw: unknown, findings: Findings): void {
  const found = checkAgainst(schema, raw)
  const missing = found.filter(({ code }) => code === 'field-missing').map(({ path }) => path)
  const meant = found
    .filter(({ code }) => code === 'field-unknown')
    .map(({ path, value }) => {
      const level = path.slice(0, path.lastIndexOf('/') + 1)
      const names = missing.filter((each) => each.startsWith(level)).map((each) => each.slice(level.length))
      return level + nearest(value ?? '', names)
    })
  for (const { path, message, hint, code } of found)
    if (path === '/guard')
      findings.add(path, {
        message: 'What was under "guard" is now under "rules".',
        hint: 'Write the rules and what to do, such as: rules: { deletes: stop above 5 %, far: allow }. docs/rules.md lists them.',
        what: 'name',
      })
    else if (code !== 'field-missing' || !meant.includes(path))
      findings.add(path, {
        message,
        hint,
        what: code === 'field-unknown' || code === 'field-missing' ? 'name' : 'value',
      })
}

function kindOf(raw: Readonly<Record<string, unknown>>): 'import' | 'export' | undefined {
  const kinds = ['import', 'export'] as const
  const said = kinds.find((kind) => Object.hasOwn(raw, kind))
  if (said !== undefined) return said
  const near = Object.keys(raw).map((name) => nearest(name, kinds))
  return kinds.find((kind) => near.includes(kind))
}

/** The name of a pipeline: that of its file, without its ending. macOS may write accents apart; people type them in one. */
export function pipelineName(path: string): string {
  return basename(path, extname(path)).normalize('NFC')
}

function sharedOf(raw: ImportFile | ExportFile, word: string, path: string) {
  return {
    name: pipelineName(path),
    path,
    connection: raw.connection,
    type: findResourceType(word)!,
    schedule: scheduleOf(raw),
    /** What a person set for this run, in place of what the file says. */
    set: [] as readonly Setting[],
    /** The pipelines of the same folder that must run well first. */
    after: raw.after === undefined ? undefined : ([raw.after].flat() as string[]).map((name) => name.normalize('NFC')),
  }
}

function importOf(raw: ImportFile, path: string) {
  const { file, folder, pattern: _, take: __, then: ___, empty: ____, ...read } = raw.from
  const { own, options } = apartFromOptions(read)
  const { grids, settled: quiet, 'private addresses': inside, ...asWritten } = own
  const watch = folder === undefined ? undefined : watchOf(raw.from, folder, dirname(path))
  const { multipart = 'keep', repair, slivers, heights, decimals = 7 } = raw.geometry ?? {}
  const shared = sharedOf(raw, raw.import, path)
  return {
    kind: 'import' as const,
    ...shared,
    from: {
      /** Of a watched folder: the folder and its pattern, until a run chooses a file. */
      file: watch === undefined ? pathFrom(file!, path) : join(watch.folder, watch.pattern),
      watch,
      /** Whether a web address may point to this machine or a private network. */
      allowsPrivate: inside === 'allow',
      ...asWritten,
      /** The folder of grids that lead from old datums to WGS 84. */
      grids: grids === undefined ? undefined : resolve(dirname(path), grids),
      settledMs: meaningOf('/from/settled', quiet) ?? (watch === undefined ? 0 : watchSettledMs),
      options,
    },
    columns: { expect: raw.columns?.expect, new: raw.columns?.new ?? 'warn', missing: raw.columns?.missing ?? 'stop' },
    mapping: mappingOf(raw, shared.type),
    only: rowFilterOf((raw.only ?? {}) as Readonly<Record<string, Value>>),
    geometry: {
      multipart,
      repairUpTo: meaningOf('/geometry/repair', repair) ?? usualRepair,
      sliversM: meaningOf('/geometry/slivers', slivers) || undefined,
      keepHeights: heights === 'keep',
      decimals,
      /** Overlaps up to this width are cut off the smaller boundary; without it, none are. */
    },
    blank: raw.blank,
    match: meaningOf('/match', raw.match),
    gone: raw.gone ?? 'keep',
    rules: rulingsOf(raw.rules ?? {}),
    examples: (raw.examples ?? []) as readonly Example[],
  }
}

function rulingsOf(written: Readonly<Record<string, string | undefined>>): Readonly<Record<string, Ruling>> {
  return Object.fromEntries(
    Object.entries(written).flatMap(([id, text]) => {
      const rule = findRule(id)
      const ruling = rule && text !== undefined ? readRuling(rule, text) : undefined
      return typeof ruling === 'object' ? [[id, ruling] as const] : []
    }),
  )
}

/** A file that arrives in a folder may still grow, so it must be unchanged for this long unless `settled` says otherwise. */
const watchSettledMs = 10_000

function watchOf(
  { pattern = '*', take = 'newest', then = 'keep', empty }: ImportFile['from'],
  folder: string,
  beside: string,
) {
  const moveTo = meaningOf('/from/then', then)?.folder
  return {
    folder: resolve(beside, folder),
    pattern,
    take,
    /** The folder for files that were read; without it they stay. */
    moveTo: moveTo && resolve(beside, moveTo),
    allowsNone: empty === 'allow',
  }
}

/** A path relative to the pipeline file, or a web address as it is. */
function pathFrom(file: string, path: string): string {
  return isWebAddress(file) ? file : resolve(dirname(path), file)
}

/** The mapping of columns to fields. A holding without a key is identified by its own id. */
function mappingOf(raw: ImportFile, type: ResourceType): MappingSpec {
  const holding = typeof raw.holding === 'string' ? readHolding(raw.holding) : raw.holding
  const key = (raw.key ?? (raw.import === 'holdings' ? holding.id : undefined)) as Value
  const { decimal } = raw.from
  return {
    type,
    holding,
    record: raw.record as MappingSpec['record'],
    rows: raw.rows ?? 'one',
    key,
    decimal,
    zone: raw.zone,
    ...(raw.dates !== undefined && { dates: raw.dates }),
    sourceScheme: raw.source?.scheme,
  }
}

function exportOf(raw: ExportFile, path: string) {
  const { only = {}, zone, units = {}, to } = raw
  const shared = sharedOf(raw, raw.export, path)
  return { kind: 'export' as const, ...shared, only, zone, units, to: { ...to, file: pathFrom(to.file, path) } }
}
