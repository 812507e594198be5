/**
 * Writes the tables of the documentation from the code: each lies between two marks, `<!-- begin:NAME -->` and
 * `<!-- end:NAME -->`. Text outside the marks is left alone.
 *
 *   npm run docs
 */

import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  notifyVariables,
  optionalVariables,
  requiredVariables,
  systemVariables,
  webVariables,
} from '../src/core/environment.ts'
import { errorCodes, exitCodes } from '../src/core/error.ts'
import { errorExplanations, exitExplanations, problemExplanations } from '../src/core/explanations.ts'
import { problemCodes } from '../src/core/problem.ts'
import { spellLimit, type Decider, type Rule } from '../src/core/rule.ts'
import { allCases } from '../src/rules/all.cases.ts'
import { allDeciders, allRules, partsOf } from '../src/rules/index.ts'
import type { Command } from '../src/cli/options/command.ts'
import type { Format } from '../src/formats/format.ts'
import type { ResourceType } from '../src/resources/resource-type.ts'
import { interfaceSections, type InterfaceRow } from './interface.ts'
import { columnOptions, pipelineKeys } from './pipeline-keys.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Makes the text of one block. */
type Generator = () => string | Promise<string>

const generators: Readonly<Record<string, Generator>> = {
  'exit-codes': exitCodeTable,
  'error-codes': errorCodeTable,
  'problem-codes': problemCodeTable,
  problems: explanations,
  rules: rulePages,
  deciders: deciderPages,
  'import-keys': () => keyTable('import'),
  'export-keys': () => keyTable('export'),
  'column-options': columnTable,
  environment: environmentTable,
  formats: formatTable,
  'resource-types': resourceTypeTable,
  commands: commandHelp,
  faults: faultTable,
  interface: interfaceTables,
}

/** Every document that may contain marks. */
export function documents(): readonly string[] {
  return ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root }).toSorted()].map((path) =>
    path.replaceAll('\\', '/'),
  )
}

/** The document as it should be. Throws when a mark is unknown, unpaired, or names what does not exist yet. */
export async function withTables(text: string): Promise<string> {
  const pieces: string[] = []
  let from = 0
  for (const match of text.matchAll(/<!-- begin:([\w-]+) -->\n/g)) {
    const name = match[1]!
    const start = match.index + match[0].length
    const end = text.indexOf(`<!-- end:${name} -->`, start)
    if (end === -1 || match.index < from) throw new Error(`The block "${name}" has no end mark.`)
    const body = await blockText(name)
    pieces.push(text.slice(from, start), '\n', body, '\n\n')
    from = end
  }
  return pieces.join('') + text.slice(from)
}

async function blockText(name: string): Promise<string> {
  if (name === 'reference') return reference()
  const body = await generators[name]?.()
  if (body === undefined) throw new Error(`No generator is called "${name}".`)
  return body
}

const titles: Readonly<Record<string, string>> = {
  commands: 'Commands',
  'exit-codes': 'Exit codes',
  'error-codes': 'Why a run stops',
  'problem-codes': 'What can be wrong with a row',
  formats: 'Kinds of file',
  'resource-types': 'Types of record',
  environment: 'Environment variables',
}

/** Every table, under its title. */
async function reference(): Promise<string> {
  const sections: string[] = []
  for (const [name, title] of Object.entries(titles)) {
    const body = await generators[name]!()
    sections.push(`## ${title}\n\n${body}`)
  }
  return sections.join('\n\n')
}

function exitCodeTable(): string {
  const rows = Object.entries(exitExplanations).map(([name, { meaning }]) => [
    String(exitCodes[name as keyof typeof exitCodes]),
    meaning,
  ])
  return table(['Exit', 'Meaning'], rows)
}

function errorCodeTable(): string {
  const rows = Object.entries(errorCodes).map(([code, { exit, meaning }]) => [`\`${code}\``, String(exit), meaning])
  return table(['Code', 'Exit', 'Meaning'], rows)
}

function problemCodeTable(): string {
  const rows = Object.entries(problemCodes).map(([code, { severity, meaning }]) => [`\`${code}\``, severity, meaning])
  return table(['Code', 'Severity', 'Meaning'], rows)
}

