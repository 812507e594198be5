/** Writes a moment in the zone of this machine, to the minute. */
export function localTime(moment: string): string {
  const two = (part: number): string => String(part).padStart(2, '0')
  const time = new Date(moment)
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${two(time.getHours())}:${two(time.getMinutes())}`
}
