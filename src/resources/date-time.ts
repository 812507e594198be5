/** Checks the service's date-times: RFC 3339 with a zone and any number of fraction digits, kept as text. */

import { isDay } from '../core/values/date-pattern.ts'

/** What is wrong with a text that should be a moment: another format, or a day or time that does not exist. */
export type DateTimeFault = 'form' | 'impossible'

const moment = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-](\d\d):(\d\d))$/

/** Undefined when the text is a moment. */
export function dateTimeFault(text: string): DateTimeFault | undefined {
  const found = moment.exec(text)
  if (found === null) return 'form'
  const part = (group: number): number => Number(found[group] ?? 0)
  const [hour, minute, second] = [part(4), part(5), part(6)]
  // A leap second is at the end of an hour in every zone.
  const onTheClock = hour <= 23 && minute <= 59 && (second <= 59 || (second === 60 && minute === 59))
  const isOffset = part(7) <= 23 && part(8) <= 59
  return isDay(part(1), part(2), part(3)) && onTheClock && isOffset ? undefined : 'impossible'
}
