/**
 * Runs `npm start`: the three main jobs on this machine, with the commands that a person would type. Everything is written to a
 * temporary folder.
 */

import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectTo } from '../src/client/connection.ts'
import { main } from '../src/cli/main.ts'
import { demoCredentials } from '../src/service/store/accounts.ts'
import { createService } from '../src/service/create.ts'
import type { LoadFile } from '../src/service/routes/crop-records.ts'
import { serve } from '../src/service/serve.ts'

const began = Date.now()
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'windrow-tour-'))
for (const name of ['samples', 'pipelines'])
  cpSync(join(root, name), join(folder, name), {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !path.includes('.windrow'),
  })

const service = createService({ store: join(folder, 'service.db'), demo: true })
service.load(JSON.parse(readFileSync(join(folder, 'samples', 'rimu-farm', 'work-records.json'), 'utf8')) as LoadFile)
const served = await serve(service)
Object.assign(process.env, {
  WINDROW_SERVICE: served.url,
  WINDROW_TOKEN_URL: served.authUrl,
  WINDROW_CLIENT_ID: demoCredentials.clientId,
  WINDROW_CLIENT_SECRET: demoCredentials.clientSecret,
  WINDROW_USERNAME: demoCredentials.username,
  WINDROW_PASSWORD: demoCredentials.password,
})
// The tour's exports are no runs of the person who looks at it.
for (const name of ['XDG_STATE_HOME', 'LOCALAPPDATA', ...(process.platform === 'darwin' ? ['HOME'] : [])])
  process.env[name] = join(folder, 'state')
process.chdir(folder)
const failures: string[] = []

print(`A demo service runs at ${served.url}; its records are in ${join(folder, 'service.db')}.`)
await step('Farms first: the service rejects a paddock whose farm it does not know.', 0, 'run pipelines/holdings.yaml')
await step(
  'Rimu Farm sends its paddock map as a zip. Two of its 24 rows are wrong on purpose.',
  3,
  'run pipelines/onboard-paddocks.yaml',
)
const before = await boundaries()
await step(
  'Every night the office program writes a CSV with names and crops, without boundaries.',
  0,
  'run pipelines/nightly-paddocks.yaml',
)
const after = await boundaries()
expectThat(
  after.size === before.size && [...before].every(([id, boundary]) => after.get(id) === boundary),
  `  Read back through the OGC API: ${after.size} plots, all ${before.size} boundaries unchanged by the CSV.`,
)
await step(
  'Export the plots as a spreadsheet and as a map.',
  0,
  'export plots -o out/paddocks.xlsx --set to.folders=make',
  'export plots -o out/paddocks.geojson --set to.folders=make',
)
await step(
  "Export last October's work on the farm as a diary.",
  0,
  'export work-records --from 2026-10-01 --until 2026-10-31 --zone Pacific/Auckland -o out/work.xlsx --set to.folders=make',
)

await served.close()
service.close()
const runs = join(folder, 'pipelines', '.windrow', 'runs')
const page = readdirSync(runs).find((name) => name.includes('onboard'))
print(
  '\nFiles to open:',
  ...readdirSync(join(folder, 'out')).map((name) => `  ${join(folder, 'out', name)}`),
  `  ${join(runs, page ?? '', 'report.html')}   (the report of the map, in a browser)`,
  `  ${join(runs, page ?? '', 'rejected.zip')}   (the two wrong rows, in the format they came in)`,
  '\nTry next:',
  '  npx windrow inspect "samples/rimu-farm/Rimu paddocks FINAL v3.zip"',
  '  npx windrow serve --demo --as trial             such a service, empty, until you stop it',
  '  npx windrow import YOUR-FILE --dry-run          your own file: checks it and sends nothing',
  failures.length === 0
    ? `\nDone in ${((Date.now() - began) / 1000).toFixed(1)} s.`
    : `\nFailed: ${failures.join('; ')}`,
)
process.exitCode = failures.length === 0 ? 0 : 1

async function step(what: string, expected: number, ...commands: readonly string[]): Promise<void> {
  print(`\n${what}`)
  for (const command of commands) {
    print(`$ windrow ${command}`)
    const exit = await main(command.split(' '))
    expectThat(exit === expected, undefined, `windrow ${command} ended with ${exit} instead of ${expected}`)
  }
}

/** Each plot's boundary as text, from the features API. */
async function boundaries(): Promise<Map<string, string>> {
  const profile = { name: 'tour', service: served.url, tokenUrl: served.authUrl, ...demoCredentials }
  const client = connectTo(profile, {
    fetch,
    clock: () => new Date(),
    sleep: () => Promise.resolve(),
    random: Math.random,
  })
  const found = new Map<string, string>()
  for await (const page of client.features('plots'))
    for (const { id, geometry } of page) if (geometry !== null) found.set(String(id), JSON.stringify(geometry))
  return found
}

function expectThat(isSo: boolean, good: string | undefined, bad = 'a boundary changed or is missing'): void {
  if (!isSo) failures.push(bad)
  else if (good !== undefined) print(good)
}

function print(...lines: readonly string[]): void {
  console.log(lines.join('\n'))
}
