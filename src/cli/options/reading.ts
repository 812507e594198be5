/** Opens a file by the options that inspect, init and import share. */

import { nearest } from '../../core/values/nearest.ts'
import { allRules, mayBeAllowed } from '../../rules/index.ts'
import { resolve } from 'node:path'
import { withoutGzip } from '../../core/sources/gzip.ts'
import { spooledSource, standardInput, type Source } from '../../core/sources/source.ts'
import { openSource, webOf } from '../../core/sources/open-source.ts'
import { isWebAddress } from '../../core/sources/web-address.ts'
import { naming, WindrowError } from '../../core/error.ts'
import type { Format } from '../../formats/format.ts'
import { settingIn, withSettings } from '../../pipeline/definition/settings.ts'
import type { Group } from '../../resources/groups.ts'
import { publishedTypes } from '../../resources/index.ts'
import { texts, timing, word, type Call, type Input, type Specs } from './command.ts'
import { formatModuleOption, knownFormats } from './format-module.ts'
import { stateOf } from './reach.ts'
import { setOption, settingsOf } from './settings.ts'

/** The words that --to takes without a connection. */
export const typeChoices = publishedTypes.map(({ plural }) => plural)

export const readingOptions: Specs = {
  '--layer <NAME>': 'the layer or sheet to read, if the file has several',
  ...formatModuleOption,
  '--crs <CRS>': 'the coordinate system of the file, such as EPSG:2193',
  '--dates <PATTERN>': 'the format of dates in this file, such as d/M/yyyy',
  ...setOption(['import']),
}

/** The file of the command line. `path` is its name in a pipeline, `said` is what a person set. */
export type Reading = {
  readonly source: Source
  readonly path: string
  readonly said: Group
  readonly formats: readonly Format[]
}

/** Opens the source of the named file, or standard input for "-", and closes it after the work. A failure names the file. */
export async function withReading<T>(call: Call, work: (reading: Reading) => Promise<T>): Promise<T> {
  const { folder, stdin, signal } = call
  const formats = await knownFormats(call)
  const said = withFolder(await settingsOf(call, 'import'), folder)
  const file = word(call, 'file')
  const isTyped = file === '-'
  const { source, close } = isTyped
    ? await withoutGzip(await spooledSource(standardInput, stdin, signal), signal)
    : await openSource(file, folder, {
        ...timing(call),
        ...webOf(call, stateOf(call)),
        allowsPrivate: settingIn(said, 'from.private addresses') === 'allow',
      })
  try {
    const path = isWebAddress(file) ? file : resolve(folder, isTyped ? 'standard-input' : file)
    return await work({ source, path, said, formats })
  } catch (cause) {
    throw naming(source.name, cause)
  } finally {
    await close()
  }
}

/** The settings with the folder of grids as a whole path: a person means it from where the command is typed. */
function withFolder(said: Group, folder: string): Group {
  const grids = settingIn(said, 'from.grids') as string | number | undefined
  return grids === undefined ? said : withSettings(said, [[['from', 'grids'], resolve(folder, `${grids}`)]])
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

/** The rows to take. */
export const onlyOption: Specs = {
  '--only <COLUMN=VALUE>': {
    description: 'only rows with this value, such as STATUS=Active or "STATUS=[Active, New]"; may be given again',
    many: true,
  },
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