/** The page of all codes; a column in angle brackets must not read as HTML. */
function explanations(): string {
  const section = (title: string, codes: readonly (readonly [string, string, string])[]): string =>
    [
      `## ${title}`,
      ...codes.map(([head, meaning, text]) => `### ${head}\n\n**${meaning}**\n\n${text.replaceAll('<', '\\<')}`),
    ].join('\n\n')
  return [
    section(
      'Exit statuses',
      Object.entries(exitExplanations).map(([name, { meaning, paragraph }]) => [
        `Exit status ${exitCodes[name as keyof typeof exitCodes]}`,
        meaning,
        paragraph,
      ]),
    ),
    section(
      'Why a run stops',
      Object.entries(errorCodes).map(([code, { exit, meaning }]) => [
        `${code} (exit status ${exit})`,
        meaning,
        errorExplanations[code as keyof typeof errorCodes],
      ]),
    ),
    section(
      'What can be wrong with a row or a file',
      Object.entries(problemCodes).map(([code, { severity, meaning }]) => [
        `${code} (${severity})`,
        meaning,
        problemExplanations[code as keyof typeof problemCodes],
      ]),
    ),
  ].join('\n\n')
}

/** What a person who is sure of the file writes into a pipeline, so that the rule does not stop again. */
function howToAccept({ id, usual, above, isChosen }: Rule<never>): string {
  if (isChosen === false) return 'A pipeline cannot choose another verdict.'
  const limit =
    above === undefined ? '' : id === 'older' ? `\`${id}: stop above 36 h\`, or ` : `\`${id}: stop above 20 %\`, or `
  const once = usual === 'stop' ? 'Once: `windrow apply RUN`. ' : ''
  return `${once}For good: ${limit}\`${id}: ${usual === 'allow' ? 'warn' : 'allow'}\` under \`rules:\`.`
}

function casesIn(title: string, cases: readonly (readonly [words: string, facts: unknown])[]): string {
  return cases.length === 0 ? '' : `${title}: ${cases.map(([words]) => words).join('; ')}.`
}

/** All rules that decide, with their cases. */
function deciderPages(): string {
  const pages = allDeciders.map((rule: Decider<never>) => {
    const { id, decides } = rule
    const [meaning, paragraph] = partsOf(rule)
    const { yes, no } = allCases[id]!
    const cases = `${casesIn('It decides', yes)} ${casesIn('It does not decide', no)}`.trim()
    return [`### ${id}`, `**${meaning}** (decides \`${decides}\`)`, paragraph, cases].join('\n\n')
  })
  return pages.map((page) => page.replaceAll('<', '\\<')).join('\n\n')
}

/** The page of all rules, with their cases. */
function rulePages(): string {
  const pages = allRules.map((rule) => {
    const { id, about, usual, above } = rule
    const [meaning, paragraph] = partsOf(rule)
    const { yes, no } = allCases[id]!
    const kind = above === 'off' ? 'off until it has a limit' : usual
    const limit = typeof above === 'object' ? `, above ${spellLimit(above)}` : ''
    return [
      `### ${id}`,
      `**${meaning}** (${kind}${limit}; about a ${about})`,
      paragraph,
      `${casesIn('It finds', yes)} ${casesIn('It does not find', no)}`,
      howToAccept(rule),
    ].join('\n\n')
  })
  return pages.map((page) => page.replaceAll('<', '\\<')).join('\n\n')
}

function keyTable(kind: 'import' | 'export'): string {
  return table(
    ['Key', 'What it says', 'Example'],
    pipelineKeys(kind).map(({ path, meaning, example }) => [
      `\`${path}\``,
      meaning.replaceAll('<', '\\<'),
      `\`${example}\``,
    ]),
  )
}

function environmentTable(): string {
  const of = (variables: Readonly<Record<string, string>>, use: string): readonly string[][] =>
    Object.entries(variables).map(([name, meaning]) => [`\`${name}\``, meaning, use])
  const text =
    'A connection can be given by environment variables, for cron and servers: all that are required, or none. Each `WINDROW_` variable ' +
    'can also be given as `..._FILE`, such as `WINDROW_PASSWORD_FILE`, with the name of a file that contains the value.'
  return `${text}\n\n${table(
    ['Variable', 'Meaning', 'Use'],
    [
      ...of(requiredVariables, 'connection, required'),
      ...of(optionalVariables, 'connection'),
      ...of(notifyVariables, 'notify.yaml'),
      ...of(webVariables, 'files on the web, also ..._FILE'),
      ...of(systemVariables, 'system'),
    ],
  )}`
}

function columnTable(): string {
  return table(
    ['Option', 'What it says', 'Example'],
    Object.entries(columnOptions).map(([name, [meaning, example]]) => [`\`${name}\``, meaning, `\`${example}\``]),
  )
}

