/** Runs `windrow retry`: sends the corrected rows of a run's file of rejected rows. */

import type { ImportFile } from '../pipeline/definition/definition-schema.ts'
import { openRetry, whatToRetry } from '../pipeline/retry.ts'
import { text, usualOptions, word, type CommandSpec } from './options/command.ts'
import { formatModuleOption } from './options/format-module.ts'
import { runWord, statesOf } from './options/reach.ts'
import { settingsOf } from './options/settings.ts'
import { aroundJob, importOptions, runAndReport } from './running/import-report.ts'

export const retry: CommandSpec = {
  words: { run: `${runWord} for the newest with rejected rows; or the corrected file` },
  options: {
    '--run <RUN>': 'the run that a corrected file elsewhere belongs to',
    '--set <KEY=VALUE>': {
      description:
        'only "geometry.repair=15 %": how much of its area the repair of a boundary may change (default: as in the run)',
      many: true,
    },
    '--layer <NAME>': 'the layer or sheet of the corrected file, if it has several',
    ...importOptions,
    ...formatModuleOption,
    ...usualOptions,
  },
  examples: [
    'windrow retry last',
    'windrow retry "Desktop/rejected corrected.xlsx" --run 2026-11-20-1412-onboard-paddocks',
  ],
  async run(call) {
    const found = { named: text(call, 'run'), folder: call.folder, states: statesOf(call) }
    const settings = (await settingsOf(call, 'import')) as Partial<ImportFile>
    await using job = await openRetry(whatToRetry(word(call, 'run'), found), settings, await aroundJob(call))
    return await runAndReport(job.prepared, { ...job.options, begin: job.begin }, call)
  },
}
