/** Hides `windrow check`: whether pipelines say what they mean, without touching a file or a service. */

import { resolve } from 'node:path'
import { exitCodes } from '../core/error.ts'
import { readPipeline } from '../pipeline/definition.ts'
import { checkExamples } from '../pipeline/examples.ts'
import { flag, jsonOption, type CommandSpec } from './command.ts'
import { formatModuleOption, knownFormats } from './format-module.ts'
import { painter, plain, say } from './terminal.ts'

export const check: CommandSpec = {
  words: [{ name: 'pipeline', description: 'the pipeline file', many: true }],
  options: [formatModuleOption, jsonOption],
  examples: ['windrow check pipelines/onboard-paddocks.yaml'],
  async run(input, surroundings) {
    const { terminal, folder } = surroundings
    const paint = painter(terminal)
    const formats = await knownFormats(input, surroundings)
    const checked = []
    for (const path of input.words['pipeline'] ?? []) {
      const pipeline = await readPipeline(resolve(folder, path), formats)
      const examples = pipeline.kind === 'import' ? checkExamples(pipeline) : []
      checked.push({ pipeline: path, kind: pipeline.kind, type: pipeline.type.plural, examples })
    }
    const isGood = checked.every(({ examples }) => examples.every(({ ok }) => ok))
    if (flag(input, 'json')) say(terminal, JSON.stringify(checked))
    else
      for (const { pipeline, kind, type, examples } of checked) {
        const good = examples.filter(({ ok }) => ok).length
        const done =
          examples.length === 0 ? 'no examples' : `${good} of ${examples.length} examples give what they should`
        say(terminal, plain(`${pipeline}   ${kind} ${type}, ${done}`))
        for (const { example, difference } of examples)
          if (difference !== undefined) say(terminal, paint('red', plain(`  example ${example}: ${difference}`)))
      }
    return isGood ? exitCodes.done : exitCodes.cannotUse
  },
}
