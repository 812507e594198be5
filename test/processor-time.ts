import { expect } from 'vitest'

/** Measures the processor time that a piece of work takes in this process: it hardly grows while other programs run. */
export async function processorMs(work: () => unknown): Promise<number> {
  const begun = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000
}

/** Expects that a piece of work takes less processor time than so many milliseconds of a quiet machine. */
export async function expectQuick(limitMs: number, work: () => unknown): Promise<void> {
  await expectBelow(limitMs, await processorMs(work))
}

/** Expects that less processor time was spent than so many milliseconds of a quiet machine. How slow this one is counts only beyond the limit. */
export async function expectBelow(limitMs: number, spentMs: number): Promise<void> {
  expect(spentMs < limitMs ? spentMs : spentMs / (await slowness())).toBeLessThan(limitMs)
}

/** How many times as long as on a quiet machine a fixed piece of work takes here and now; at least 1. */
export async function slowness(): Promise<number> {
  return Math.max(1, (await processorMs(fixedWork)) / 105)
}

function fixedWork(): void {
  const numbers = Float64Array.from({ length: 400_000 }, (_, at) => Math.sin(at * at)).sort()
  expect(numbers.reduce((sum, each, at) => sum + Math.hypot(each, at))).toBeGreaterThan(0)
}
