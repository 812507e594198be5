/** Reads a YAML file that can start programs or names secrets, so that only the person who runs windrow may change it. */

import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { JsonSchema } from '../../core/object-schema.ts'
import { WindrowError } from '../../core/error.ts'
import { fileSource, readAll } from '../../core/sources/source.ts'
import { checkForm } from './definition.ts'
import { fileInvalid, findingsFor } from './pipeline-mistakes.ts'
import { readYaml } from './yaml-source.ts'

/** What one kind of these files is. `elsewhere` says how a file in another folder is named. */
export type OperatorFile = {
  readonly schema: JsonSchema
  readonly code: 'notify-invalid' | 'tenants-invalid'
  readonly elsewhere: string
  readonly platform: NodeJS.Platform
}

const mostBytes = 1 << 18

/** The content, which fits the schema, and the findings for further mistakes in it. Throws `code` with all mistakes. */
export async function readOperatorFile(path: string, kind: OperatorFile) {
  await checkOwner(path, kind)
  const source = readYaml(new TextDecoder().decode(await readAll(await fileSource(path), mostBytes)))
  const findings = findingsFor(path, source)
  if (findings.all.length === 0) checkForm(kind.schema, source.value, findings)
  if (findings.all.length > 0) throw fileInvalid(kind.code, path, findings.all)
  return { value: source.value, findings }
}

/** Windows has no such bits; the rights of the folder protect the file there. */
async function checkOwner(path: string, { code, elsewhere, platform }: OperatorFile): Promise<void> {
  if (platform === 'win32') return
  for (const each of [path, dirname(path)]) {
    const facts = await stat(each).catch((cause: unknown) => {
      throw new WindrowError('file-missing', `"${each}" was not found.`, { cause })
    })
    const isOwn = [0, process.getuid?.()].includes(facts.uid)
    if (isOwn && (facts.mode & 0o022) === 0) continue
    const what = each === path ? `"${path}"` : `The folder of "${path}"`
    const message = isOwn
      ? `${what} can be changed by other users of this machine.`
      : `${what} belongs to another user.`
    const hint = isOwn
      ? `Run chmod go-w "${each}". Or keep the file in a folder of your own${elsewhere}.`
      : `The user who runs windrow must own it. Or name a file of your own${elsewhere}.`
    throw new WindrowError(code, message, { hint })
  }
}
