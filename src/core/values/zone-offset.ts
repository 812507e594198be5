/** Finds the offset of a time zone from UTC at an instant, and writes it. */

/**
 * Makes the function that gives a zone's offset in minutes at an instant, and throws for an unknown zone. The formatter, which is slow to
 * make, is made with the first call.
 */
export function zoneOffset(zone: string): (utcMs: number) => number {
  let formatter: Intl.DateTimeFormat | undefined
  return (utcMs) => {
    formatter ??= new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    const name = formatter.formatToParts(utcMs).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    // "GMT+13:00" is 780. RFC 3339 offsets have no seconds, which sun times before 1900 have.
    const [, sign, hours, minutes, seconds = 0] = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? []
    if (sign === undefined) return 0
    return Math.round((sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes) + Number(seconds) / 60))
  }
}

/** An offset in the form of RFC 3339, such as +13:00. */
export function offsetText(minutes: number): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}
