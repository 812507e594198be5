import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    passWithNoTests: false,
    // Tests keep to themselves, so that a worker need not begin anew for each file; that and using every core halves the time.
    isolate: false,
    maxWorkers: availableParallelism(),
  },
})
