/** Compares files whose shape is hard to work on with ordinary files of as many bytes: a dry run of the import, in processor time. */

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { boundaryCliffs, ordinaryBoundaries, ordinaryRows, rowCliffs, type CliffFile } from './cliff-files.ts'
import { freshFolder, nodeSide, sidePath, type Bench, type Contest, type Side } from './contest.ts'
import { installWindrow } from './installed.ts'

// At most ten times the ordinary file.
const goal = 0.1

export const bench: Bench = {
  rounds: 1,
  async prepare(folder) {
    const home = join(folder, 'cliffs')
    mkdirSync(home, { recursive: true })
    const program = await installWindrow(folder)
    const start = { home, program }
    return [
      ...Object.entries(boundaryCliffs).map(([name, make]) =>
        contest({ ...start, name, make, ordinary: ordinaryBoundaries, ending: '.geojson' }),
      ),
      ...Object.entries(rowCliffs).map(([name, make]) =>
        contest({ ...start, name, make, ordinary: ordinaryRows, ending: '.csv' }),
      ),
    ]
  },
}

type Cliff = {
  readonly home: string
  readonly program: string
  readonly name: string
  readonly make: () => CliffFile
  readonly ordinary: (bytes: number) => CliffFile
  readonly ending: string
}

function contest({ home, program, name, make, ordinary, ending }: Cliff): Contest {
  const stem = join(home, name.replaceAll(/\W+/g, '-'))
  const hard = sideOf({ program, stem, ending, make })
  const plain = sideOf({
    program,
    stem: `${stem}-ordinary`,
    ending,
    make: () => ordinary(statSync(`${stem}${ending}`).size),
  })
  const read = (report: string): number =>
    (JSON.parse(readFileSync(report, 'utf8')) as { readonly rows: { readonly read: number } }).rows.read
  return {
    name,
    ours: hard.side,
    peer: plain.side,
    peerName: `${plain.rows} ordinary rows`,
    goal,
    difference() {
      const all = [hard, plain].every(({ report, rows }) => read(report) >= rows)
      return Promise.resolve(all ? undefined : 'Not all rows were read.')
    },
  }
}

type Job = { readonly program: string; readonly stem: string; readonly ending: string; readonly make: () => CliffFile }

/** Writes the file, unless it is there, and the pipeline for it. */
function sideOf({ program, stem, ending, make }: Job): {
  readonly side: Side
  readonly report: string
  readonly rows: number
} {
  const [file, count, pipeline, report] = [`${stem}${ending}`, `${stem}.rows`, `${stem}.yaml`, `${stem}-report.json`]
  if (!existsSync(count)) {
    const { text, rows } = make()
    writeFileSync(file, text)
    writeFileSync(count, String(rows))
  }
  const geometry = ending === '.geojson' ? ', crs: EPSG:4326' : ''
  writeFileSync(
    pipeline,
    `windrow: 1
import: plots
from: { file: ${JSON.stringify(file)}${geometry} }
holding: { scheme: nz.example.farm-number, id: "00412876" }
key: <ID>
record: { name: <NAME> }
rules: { duplicates: allow }
`,
  )
  const words = ['run', pipeline, '--dry-run', '--state', freshFolder, '--report', report]
  const side = { ...nodeSide(sidePath('processor-time.mjs'), program, ...words), writes: [report] }
  return { side, report, rows: Number(readFileSync(count, 'utf8')) }
}
