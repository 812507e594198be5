/** Loads a format of your own from a JavaScript module, for the option --format-module. */

import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { WindrowError } from '../../core/error.ts'
import type { Format } from '../../formats/format.ts'
import { adoptFormat } from '../../formats/outside-format.ts'
import { formats } from '../../formats/index.ts'
import { text, type Call, type Specs } from './command.ts'

export const formatModuleOption: Specs = {
  '--format-module <FILE>':
    'a JavaScript module with a file format of your own, tried first; it is code: load only what you trust',
}

/** The formats of this run: the module's, if one is named, then windrow's own. */
export async function knownFormats(call: Call): Promise<readonly Format[]> {
  const named = text(call, 'format-module')
  if (named === undefined) return formats
  const path = resolve(call.folder, named)
  if (!existsSync(path))
    throw new WindrowError('file-missing', `The format module "${path}" was not found.`, {
      hint: 'Check the spelling and the folder.',
    })
  const origin = `"${basename(path)}"`
  const module = await load(path, origin)
  const format = module['format'] ?? module['default']
  if (format === undefined)
    throw new WindrowError('format-failed', `The format module ${origin} exports no format.`, {
      hint: 'Export it as default, or under the name "format".',
    })
  return [adoptFormat(format, origin), ...formats]
}

async function load(path: string, origin: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>
  } catch (cause) {
    const said = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
    throw new WindrowError('format-failed', `The format module ${origin} cannot be loaded. ${said.slice(0, 300)}`, {
      hint: 'Run the module with node to see where it fails.',
      cause,
    })
  }
}
