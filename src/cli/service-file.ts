/** Hides how the files of `windrow serve` are read: YAML or JSON, a mistake told with its line. */

import { resolve } from 'node:path'
import { WindrowError } from '../core/error.ts'
import { fileSource, readAll } from '../core/sources/source.ts'
import { readYaml } from '../pipeline/definition/yaml-source.ts'

/** Reads a file in the surroundings' folder. `read` throws a WindrowError whose `data.path` is where in the value it is wrong. */
export async function readServiceFile<T>(folder: string, name: string, read: (value: unknown) => T): Promise<T> {
  const source = await fileSource(resolve(folder, name))
  const text = new TextDecoder().decode(await readAll(source, 1 << 20))
  const { value, faults, locate } = readYaml(text)
  const [fault] = faults
  if (fault !== undefined)
    throw new WindrowError('option-invalid', `${source.name}, line ${fault.line}: ${fault.message}`, {
      hint: fault.hint ?? 'It is YAML or JSON.',
    })
  try {
    return read(value)
  } catch (cause) {
    const path = cause instanceof WindrowError ? cause.data['path'] : undefined
    if (!(cause instanceof WindrowError) || typeof path !== 'string') throw cause
    throw new WindrowError(cause.code, `${source.name}, line ${locate(path, 'name').line}: ${cause.message}`, {
      hint: cause.hint ?? 'See the reference.',
      cause,
    })
  }
}
