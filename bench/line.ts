/**
 * Hides the contests over the whole line of an import: from the zipped shapefile to records that are ready to send, beside the
 * tools that only convert; and the sending of them, beside a loop that does nothing but send.
 */

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freshFolder, type Bench, type Contest, type Side } from './contest.ts'
import { zipOf } from './data.ts'
import { installWindrow } from './installed.ts'
import { mapshaper, ogr2ogr } from './peers.ts'
import { differenceOfPaddocks } from './same-paddocks.ts'

type Line = {
  readonly count: number
  readonly zip: string
  readonly program: string
  readonly pipeline: string
  at(name: string): string
}

export const bench: Bench = {
  rounds: 5,
  prepare(folder) {
    const program = installWindrow(folder)
    const contests = [10_000, 100_000].flatMap((count) => {
      const home = join(folder, `line-${count}`)
      mkdirSync(home, { recursive: true })
      const zip = zipOf(folder, { count, bowTies: true })
      const line: Line = { count, zip, program, pipeline: join(home, 'paddocks.yaml'), at: (name) => join(home, name) }
      writeFileSync(line.pipeline, pipelineText(zip))
      return [...conversions(line), publishing(line)]
    })
    return Promise.resolve(contests)
  },
}

function pipelineText(zip: string): string {
  return `windrow: 1
import: plots
from: { file: ${JSON.stringify(zip)}, crs: EPSG:2193 }
holding: { scheme: nz.example.farm-number, id: "00412876" }
key: <PADDOCK_ID>
record:
  name: <NAME>
  totalArea: measured
  identifiers: [{ scheme: nz.example.rimu.paddock, id: <PADDOCK_ID> }]
  crops: [{ name: <CROP>, establishmentDate: { from: SOWN, date: d/M/yyyy, zone: Pacific/Auckland } }]
geometry: { multipart: keep, repair: up to 100 % }
`
}

function dryRun({ program, pipeline, at }: Line, state: string): readonly string[] {
  const outputs = ['--out', at('ready.ndjson'), '--report', at('report.json')]
  return [program, 'run', pipeline, '--dry-run', '--state', state, ...outputs]
}

function conversions(line: Line): readonly Contest[] {
  const { count, zip, at } = line
  const toDegrees = ['-f', 'GeoJSONSeq', '-t_srs', 'EPSG:4326']
  const areas =
    'SELECT *, ST_Area(geometry) AS area_m2, ST_X(ST_Centroid(geometry)) AS x, ST_Y(ST_Centroid(geometry)) AS y FROM paddocks'
  const contest = (peerName: string, file: string, peer: (output: string) => Side, goal: number): Contest => ({
    name: `${count / 1000}k paddocks to records, dry run`,
    ours: { command: ['node', ...dryRun(line, freshFolder)], version: process.versions.node },
    peer: peer(at(file)),
    peerName,
    goal,
    goalMB: 150,
    difference: () =>
      differenceOfPaddocks({
        count,
        records: at('ready.ndjson'),
        features: at(file),
        mended: mendedOf(at('report.json')),
      }),
  })
  const isLarge = count === 100_000
  return [
    contest(
      'ogr2ogr -makevalid',
      'makevalid.geojsonl',
      (output) => ogr2ogr(...toDegrees, '-makevalid', output, `/vsizip/${zip}`),
      isLarge ? 3 : 2,
    ),
    contest(
      'ogr2ogr, SQL area and centroid',
      'areas.geojsonl',
      (output) => ogr2ogr(...toDegrees, '-dialect', 'sqlite', '-sql', areas, output, `/vsizip/${zip}`),
      isLarge ? 3.5 : 2,
    ),
    contest(
      'mapshaper -proj -clean',
      'mapshaper.geojsonl',
      // Without allow-empty, -clean drops the records of boundaries that cross themselves.
      (output) =>
        mapshaper(zip, '-proj', 'wgs84', '-clean', 'allow-empty', '-o', output, 'format=geojson', 'ndjson', 'force'),
      isLarge ? 3 : 1,
    ),
  ]
}

function mendedOf(report: string): number {
  const { problems } = JSON.parse(readFileSync(report, 'utf8')) as {
    readonly problems: readonly { readonly code: string; readonly count: number }[]
  }
  return problems.find(({ code }) => code === 'boundary-repaired')?.count ?? 0
}

const publisher = fileURLToPath(new URL('sides/publish.ts', import.meta.url))
const bareLoop = fileURLToPath(new URL('sides/bare-loop.mjs', import.meta.url))

function publishing(line: Line): Contest {
  const { count, program, pipeline, at } = line
  stageOnce(line)
  const side = (name: string, ...words: readonly string[]): Side => ({
    command: ['node', publisher, program, at(`${name}-stored.txt`), ...words],
    version: process.versions.node,
  })
  return {
    name: `${count / 1000}k records to the service, sending`,
    ours: side('ours', program, 'run', pipeline, '--state', freshFolder),
    peer: side('bare', bareLoop, at('ready.ndjson')),
    peerName: 'a bare loop of fetch',
    goal: 0.85,
    // The bare loop itself takes 300: bodies as text, as bytes, and under way.
    goalMB: 400,
    difference() {
      const [ours, bare] = ['ours', 'bare'].map((name) => readFileSync(at(`${name}-stored.txt`), 'utf8'))
      const isSame = ours === bare && ours === String(count)
      return Promise.resolve(isSame ? undefined : `${ours} records are stored after ours, ${bare} after the loop.`)
    },
  }
}

/** The bodies that the bare loop sends are the very ones that windrow makes. */
function stageOnce(line: Line): void {
  const state = line.at('state')
  const { status, stderr } = spawnSync(process.execPath, [...dryRun(line, state)], { encoding: 'utf8' })
  rmSync(state, { recursive: true, force: true })
  if (status !== 0) throw new Error(`windrow did not make the records to send.\n${stderr}`)
}
