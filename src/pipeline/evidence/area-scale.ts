/**
 * Finds areas that became a thousand times as large: if "1,250" becomes "1.250", the file alone cannot show that its decimal
 * separator changed.
 */

import type { Place } from '../../core/row.ts'
import type { Contradiction } from './encoding-evidence.ts'

/** The number of records whose area changed, and of those that changed by a factor of a thousand. */
export type Scale = {
  changed: number
  thousandfold: number
  first: { readonly before: number; readonly now: number; readonly at: Place } | undefined
}

/** Starts counting. */
export function startScale(): Scale {
  return { changed: 0, thousandfold: 0, first: undefined }
}

/** Adds the counts of a later part of the rows. */
export function addScale(scale: Scale, part: Scale): void {
  scale.changed += part.changed
  scale.thousandfold += part.thousandfold
  scale.first ??= part.first
}

type Areas = { readonly totalArea?: unknown }

/** Compares the new area of a record with its earlier one. */
export function noteScale(scale: Scale, { before, now, at }: { before: Areas; now: Areas; at: Place }): void {
  const [old, young] = [areaOf(before), areaOf(now)]
  if (old === undefined || young === undefined || old.units !== young.units) return
  if (old.measurement === young.measurement) return
  scale.changed += 1
  const factor = young.measurement / old.measurement
  if (Math.abs(factor - 1000) > 1e-6 && Math.abs(factor * 1000 - 1) > 1e-9) return
  scale.thousandfold += 1
  scale.first ??= { before: old.measurement, now: young.measurement, at }
}

function areaOf({ totalArea }: Areas): { readonly measurement: number; readonly units: unknown } | undefined {
  if (typeof totalArea !== 'object' || totalArea === null || !('measurement' in totalArea)) return undefined
  const { measurement, units } = totalArea as { readonly measurement: unknown; readonly units?: unknown }
  return typeof measurement === 'number' && measurement > 0 ? { measurement, units } : undefined
}

/** A contradiction if most changed areas changed by a factor of a thousand; a single one may be a corrected mistake. */
export function contradictionOfScale({ changed, thousandfold, first }: Scale): Contradiction | undefined {
  if (first === undefined || thousandfold < 2 || thousandfold * 2 <= changed) return undefined
  const { before, now, at } = first
  return {
    sentence: `${thousandfold} of the ${changed} areas that changed would become ${now > before ? 'a thousand times as large' : 'a thousand times as small'} (row ${at.row}: ${before} would become ${now}). Does the file have another decimal separator than the pipeline?`,
    write: `decimal: point, or decimal: comma, as the file has it now, under "from"`,
  }
}
