/**
 * Hides how it is noticed that areas became a thousand times what they were: "1,250" and "1.250" are both whole numbers or both
 * fractions by what is agreed, so that the file alone cannot show that its decimal mark changed.
 */

import type { Place } from '../../core/row.ts'
import type { Contradiction } from './encoding-evidence.ts'

/** The records whose area changed, and those of them where it did so by a thousand. */
export type Scale = {
  changed: number
  thousandfold: number
  first: { readonly before: number; readonly now: number; readonly at: Place } | undefined
}

/** Starts counting. */
export function startScale(): Scale {
  return { changed: 0, thousandfold: 0, first: undefined }
}

type Areas = { readonly totalArea?: unknown }

/** Counts what became of the area of a record that was there before. */
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

/** What to say where most areas that changed did so by a thousand; one alone may be a mistake that somebody mended. */
export function contradictionOfScale({ changed, thousandfold, first }: Scale): Contradiction | undefined {
  if (first === undefined || thousandfold < 2 || thousandfold * 2 <= changed) return undefined
  const { before, now, at } = first
  return {
    sentence: `${thousandfold} of the ${changed} areas that changed would become ${now > before ? 'a thousand times' : 'a thousandth of'} what they were (row ${at.row}: ${before} would become ${now}), as if the file had another decimal mark than the agreed one.`,
    write: `decimal: point, or decimal: comma, as the file has it now, under "from"`,
  }
}
