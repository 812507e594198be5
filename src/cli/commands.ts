/** Lists the commands in the order of the help. Each is loaded only when called, because loading all is slow. */

import type { CommandEntry, CommandSpec, GroupParts } from './options/command.ts'

type Listed = { readonly summary: string; readonly load: () => Promise<CommandSpec | GroupParts> }

const listed: Readonly<Record<string, Listed>> = {
  inspect: {
    summary: 'Show what a file contains: layers, columns, coordinate system, and the rows that cannot be read.',
    load: async () => (await import('./inspect.ts')).inspect,
  },
  init: {
    summary: 'Draft a pipeline for a file: every choice with its evidence, for you to check and keep.',
    load: async () => (await import('./init.ts')).init,
  },
  import: {
    summary: 'Import a file into the service: decides how to read it, shows why, and publishes it.',
    load: async () => (await import('./import.ts')).importFile,
  },
  plan: {
    summary: 'Show what an import or a pipeline would change, record by record and field by field. Sends nothing.',
    load: async () => (await import('./plan.ts')).plan,
  },
  apply: {
    summary: 'Send exactly what a plan shows, unless the file, the pipeline or the service has changed since.',
    load: async () => (await import('./apply.ts')).apply,
  },
  export: {
    summary: 'Write records from the service to a file: .xlsx, .csv, .geojson, .gpkg, .kml or a shapefile .zip.',
    load: async () => (await import('./export.ts')).exportRecords,
  },
  run: {
    summary: 'Run pipelines: import files into the service, or export its records to files.',
    load: async () => (await import('./run.ts')).run,
  },
  check: {
    summary: 'Check pipeline files and run the examples in them.',
    load: async () => (await import('./check.ts')).check,
  },
  undo: {
    summary: 'Take a run back: put back, delete and restore the records that it changed. Shows them first, and asks.',
    load: async () => (await import('./undo.ts')).undo,
  },
  retry: {
    summary: "Send the corrected rows of a run's file of rejected rows, with the choices of that run.",
    load: async () => (await import('./retry.ts')).retry,
  },
  runs: {
    summary: 'List past runs and their row counts, or show one.',
    load: async () => (await import('./runs.ts')).runs,
  },
  verify: {
    summary: 'Compare what you sent with what the service has now. Changes nothing.',
    load: async () => (await import('./verify.ts')).verify,
  },
  ledger: {
    summary: 'Show, export or forget what windrow thinks the service has.',
    load: async () => (await import('./ledger.ts')).ledger,
  },
  schedule: {
    summary: 'Run the pipelines in a folder whenever they are due, until stopped.',
    load: async () => (await import('./schedule.ts')).schedule,
  },
  status: {
    summary: 'Show how the scheduled pipelines of a folder are; exits 0 only if all are well, for monitoring.',
    load: async () => (await import('./status.ts')).status,
  },
  work: {
    summary: 'Run the pipelines of many farms, together with workers on other machines, until stopped.',
    load: async () => (await import('./work.ts')).work,
  },
  cluster: {
    summary: 'Look at the queue of runs that workers share, add to it, and retry what failed.',
    load: async () => (await import('./cluster.ts')).cluster,
  },
  listen: {
    summary: 'Run pipelines when the service reports a change by webhook.',
    load: async () => (await import('./listen.ts')).listen,
  },
  serve: {
    summary: 'Run the embedded service on this machine until stopped.',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  connect: {
    summary: 'Sign in to a service, save the connection, and list the farms it may write.',
    load: async () => (await import('./connect.ts')).connect,
  },
  explain: {
    summary: 'Explain a code or an exit status: what happened, why, and what to do.',
    load: async () => (await import('./explain.ts')).explain,
  },
  completion: {
    summary: 'Print the script that completes windrow commands and options in your shell.',
    load: async () => (await import('./completion.ts')).completionOf(loadCommands),
  },
  service: {
    summary: 'Ask the service directly: its datasets, changes, permissions and reference data.',
    load: async () => (await import('./service.ts')).service,
  },
}

export function loadCommands(): Promise<readonly CommandEntry[]> {
  return Promise.all(Object.keys(listed).map(loaded))
}

/** The command that these words call or ask help for, else all commands by name and summary, for help and suggestions. */
export async function commandsFor([first, second]: readonly string[]): Promise<readonly CommandEntry[]> {
  const called = (first === 'help' ? second : first) ?? ''
  if (Object.hasOwn(listed, called)) return [await loaded(called)]
  return Object.entries(listed).map(([name, { summary }]) => ({ name, summary, parts: [] }))
}

async function loaded(name: string): Promise<CommandEntry> {
  const { summary, load } = listed[name]!
  return { name, summary, ...(await load()) }
}