async function formatTable(): Promise<string> {
  const known = await listFrom<Format>('src/formats/index.ts', 'formats')
  const rows = known.map((format) => [
    format.title,
    format.extensions.join(', '),
    ['open' in format ? ['read'] : [], 'write' in format ? ['write'] : []].flat().join(', '),
    Object.keys(format.options.properties)
      .map((option) => `\`${option}\``)
      .join(', '),
  ])
  return table(['Kind', 'Endings', 'windrow can', 'Options'], rows)
}

async function resourceTypeTable(): Promise<string> {
  const known = await listFrom<ResourceType>('src/resources/index.ts', 'resourceTypes')
  const rows = known.map(({ title, plural, name, dataset, shapes }) => [
    title,
    `\`${plural}\``,
    `\`${name}\``,
    dataset === undefined ? '' : `\`${dataset}\``,
    shapes?.join(', ') ?? '',
  ])
  return table(['Record', 'Word in commands', '`resourceType`', 'Dataset', 'Shapes'], rows)
}

async function faultTable(): Promise<string> {
  const { faultKinds } = await import('../src/service/faults/faults.ts')
  return table(
    ['`fault`', 'What happens'],
    Object.entries(faultKinds).map(([kind, meaning]) => [`\`${kind}\``, meaning]),
  )
}

function interfaceTables(): string {
  const cells = ({ row, route, client, command, tests }: InterfaceRow): readonly string[] => [
    `\`${row}\``,
    route === row ? 'the same' : /^[A-Z]+ \//.test(route) ? `\`${route}\`` : route,
    `\`${client}\``,
    `\`${command}\``,
    tests.map(([file, title]) => `${file.slice('test/'.length, -'.test.ts'.length)}: ${title}`).join('; '),
  ]
  const heads = ['Row', 'Embedded service', 'Client', 'Command', 'Tests']
  return interfaceSections
    .map(({ title, rows }) => `## ${title}\n\n${table(heads, rows.map(cells)).replaceAll(/%[sj#]/g, '…')}`)
    .join('\n\n')
}

async function commandHelp(): Promise<string> {
  const { loadCommands } = await import('../src/cli/commands.ts')
  const { everyCommand } = await import('../src/cli/options/command.ts')
  const { helpOf } = await import('../src/cli/program.ts')
  const one = ({ words, command }: { readonly words: string; readonly command: Command }): string => {
    const help = helpOf(command).trim().replace(`windrow ${command.name}`, `windrow ${words}`)
    const examples = command.examples.map((each) => `\n  ${each}`).join('')
    return `### windrow ${words}\n\n\`\`\`text\n${help}\n\nExamples:${examples}\n\`\`\``
  }
  return everyCommand(await loadCommands())
    .map(one)
    .join('\n\n')
}

async function listFrom<T>(path: string, name: string): Promise<readonly T[]> {
  const module = (await import(new URL(`../${path}`, import.meta.url).href)) as Readonly<Record<string, readonly T[]>>
  const list = module[name]
  if (list === undefined || list.length === 0) throw new Error(`${path} does not export a list called ${name}.`)
  return list
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n')
}

/** The published schemas, by file name: for editors and for programs that read reports. */
export async function schemas(): Promise<Readonly<Record<string, string>>> {
  const { pipelineSchema } = await import('../src/pipeline/definition/definition-schema.ts')
  const { formats } = await import('../src/formats/index.ts')
  const { reportSchema } = await import('../src/pipeline/report/report-schema.ts')
  const { exportReportSchema } = await import('../src/pipeline/report/export-report.ts')
  const { changesSchema } = await import('../src/pipeline/report/changes-schema.ts')
  const { inspectionSchema } = await import('../src/pipeline/inspect/inspection-schema.ts')
  const written = (schema: unknown): string => `${JSON.stringify(schema, undefined, 2)}\n`
  return {
    'docs/pipeline.schema.json': written(pipelineSchema(formats)),
    'docs/report.schema.json': written(reportSchema),
    'docs/export-report.schema.json': written(exportReportSchema),
    'docs/changes.schema.json': written(changesSchema),
    'docs/inspect.schema.json': written(inspectionSchema),
  }
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(await schemas())) writeFileSync(join(root, path), text)
  for (const path of documents()) {
    const text = readFileSync(join(root, path), 'utf8')
    const made = await withTables(text)
    if (made === text) continue
    writeFileSync(join(root, path), made)
    console.log(`${path} was updated.`)
  }
}
