/** Reads settings as people type them, KEY=VALUE, where the key is that of a pipeline: geometry.repair=up to 2 %. */

import { WindrowError } from '../../core/error.ts'
import { isObject } from '../../core/values/exact-json.ts'
import { readYaml, type Group } from './yaml-source.ts'

/** A setting: the keys on the way to it, and its value. */
export type Setting = readonly [path: readonly string[], value: unknown]

/** Reads KEY=VALUE. The value is what a pipeline has behind the colon, so that 007 stays a text and [a, b] is a list. */
export function readSetting(written: string): Setting {
  const at = written.indexOf('=')
  const key = written.slice(0, Math.max(0, at)).trim()
  if (at < 1 || key.split('.').includes(''))
    throw new WindrowError('option-invalid', `"${written}" is not a setting.`, {
      hint: 'Write KEY=VALUE with a key of a pipeline, such as --set geometry.repair="up to 2 %".',
    })
  return [key.split('.'), valueOf(written.slice(at + 1))]
}

/** A list, a map or quoted text is YAML; of the rest only numbers, true and false are: A: b #2 is the name of a paddock. */
function valueOf(text: string): unknown {
  const { value, faults } = readYaml(text)
  const isYaml = faults.length === 0 && (/^\s*[[{"']/.test(text) || ['number', 'boolean'].includes(typeof value))
  return isYaml ? value : text
}

/** The same of --only, where the key is the name of a column or of a filter, which may have dots. */
export function readOnly(written: string): Setting {
  const at = written.indexOf('=')
  if (at < 1)
    throw new WindrowError('option-invalid', `--only "${written}" is no filter.`, {
      hint: 'Write NAME=VALUE or NAME=[VALUE, VALUE].',
    })
  const text = written.slice(at + 1)
  return [['only', written.slice(0, at).trim()], /^\s*\[/.test(text) ? valueOf(text) : text]
}

/** These settings with more; of the same key the later one counts. */
export function withSettings(settings: Group, more: readonly Setting[]): Group {
  return more.reduce((all, [path, value]) => withSetting(all, path, value) as Group, settings)
}

function withSetting(inside: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined || value === undefined) return value ?? inside
  if (Array.isArray(inside) && /^\d+$/.test(name))
    return inside.toSpliced(Number(name), 1, withSetting(inside[Number(name)], rest, value))
  const group: Group = isObject(inside) ? inside : {}
  return { ...group, [name]: withSetting(Object.hasOwn(group, name) ? group[name] : undefined, rest, value) }
}

/** The value of a setting; undefined where it is not set. */
export function settingIn(settings: Group, key: string): unknown {
  let value: unknown = settings
  for (const name of key.split('.')) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}
