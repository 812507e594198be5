/** Starts the server for the tests that run a second time over PostgreSQL (the project "postgres" in vitest.config.ts). */

import type { TestProject } from 'vitest/node'
import { startPostgres } from '../postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of the server; undefined in all other projects. */
    postgres?: string
  }
}

export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { database, stop } = await startPostgres()
  provide('postgres', database())
  return stop
}
