/** Lists what an import decided, with its evidence, for the terminal, report.json and the page. */

import { chosen, type Choice, type Value } from '../../core/row.ts'
import type { Suggested } from '../../mapping/choice.ts'
import { keyText } from '../../mapping/suggest-key.ts'
import type { ImportPipeline } from '../definition/definition.ts'
import { unsaidHolding } from '../definition/holding-text.ts'
import type { PlannedFile } from './one-off.ts'
import { yamlInline } from './yaml-text.ts'

/** The choices about a file without a pipeline: `zone` of its dates with its evidence, and the evidence of its holding. */
export function decisionsOfFile(
  { pipeline, suggestion, key }: PlannedFile,
  { zone, evidence, holding }: { readonly zone: string; readonly evidence: string; readonly holding: string },
): readonly Choice[] {
  const { exported, fields, undecided, unused } = suggestion
  const usesDates = fields.some(({ spec }) => typeof spec === 'object' && spec !== null && 'date' in spec)
  return [
    key === undefined
      ? chosen('key', 'none', 'No id column found. Row numbers are used for this preview only.')
      : choiceOf('key', keyText(key.spec), key),
    chosen('holding', holdingWords(pipeline.mapping.holding), holding),
    // The columns of an export go back to where they came from.
    ...fields.map((each) => choiceOf(inDots(each.field), exported === undefined ? yamlInline(each.spec) : '', each)),
    ...undecided.map(({ field, dates: { column, patterns, clue } }) =>
      chosen(
        inDots(field),
        'left out',
        `<${column}> could be ${patterns.join(' or ')}${clue === undefined ? '' : `; ${clue}`}; choose one with --dates`,
      ),
    ),
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

function choiceOf(setting: string, value: Value, { evidence, runnerUp, certain }: Suggested): Choice {
  return { ...chosen(setting, value, evidence, runnerUp), certainty: certain ? 'sure' : 'check' }
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

function inDots(field: string): string {
  return field.slice(1).replaceAll('/', '.')
}
