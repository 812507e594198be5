/** The list of commands, in the order help shows them; each is loaded when it is called, because all of them together are slow to load. */

import type { CommandEntry } from './command.ts'

const loaders: Readonly<Record<string, () => Promise<CommandEntry>>> = {
  inspect: async () => (await import('./inspect.ts')).inspect,
  init: async () => (await import('./init.ts')).init,
  import: async () => (await import('./import.ts')).importFile,
  export: async () => (await import('./export.ts')).exportRecords,
  run: async () => (await import('./run.ts')).run,
  check: async () => (await import('./check.ts')).check,
  runs: async () => (await import('./runs.ts')).runs,
  verify: async () => (await import('./verify.ts')).verify,
  schedule: async () => (await import('./schedule.ts')).schedule,
  listen: async () => (await import('./listen.ts')).listen,
  serve: async () => (await import('./serve.ts')).serveCommand,
  connect: async () => (await import('./connect.ts')).connect,
  service: async () => (await import('./service.ts')).service,
}

/** All commands. */
export function loadCommands(): Promise<readonly CommandEntry[]> {
  return Promise.all(Object.values(loaders).map((load) => load()))
}

/** The command that these words call; all of them where they call none, for help and for suggestions, but not for the version. */
export async function commandsFor(argv: readonly string[]): Promise<readonly CommandEntry[]> {
  const [name = ''] = argv
  if (name === '-V' || name === '--version') return []
  return Object.hasOwn(loaders, name) ? [await loaders[name]!()] : await loadCommands()
}
