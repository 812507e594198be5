/** Hides what a cell of a workbook means: number, date, time, padded id or error, told by its number format. */

import type { Value } from '../../core/row.ts'
import { isoOfSerial, timeOfSerial } from '../dates.ts'

/** A cell as the library gives it: `v` what is stored, `z` its number format, `w` what the program shows. */
export type BookCell = { readonly t: string; readonly v?: unknown; readonly z?: unknown; readonly w?: string }

/** A cell understood: its value, or why there is none. */
export type Understood = { readonly value: Value; readonly fault?: 'error' | 'no such day' }

/** Understands a cell; dates become ISO text by integer arithmetic, and what is padded with zeros stays as it is shown. */
export function understand(cell: BookCell | null | undefined, from1904: boolean): Understood {
  if (cell === null || cell === undefined) return { value: null }
  if (cell.t === 'e') return { value: null, fault: 'error' }
  if (cell.t === 'b') return { value: cell.v === true }
  if (cell.t !== 'n' || typeof cell.v !== 'number') return { value: typeof cell.v === 'string' ? cell.v : null }
  return numberMeant(cell.v, typeof cell.z === 'string' ? cell.z : '', { shown: cell.w, from1904 })
}

/** What the program shows for a cell, as for a header. */
export function shownText(cell: BookCell | null | undefined): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell.v === 'string') return cell.v
  if (cell.w !== undefined) return cell.w
  return typeof cell.v === 'number' || typeof cell.v === 'boolean' ? String(cell.v) : ''
}

function numberMeant(
  stored: number,
  format: string,
  { shown, from1904 }: { readonly shown: string | undefined; readonly from1904: boolean },
): Understood {
  const kind = kindOfFormat(format)
  if (kind === 'number') return { value: stored }
  if (kind === 'padded' || kind === 'duration') return { value: shown ?? stored }
  if (kind === 'time') return { value: stored >= 0 && stored < 1 ? timeOfSerial(stored) : (shown ?? stored) }
  const iso = isoOfSerial(stored, from1904)
  if (iso === undefined) return { value: shown ?? stored, fault: 'no such day' }
  return { value: kind === 'date-time' && iso.length === 10 ? `${iso}T00:00:00` : iso }
}

type FormatKind = 'number' | 'padded' | 'date' | 'date-time' | 'time' | 'duration'

const knownFormats = new Map<string, FormatKind>()

/** What numbers in this format are. A workbook has few formats and many cells, so each is worked out once. */
function kindOfFormat(format: string): FormatKind {
  const known = knownFormats.get(format)
  if (known !== undefined) return known
  const kind = workOutKind(format)
  // Formats come from files, so the memory of them is bounded.
  if (knownFormats.size < 1000) knownFormats.set(format, kind)
  return kind
}

function workOutKind(format: string): FormatKind {
  if (format === '' || /^general$/i.test(format)) return 'number'
  const first = format.replace(/"[^"]*"|\\.|[_*]./g, '').split(';', 1)[0]!
  if (/\[(?:h+|m+|s+)\]/i.test(first)) return 'duration'
  const bare = first
    .replace(/\[[^\]]*\]/g, '')
    .toLowerCase()
    .replace(/am\/pm|a\/p/g, 'h')
  if (/[ymdhs]/.test(bare) && !/[0#?]*e[+-]/.test(bare)) {
    const hasTime = /[hs]/.test(bare)
    const hasDay = /[yd]/.test(bare) || (!hasTime && bare.includes('m'))
    return hasDay ? (hasTime ? 'date-time' : 'date') : 'time'
  }
  const whole = bare.split(/[.e]/, 1)[0]!
  return /0[0\-/ ]*0/.test(whole) && !/[#?]/.test(whole) ? 'padded' : 'number'
}
