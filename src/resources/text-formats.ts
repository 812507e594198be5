/** Checks texts against the `format` words of the schemas, and explains what is wrong with them. */

import type { Problem } from '../core/problem.ts'
import { daysInMonth } from '../core/values/date-pattern.ts'
import { nearest } from '../core/values/nearest.ts'
import { codeLists, isListed, listedSpelling, type CodeList } from './code-lists.ts'
import { dateTimeFault } from './date-time.ts'
import { unitCode, unitOfCode, units, unitsOfKind, type UnitKind } from './units.ts'
import { sayList, sayValue } from './wording.ts'

/** What is wrong with a text; `subject` is the field in words. */
export type TextFault = Pick<Problem, 'code' | 'severity' | 'message' | 'hint'>

/** `holds` checks a text; `explain` describes the fault of one that fails. */
export type TextFormat = {
  readonly name: string
  readonly holds: (text: string) => boolean
  readonly explain: (text: string, subject: string) => TextFault
}

/** windrow's own formats: moments, units by kind, code lists. */
export const textFormats: readonly TextFormat[] = [
  { name: 'date-time', holds: (text) => dateTimeFault(text) === undefined, explain: explainDateTime },
  unitFormat('area'),
  unitFormat('length'),
  unitFormat('speed'),
  unitFormat('temperature'),
  anyUnitFormat(),
  ...codeLists.map(listFormat),
]

function explainDateTime(text: string, subject: string): TextFault {
  if (dateTimeFault(text) === 'impossible') {
    const [year, month, day] = text.slice(0, 10).split('-').map(Number)
    const message = `${subject} is ${sayValue(text)}; ${impossibility(year!, month!, day!)}.`
    return { code: 'date-impossible', severity: 'error', message }
  }
  const message = `${subject} is ${sayValue(text)}; a day with time and zone is needed.`
  const hint = 'Write it like 2026-11-20T08:30:00+13:00, or in universal time like 2026-11-19T19:30:00Z.'
  return { code: 'date-unclear', severity: 'error', message, hint }
}

function impossibility(year: number, month: number, day: number): string {
  if (month < 1 || month > 12) return `there is no month ${month}`
  const days = daysInMonth(year, month)
  if (day >= 1 && day <= days) return 'there is no such time of day or zone'
  const name = new Date(Date.UTC(2000, month - 1)).toLocaleString('en', { month: 'long', timeZone: 'UTC' })
  return `${name} ${year} has ${days} days`
}

function unitFormat(kind: UnitKind): TextFormat {
  const known = unitsOfKind(kind)
  const codes = new Set(known.map((unit) => unit.code))
  const listing = `the service knows ${known.map((unit) => `${unit.code} (${unit.title})`).join(', ')}`
  const wrong = (message: string, hint?: string): TextFault => {
    return { code: 'unit-unknown', severity: 'error', message, hint }
  }
  return {
    name: `${kind}-unit`,
    holds: (text) => codes.has(text),
    explain(text, subject) {
      const unit = unitOfCode(text)
      if (unit !== undefined && unit.kind === kind) return respelled(subject, text, unit.code, unit.title)
      if (unit !== undefined && kind === 'length' && unit.kind === 'area') return areaForLength(subject, text)
      if (unit !== undefined)
        return wrong(`${subject} is ${sayValue(text)} (${unit.title}), a unit of ${unit.kind}; ${listing}.`)
      const meant = unitCode(text, kind) ?? nearest(text, [...codes, ...known.map((each) => each.title)])
      const code = meant === undefined ? undefined : unitCode(meant, kind)
      const hint = code === undefined ? undefined : `Write ${code} for ${unitOfCode(code)!.title}.`
      return wrong(`${subject} is ${sayValue(text)}; ${listing}.`, hint)
    },
  }
}

/** A sample of the service has a length in square metres, so such records exist; metres are meant. */
function areaForLength(subject: string, text: string): TextFault {
  const message = `${subject} is ${sayValue(text)}, a unit of area, for a length; the number is used unchanged.`
  return { code: 'unit-unknown', severity: 'warning', message, hint: 'Write MTR for metre.' }
}

function anyUnitFormat(): TextFormat {
  const codes = new Set(units.map((unit) => unit.code))
  return {
    name: 'any-unit',
    holds: (text) => codes.has(text),
    explain(text, subject) {
      const code = unitCode(text)
      if (code !== undefined) return respelled(subject, text, code, unitOfCode(code)!.title)
      const message = `${subject} is ${sayValue(text)}, a unit that windrow does not know.`
      return { code: 'code-unknown', severity: 'note', message }
    },
  }
}

function listFormat(list: CodeList): TextFormat {
  return {
    name: list.name,
    holds: (text) => isListed(list.name, text),
    explain(text, subject) {
      const spelling = listedSpelling(list.name, text)
      if (spelling !== undefined) return respelled(subject, text, spelling)
      const meant = nearest(text, list.values)
      return {
        code: 'code-unknown',
        severity: 'note',
        message: `${subject} is ${sayValue(text)}, a ${list.title} that is not in the known list. It is passed on.`,
        hint: meant === undefined ? `Known: ${sayList(list.values)}.` : `Did you mean ${meant}?`,
      }
    },
  }
}

function respelled(subject: string, text: string, spelling: string, title?: string): TextFault {
  const called = title === undefined ? '' : ` (${title})`
  const message = `${subject} is ${sayValue(text)}; the service writes ${spelling}${called}.`
  return { code: 'code-respelled', severity: 'note', message }
}
