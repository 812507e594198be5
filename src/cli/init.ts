/** Runs `windrow init`: looks over a file and drafts a pipeline for it. */

import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { WindrowError } from '../core/error.ts'
import { isWebAddress, withoutSecrets } from '../core/sources/web-address.ts'
import { writeTarget } from '../core/sources/target.ts'
import { draftFor, schemaPath } from '../pipeline/inspect/draft.ts'
import { pipelineSchema } from '../pipeline/definition/definition-schema.ts'
import type { Group } from '../pipeline/definition/yaml-source.ts'
import { decideAsking } from './options/ask-missing.ts'
import { connectionOption, flag, jsonOption, text, type Call, type CommandSpec } from './options/command.ts'
import { reach } from './options/reach.ts'
import {
  keyOption,
  onlyOption,
  withReading,
  readingOptions,
  typeChoices,
  zoneOption,
  type Reading,
} from './options/reading.ts'
import { unlessUnconnected } from './running/import-report.ts'
import { plain, say } from './screen/terminal.ts'

export const init: CommandSpec = {
  words: { file: 'the file, folder, zip or web address that the pipeline will read' },
  options: {
    '--to <TYPE>': { description: 'what the rows become: plots, holdings or land-covers', choices: typeChoices },
    '--holding <FARM>': 'the farm the records belong to: SCHEME:ID, or its name or number',
    ...keyOption,
    ...zoneOption,
    ...onlyOption,
    '-o, --out <FILE>': 'the pipeline file to write (default: in this folder, named after the file)',
    ...readingOptions,
    ...connectionOption,
    ...jsonOption,
  },
  examples: ['windrow init "Rimu paddocks FINAL v3.zip" --to plots --holding nz.example.farm-number:00412876'],
  run: runInit,
}

async function runInit(call: Call): Promise<void> {
  // Without a connection only the headers show which ids the service gave.
  const connection = await reach(call, undefined, { isTrial: true }).catch(unlessUnconnected(call))
  return withReading(call, async (reading) => {
    const { path, formats, source } = reading
    const { decided, around } = await decideAsking('init', call, { reading, connection })
    const { missing, raw, profile } = decided
    const out = newPipeline(call, reading)
    const yaml = draftFor(decided, { folder: dirname(out), fileName: source.name, hint: around.hintFor?.(missing) })
    // A web address may contain a password: the file keeps it, readable by its owner only, and it is not shown.
    const shownYaml = isWebAddress(path) ? yaml.replaceAll(path, withoutSecrets(path)) : yaml
    await writeTarget(out, yaml, { private: shownYaml !== yaml })
    // Beside the pipeline, so that any editor finds it without a network, on every machine that the folder is copied to.
    const schemaFile = join(dirname(out), schemaPath)
    await mkdir(dirname(schemaFile), { recursive: true, mode: 0o700 })
    await writeTarget(schemaFile, `${JSON.stringify(pipelineSchema(formats), undefined, 2)}\n`)
    if (flag(call, 'json')) say(call.terminal, JSON.stringify({ pipeline: out, yaml: shownYaml, missing }))
    else {
      const shown = plain(relative(call.folder, out))
      const open = [
        ...missing.map(({ setting }) => setting),
        ...(Object.keys(raw['record'] as Group).length + Object.keys(profile.shapes).length === 0 ? ['record'] : []),
      ]
      const todo = open.length === 0 ? '' : `choose ${open.join(', ')}, `
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
