/** Lists what an import decided, with its evidence, for the terminal, report.json and the page. */

import type { Decision, Value } from '../../core/row.ts'
import { keyText } from '../../mapping/suggest-key.ts'
import type { ImportPipeline } from '../definition/definition.ts'
import { unsaidHolding } from '../definition/holding-text.ts'
import type { PlannedFile } from './one-off.ts'
import { yamlInline } from './yaml-text.ts'

/** The decisions about a file without a pipeline: `zone` of its dates with its evidence, and the evidence of its holding. */
export function decisionsOfFile(
  { pipeline, suggestion, key }: PlannedFile,
  { zone, evidence, holding }: { readonly zone: string; readonly evidence: string; readonly holding: string },
): readonly Decision[] {
  const { exported, fields, undecided, unused } = suggestion
  const usesDates = fields.some(({ spec }) => typeof spec === 'object' && spec !== null && 'date' in spec)
  return [
    key === undefined
      ? { option: 'key', value: 'none', evidence: 'No id column found. Row numbers are used for this preview only.' }
      : { option: 'key', value: keyText(key.spec), evidence: `${key.certain ? '' : 'please check: '}${key.evidence}` },
    { option: 'holding', value: holdingWords(pipeline.mapping.holding), evidence: holding },
    ...fields.map(({ field, spec, evidence: why, runnerUp, certain }) => ({
      option: inDots(field),
      // The columns of an export go back to where they came from.
      value: exported === undefined ? yamlInline(spec) : '',
      evidence: `${certain ? '' : 'please check: '}${why}`,
      runnerUp,
    })),
    ...undecided.map(({ field, dates: { column, patterns, clue } }) => ({
      option: inDots(field),
      value: 'left out',
      evidence: `<${column}> could be ${patterns.join(' or ')}${clue === undefined ? '' : `; ${clue}`}; choose one with --dates`,
    })),
    ...(usesDates ? [{ option: 'zone of dates', value: zone, evidence }] : []),
    ...(exported === undefined
      ? []
      : [
          { option: 'kept as they are', value: exported.given.join(', '), evidence: 'filled in by the service' },
          ...Object.keys(exported.only).map((column) => ({
            option: 'skipped',
            value: `rows with true in <${column}>`,
            evidence: deletedRows,
          })),
        ]),
    ...(unused.length === 0 ? [] : [{ option: 'not used', value: unused.slice(0, 20).join(', '), evidence: '' }]),
  ]
}

/** Why rows of an export are skipped. */
export const deletedRows = 'deleted records: an import does not publish them again, and deletes none'

/** The decisions that a person made in a pipeline. */
export function decisionsOfPipeline({ mapping }: ImportPipeline): readonly Decision[] {
  const { key, holding, record, zone } = mapping
  const set = [['key', key], ['holding', holdingWords(holding)], ...Object.entries(record), ['zone', zone]] as const
  return set
    .filter(([, value]) => value !== undefined)
    .map(([option, value]) => ({
      option,
      value: typeof value === 'string' ? value : yamlInline(value),
      evidence: 'set in the pipeline',
    }))
}

function holdingWords({ scheme, id }: { readonly scheme: Value; readonly id: Value }): string {
  if (scheme === unsaidHolding.scheme && id === unsaidHolding.id) return 'none; the dry run continues without one'
  return [scheme, id].map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(':')
}

function inDots(field: string): string {
  return field.slice(1).replaceAll('/', '.')
}
