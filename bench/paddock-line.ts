/** Runs the whole import of a zipped shapefile with windrow, ogr2ogr and geopandas, and checks that they did the same work. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freshFolder, nodeSide, sidePath, type Contest, type Side } from './contest.ts'
import { zipOf } from './data.ts'
import { geopandas, mapshaper, ogr2ogr } from './peers.ts'
import { differenceOfPaddocks } from './same-paddocks.ts'

/** Paddocks in a zip, a pipeline for them, the program that runs it, and the folder for outputs. */
export type Line = {
  readonly count: number
  readonly zip: string
  readonly program: string
  readonly pipeline: string
  at(name: string): string
}

/** The line for a number of paddocks, one in 100 of which crosses itself. */
export async function lineOf(folder: string, count: number, program: string): Promise<Line> {
  const home = join(folder, `line-${count}`)
  mkdirSync(home, { recursive: true })
  const zip = await zipOf(folder, { count, bowTies: true })
  const line: Line = { count, zip, program, pipeline: join(home, 'paddocks.yaml'), at: (name) => join(home, name) }
  writeFileSync(line.pipeline, pipelineText(zip))
  return line
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

/** Everything except sending, with the bodies in ready.ndjson and the report in report.json. */
export function dryRun({ program, pipeline, at }: Line, state: string): readonly [program: string, ...words: string[]] {
  const outputs = ['--out', at('ready.ndjson'), '--report', at('report.json')]
  return [program, 'run', pipeline, '--dry-run', '--state', state, ...outputs]
}

/** A peer over the same paddocks: `run` writes features into the given file. */
export type Rival = { readonly name: string; readonly file: string; run(line: Line, output: string): Side }

const toDegrees = ['-f', 'GeoJSONSeq', '-t_srs', 'EPSG:4326']
const areaAnd = (centroid: string, [x, y]: readonly [string, string]): string =>
  `SELECT *, ST_Area(geometry) AS area_m2, ST_X(${centroid}) AS ${x}, ST_Y(${centroid}) AS ${y} FROM paddocks`
const inDegrees = areaAnd('ST_Transform(ST_Centroid(geometry), 4326)', ['x', 'y'])
const inMetres = areaAnd('ST_Centroid(geometry)', ['east', 'north'])

/** Projects and repairs. */
export const ogrMakeValid: Rival = {
  name: 'ogr2ogr -makevalid',
  file: 'makevalid.geojsonl',
  run: ({ zip }, output) => ogr2ogr(...toDegrees, '-makevalid', output, `/vsizip/${zip}`),
}

/** Projects and measures: the area on the plane, the centroid in degrees, as the records have it. */
export const ogrAreas: Rival = {
  name: 'ogr2ogr, SQL area and centroid',
  file: 'areas.geojsonl',
  run: ({ zip }, output) => ogr2ogr(...toDegrees, '-dialect', 'sqlite', '-sql', inDegrees, output, `/vsizip/${zip}`),
}

/** The same with the centroid in metres of the grid, which is faster but useless beside coordinates in degrees. */
export const ogrAreasInMetres: Rival = {
  name: 'ogr2ogr, SQL, centroid in grid metres',
  file: 'metres.geojsonl',
  run: ({ zip }, output) => ogr2ogr(...toDegrees, '-dialect', 'sqlite', '-sql', inMetres, output, `/vsizip/${zip}`),
}

/** Projects and repairs. */
export const mapshaperClean: Rival = {
  name: 'mapshaper -proj -clean',
  file: 'mapshaper.geojsonl',
  // Without allow-empty, -clean drops the records of boundaries that cross themselves.
  run: ({ zip }, output) =>
    mapshaper(zip, '-proj', 'wgs84', '-clean', 'allow-empty', '-o', output, 'format=geojson', 'ndjson', 'force'),
}

/** Projects, repairs, and measures on the ellipsoid. */
export const geopandasMakeValid: Rival = {
  name: 'geopandas, make_valid and geodesic area',
  file: 'geopandas.geojsonl',
  run: ({ zip }, output) => geopandas(sidePath('geopandas-line.py'), zip, output),
}

/** The command and goal of our side beside a peer. */
export type Goal = Pick<Contest, 'goal' | 'goalMB' | 'rounds'>

/** The dry run of the whole import beside a peer. */
export function dryRunBeside(line: Line, rival: Rival, goal: Goal): Contest {
  return besideRival(line, rival, { name: 'dry run', side: nodeSide(...dryRun(line, freshFolder)), goal })
}

/** Only the work on each single row, without the checks that need other rows, beside a peer. */
export function recordsBeside(line: Line, rival: Rival, goal: Goal): Contest {
  const { pipeline, program, at } = line
  const home = dirname(dirname(program))
  const side = nodeSide(sidePath('paddock-records.mjs'), home, pipeline, at('ready.ndjson'), at('report.json'))
  return besideRival(line, rival, { name: 'row by row', side, goal })
}

type Ours = { readonly name: string; readonly side: Side; readonly goal: Goal }

function besideRival({ count, at, ...line }: Line, rival: Rival, { name, side, goal }: Ours): Contest {
  return {
    name: `${count / 1000}k paddocks to records, ${name}`,
    ours: { ...side, writes: [at('ready.ndjson'), at('report.json')] },
    peer: { ...rival.run({ count, at, ...line }, at(rival.file)), writes: [at(rival.file)] },
    peerName: rival.name,
    ...goal,
    difference: () =>
      differenceOfPaddocks({
        count,
        records: at('ready.ndjson'),
        features: at(rival.file),
        repaired: mendedOf(at('report.json')),
      }),
  }
}

function mendedOf(report: string): number {
  const { problems } = JSON.parse(readFileSync(report, 'utf8')) as {
    readonly problems: readonly { readonly code: string; readonly count: number }[]
  }
  return problems.find(({ code }) => code === 'boundary-repaired')?.count ?? 0
}
