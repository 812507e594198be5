/** Lists the commands in the order help shows them. A command is loaded when it is called: all together are slow to load. */

import type { CommandEntry, CommandSpec, GroupParts } from './command.ts'

type Listed = {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<CommandSpec | GroupParts>
}

const listed: readonly Listed[] = [
  {
    name: 'inspect',
    summary: 'Show what a file contains: layers, columns, coordinate system, and the rows that cannot be read.',
    load: async () => (await import('./inspect.ts')).inspect,
  },
  {
    name: 'init',
    summary: 'Write a pipeline for a file: every choice with its evidence, for you to read and keep.',
    load: async () => (await import('./init.ts')).init,
  },
  {
    name: 'import',
    summary: 'Bring a file into the service in one go: decides how to read it, says why, and publishes.',
    load: async () => (await import('./import.ts')).importFile,
  },
  {
    name: 'export',
    summary: 'Write records of the service to a file: .xlsx, .csv, .geojson or a shapefile .zip.',
    load: async () => (await import('./export.ts')).exportRecords,
  },
  {
    name: 'run',
    summary: 'Run pipelines: bring files into the service, or write files of what it holds.',
    load: async () => (await import('./run.ts')).run,
  },
  {
    name: 'check',
    summary: 'Check pipeline files and run the examples in them.',
    load: async () => (await import('./check.ts')).check,
  },
  {
    name: 'runs',
    summary: 'List past runs and their row counts.',
    load: async () => (await import('./runs.ts')).runs,
  },
  {
    name: 'verify',
    summary: 'Compare what you sent with what the service has now. Changes nothing.',
    load: async () => (await import('./verify.ts')).verify,
  },
  {
    name: 'schedule',
    summary: 'Run the pipelines of a folder when they are due, until stopped.',
    load: async () => (await import('./schedule.ts')).schedule,
  },
  {
    name: 'listen',
    summary: 'Run pipelines when the service reports a change by webhook.',
    load: async () => (await import('./listen.ts')).listen,
  },
  {
    name: 'serve',
    summary: 'Run the embedded service on this machine until stopped.',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  {
    name: 'connect',
    summary: 'Save a connection to a service: tries it and shows which holdings it may write.',
    load: async () => (await import('./connect.ts')).connect,
  },
  {
    name: 'service',
    summary: 'Ask the service itself: what it has, what changed, what may be published, its reference data.',
    load: async () => (await import('./service.ts')).service,
  },
]

/** All commands. */
export function loadCommands(): Promise<readonly CommandEntry[]> {
  return Promise.all(listed.map(loaded))
}

/** The command that these words call. Where they call none, all commands by name and summary, for help and suggestions. */
export async function commandsFor([called]: readonly string[]): Promise<readonly CommandEntry[]> {
  const found = listed.find(({ name }) => name === called)
  return found === undefined ? listed.map(({ name, summary }) => ({ name, summary, parts: [] })) : [await loaded(found)]
}

async function loaded({ name, summary, load }: Listed): Promise<CommandEntry> {
  return { name, summary, ...(await load()) }
}
