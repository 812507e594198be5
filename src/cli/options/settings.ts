/** Reads the settings of a command line: --set KEY=VALUE, and the options that have the word of a key. */

import { WindrowError } from '../../core/error.ts'
import { formats } from '../../formats/index.ts'
import { settingKeys } from '../../pipeline/definition/definition-schema.ts'
import { checkSettings } from '../../pipeline/definition/definition.ts'
import { readOnly, readSetting, withSettings, type Setting } from '../../pipeline/definition/settings.ts'
import type { Group } from '../../pipeline/definition/yaml-source.ts'
import { groupIn } from '../../resources/groups.ts'
import { texts, word, type Call, type Input, type Specs } from './command.ts'
import { knownFormats } from './format-module.ts'

type Kind = 'import' | 'export'

/** The keys that a pipeline file has, and a command line does not: it has the file, the connection and the time to run in other words. */
const onlyInFiles = ['windrow', 'connection', 'schedule', 'after', 'examples']
const isOnlyInFiles = (key: string): boolean =>
  onlyInFiles.includes(key.split('.')[0]!) ||
  /^(?:(?:from|to)\.file|from\.(?:folder|pattern|take|then|empty))$/.test(key)

/** The option --set, with the keys for a shell to complete; those with a blank are left to the person. */
export function setOption(kinds: readonly Kind[]): Specs {
  const keys = new Set(kinds.flatMap((kind) => settingKeys(kind, formats)))
  return {
    '--set <KEY=VALUE>': {
      description:
        'set a key of a pipeline, such as "geometry.repair=up to 2 %"; may be given again (docs/pipelines.md lists the keys)',
      many: true,
      choices: [...keys].filter((key) => !key.includes(' ') && !isOnlyInFiles(key)).map((key) => `${key}=`),
    },
  }
}

/** The options that are a key in a word of its own. */
const keyOf: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  import: {
    to: 'import',
    holding: 'holding',
    key: 'key',
    layer: 'from.layer',
    crs: 'from.crs',
    zone: 'zone',
    dates: 'dates',
    match: 'match',
  },
  export: { holding: 'only.holding', from: 'only.from', until: 'only.until', crs: 'to.crs', zone: 'zone' },
}

/** What a person set, checked as far as that is possible without a file: a pipeline, of which parts may still be missing. */
export async function settingsOf(call: Call, kind: Kind): Promise<Group> {
  const what = kind === 'export' ? [[['export'], word(call, 'what')] as const] : []
  const settings = withSettings({}, [...what, ...settingsFor(call, kind)])
  const to = groupIn(settings, 'to')
  // The question which columns there are is no list of columns.
  const checked = to['columns'] === '?' ? { ...settings, to: { ...to, columns: ['?'] } } : settings
  checkSettings(kind, checked, await knownFormats(call))
  return settings
}

/** What a person set, each key by itself. */
export function settingsFor(input: Input, kind: Kind): readonly Setting[] {
  const short = Object.entries(keyOf[kind]).flatMap(([option, key]): readonly Setting[] => {
    const given = [input.options[option] ?? []].flat()
    return given.length === 0 ? [] : [[key.split('.'), given.length === 1 ? given[0] : given]]
  })
  const set = texts(input, 'set').map(readSetting)
  const wrong = set.map(([path]) => path.join('.')).find(isOnlyInFiles)
  if (wrong !== undefined)
    throw new WindrowError(
      'option-invalid',
      `${wrong} cannot be set on the command line: it belongs in a pipeline file.`,
    )
  return [...short, ...filters(input), ...set]
}

/** --only NAME=VALUE; the same name again adds a value. */
function filters(input: Input): readonly Setting[] {
  const byName = Map.groupBy(texts(input, 'only').map(readOnly), ([path]) => path.join('.'))
  return [...byName.values()].map((all): Setting => {
    const values = all.flatMap(([, value]) => value)
    return [all[0]![0], all.length === 1 ? all[0]![1] : values]
  })
}
