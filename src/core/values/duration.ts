/** Reads and writes durations as people write them. */

const msIn: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const duration = /^(\d{1,6}(?:\.\d{1,3})?)\s*(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)$/i

/** Reads "2 min", "30 s", "1 h" or "1 day" as milliseconds; otherwise returns a sentence. */
export function readDurationMs(written: string | number): number | string {
  const [, amount, unit] = duration.exec(String(written).trim()) ?? []
  if (unit === undefined) return `"${written}" is not a time. Write a number with its unit: 30 s, 2 min, 1 h.`
  return Math.round(Number(amount) * msIn[unit[0]!.toLowerCase()]!)
}

/** A duration as a person writes it: 90 min, 36 h, 3 days. */
export function spellDuration(ms: number): string {
  const hours = ms / 3_600_000
  if (hours < 2) return `${Math.max(1, Math.round(ms / 60_000))} min`
  return hours <= 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`
}
