/** Lists the commands in the order of the help. Each is loaded only when called, because loading all is slow. */

import type { CommandEntry, CommandSpec, GroupParts } from './options/command.ts'

const summaries = {
  inspect: 'Show what a file contains: layers, columns, coordinate system, and the rows that cannot be read.',
  init: 'Draft a pipeline for a file: every choice with its evidence, for you to check and keep.',
  import: 'Import a file into the service: decides how to read it, shows why, and publishes it.',
  plan: 'Show what an import or a pipeline would change, record by record and field by field. Sends nothing.',
  apply: 'Send exactly what a plan shows, unless the file, the pipeline or the service has changed since.',
  export: 'Write records from the service to a file: .xlsx, .csv, .geojson, .gpkg, .kml or a shapefile .zip.',
  run: 'Run pipelines: import files into the service, or export its records to files.',
  check: 'Check pipeline files and run the examples in them.',
  undo: 'Take a run back: put back, delete and restore the records that it changed. Shows them first, and asks.',
  retry: 'Send the rejected rows of a run again after you corrected them, with the choices of that run.',
  runs: 'List past runs and their row counts, or show one.',
  verify: 'Compare what you sent with what the service has now. Changes nothing.',
  ledger: 'Show, export or forget what windrow thinks the service has.',
  schedule: 'Run the pipelines in a folder whenever they are due, until stopped.',
  status: 'Show the state of the scheduled pipelines in a folder; exits 0 only if all are well, for monitoring.',
  work: 'Run the pipelines of many farms, together with workers on other machines, until stopped.',
  cluster: 'Look at the queue of runs that workers share, add to it, and retry what failed.',
  listen: 'Run pipelines when the service reports a change by webhook.',
  serve: 'Run the embedded service on this machine until stopped.',
  connect: 'Sign in to a service, save the connection, and list the farms it may write.',
  explain: 'Explain a code or an exit status: what happened, why, and what to do.',
  completion: 'Print the script that completes windrow commands and options in your shell.',
  service: 'Ask the service directly: its datasets, changes, permissions and reference data.',
} as const

type Name = keyof typeof summaries

const loads: Readonly<Record<Name, () => Promise<CommandSpec | GroupParts>>> = {
  inspect: async () => (await import('./inspect.ts')).inspect,
  init: async () => (await import('./init.ts')).init,
  import: async () => (await import('./import.ts')).importFile,
  plan: async () => (await import('./plan.ts')).plan,
  apply: async () => (await import('./apply.ts')).apply,
  export: async () => (await import('./export.ts')).exportRecords,
  run: async () => (await import('./run.ts')).run,
  check: async () => (await import('./check.ts')).check,
  undo: async () => (await import('./undo.ts')).undo,
  retry: async () => (await import('./retry.ts')).retry,
  runs: async () => (await import('./runs.ts')).runs,
  verify: async () => (await import('./verify.ts')).verify,
  ledger: async () => (await import('./ledger.ts')).ledger,
  schedule: async () => (await import('./schedule.ts')).schedule,
  status: async () => (await import('./status.ts')).status,
  work: async () => (await import('./work.ts')).work,
  cluster: async () => (await import('./cluster.ts')).cluster,
  listen: async () => (await import('./listen.ts')).listen,
  serve: async () => (await import('./serve.ts')).serveCommand,
  connect: async () => (await import('./connect.ts')).connect,
  explain: async () => (await import('./explain.ts')).explain,
  completion: async () => (await import('./completion.ts')).completionOf(loadCommands),
  service: async () => (await import('./service.ts')).service,
}

const names = Object.keys(summaries) as readonly Name[]

export function loadCommands(): Promise<readonly CommandEntry[]> {
  return Promise.all(names.map(loaded))
}

/** The command that these words call or ask help for, else all commands by name and summary, for help and suggestions. */
export async function commandsFor([first, second]: readonly string[]): Promise<readonly CommandEntry[]> {
  const called = names.find((name) => name === (first === 'help' ? second : first))
  if (called !== undefined) return [await loaded(called)]
  return names.map((name) => ({ name, summary: summaries[name], parts: [] }))
}

async function loaded(name: Name): Promise<CommandEntry> {
  return { name, summary: summaries[name], ...(await loads[name]()) }
}
