/** Writes the daily or weekly message about all pipelines of a folder. */

import type { RunReport } from '../pipeline/report/export-report.ts'
import { isGoodReport, timeIn } from '../schedule/status.ts'
import { countLine, countsOf, type Counts } from './counts.ts'
import type { Notice } from './notice.ts'

/** A pipeline and its runs since the last summary, oldest first. */
export type SummaryPart = {
  readonly name: string
  readonly zone: string
  readonly runs: readonly RunReport[]
  readonly lastGood: Date | undefined
  readonly next: Date | undefined
}

export function summaryNotice(parts: readonly SummaryPart[], since: Date, at: Date, zone: string): Notice {
  const failing = parts.filter(({ runs, lastGood }) => !isWell(runs.at(-1), lastGood))
  const many = parts.length === 1 ? 'The pipeline is well' : `All ${parts.length} pipelines are well`
  return {
    occasion: 'summary',
    at: at.toISOString(),
    title: failing.length === 0 ? many.toLowerCase() : `${failing.map(({ name }) => name).join(', ')} not well`,
    text: [
      `From ${timeIn(since, zone)} to ${timeIn(at, zone)}:`,
      ...parts.flatMap((part) => ['', ...linesOf(part)]),
    ].join('\n'),
  }
}

function isWell(last: RunReport | undefined, lastGood: Date | undefined): boolean {
  return last === undefined ? lastGood !== undefined : isGoodReport(last)
}

function linesOf({ name, zone, runs, lastGood, next }: SummaryPart): readonly string[] {
  const good = runs.filter(isGoodReport)
  const failed = runs.length - good.length
  const last = runs.at(-1)
  return [
    `${name}: ${good.length} good ${good.length === 1 ? 'run' : 'runs'}, ${failed} failed`,
    ...(good.length === 0 ? [] : [`  Together: ${countLine(sumOf(good.map(countsOf)))}`]),
    ...(last?.error === undefined ? [] : [`  The last run failed: ${last.error.message.split('\n', 1)[0]}`]),
    `  Last good run: ${lastGood === undefined ? 'none yet' : timeIn(lastGood, zone)}. Next run: ${next === undefined ? 'none' : timeIn(next, zone)}.`,
  ]
}

function sumOf(all: readonly Counts[]): Counts {
  const sum: Record<string, number> = {}
  for (const counts of all) for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count
  return sum
}
