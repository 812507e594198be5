/** Lists what an import decided, with its evidence, for the terminal, report.json and the page. */

import { chosen, type Choice, type Value } from '../../core/row.ts'
import { choiceOf, fieldChoices } from '../../mapping/choice.ts'
import { keyText } from '../../mapping/suggest-key.ts'
import type { ImportPipeline } from '../definition/definition.ts'
import { unsaidHolding } from '../definition/holding-text.ts'
import type { PlannedFile } from './one-off.ts'
import { otherText, yamlInline } from './yaml-text.ts'

/** The choices about a file without a pipeline: `zone` of its dates with its evidence, and the evidence of its holding. */
export function decisionsOfFile(
  { pipeline, suggestion: { choices, exported, unused } }: PlannedFile,
  { zone, evidence, holding }: { readonly zone: string; readonly evidence: string; readonly holding: string },
): readonly Choice[] {
  const key = choiceOf(choices, 'key')
  const fields = fieldChoices(choices)
  const undecided = choices.filter(({ setting, certainty }) => setting.startsWith('record.') && certainty === 'ask')
  const usesDates = fields.some(({ value }) => typeof value === 'object' && value !== null && 'date' in value)
  return [
    key?.value === undefined
      ? chosen('key', 'none', 'No id column found. Row numbers are used for this preview only.')
      : shown(key, keyText(key.value)),
    chosen('holding', holdingWords(pipeline.mapping.holding), holding),
    // The columns of an export go back to where they came from.
    ...fields.map((each) => shown(each, exported === undefined ? yamlInline(each.value) : '')),
    ...undecided.map((each) => ({ ...shown(each, 'left out'), evidence: `${each.evidence}; choose one with --dates` })),
    ...(usesDates ? [chosen('zone of dates', zone, evidence)] : []),
    ...(exported === undefined
      ? []
      : [
          chosen('kept as they are', exported.given.join(', '), 'filled in by the service'),
          ...Object.keys(exported.only).map((column) =>
            chosen('skipped', `rows with true in <${column}>`, deletedRows),
          ),
        ]),
    ...(unused.length === 0 ? [] : [chosen('not used', unused.slice(0, 20).join(', '), '')]),
  ]
}

function shown({ setting, evidence, others: [next], certainty }: Choice, value: Value): Choice {
  const nextBest = next === undefined || certainty === 'ask' ? undefined : otherText(next)
  const name = setting.replace(/^record\./, '')
  return { ...chosen(name, value, evidence, nextBest), certainty: certainty === 'sure' ? 'sure' : 'check' }
}

/** Why rows of an export are skipped. */
export const deletedRows = 'deleted records: an import does not publish them again, and deletes none'

/** The choices that a person made in a pipeline. */
export function decisionsOfPipeline({ mapping, set: forRun }: ImportPipeline): readonly Choice[] {
  const { key, holding, record, zone } = mapping
  const set = [['key', key], ['holding', holdingWords(holding)], ...Object.entries(record), ['zone', zone]] as const
  const ofRun = forRun.map(([path, value]) => chosen(path.join('.'), value as Value, 'set for this run'))
  const ofFile = set
    .filter(([, value]) => value !== undefined)
    .map(([setting, value]) =>
      chosen(setting, typeof value === 'string' ? value : yamlInline(value), 'set in the pipeline'),
    )
  return [...ofRun, ...ofFile]
}

function holdingWords({ scheme, id }: { readonly scheme: Value; readonly id: Value }): string {
  if (scheme === unsaidHolding.scheme && id === unsaidHolding.id) return 'none; the dry run continues without one'
  return [scheme, id].map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(':')
}
