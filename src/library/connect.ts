/** Connects a program to a service: one that is saved, one that a profile describes, or the demonstration service in this process. */

import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { connectTo as clientOf, type Client, type ConnectionOptions } from '../client/connection.ts'
import type { ClientDeps } from '../client/exchange.ts'
import { completeProfile, resolveProfile, stateFolder, type Profile } from '../client/profile.ts'
import { once } from '../core/once.ts'
import { temporaryFolder } from '../core/sources/temporary.ts'
import type { Connection } from '../pipeline/report/course.ts'

/** A saved connection by its name, an account, or `demo`: a service in this process, with sample data and without an account. */
export type ConnectionName = string | Profile

/** The state folder of what runs with the demonstration service, which ends with the process. */
export const demoState = once(() => mkdtempSync(join(temporaryFolder(), 'windrow-demo-')))

/**
 * The client of a connection; without a name that of the environment, else of the only saved one. Sends nothing yet. Throws when there
 * is no such connection, or an address or option of it cannot be used.
 */
export async function connectTo(
  connection?: ConnectionName,
  options: Partial<ClientDeps> & ConnectionOptions = {},
): Promise<Client> {
  return (await openConnection({ connection }, options)).client
}

/** The connection that a program names, else the one of the pipeline. */
export async function openConnection(
  { connection, pipeline }: { readonly connection: ConnectionName | undefined; readonly pipeline?: string | undefined },
  options: Partial<ClientDeps> & ConnectionOptions,
): Promise<Connection> {
  const { fetch = globalThis.fetch, clock = () => new Date(), sleep = pause, random = Math.random, ...more } = options
  const deps = { fetch, clock, sleep, random }
  if (connection === 'demo') {
    const { demoService } = await import('../service/demo.ts')
    const demo = await demoService()
    return { client: clientOf(demo.profile, { ...deps, fetch: demo.fetch }, more), name: connection }
  }
  const { env, platform } = process
  const profile =
    typeof connection === 'object'
      ? completeProfile(connection)
      : await resolveProfile({ option: connection, pipeline }, { stateFolder: userState(), platform, env })
  return { client: clientOf(profile, deps, more), name: profile.name }
}

/** The folder in which windrow keeps its state for this user. */
export function userState(): string {
  return stateFolder(process.env, process.platform)
}

/** Waits, until the signal ends it. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return wait(ms, undefined, signal && { signal })
}
