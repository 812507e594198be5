/**
 * The contests between windrow's readers and other tools: the same file, the same rows. With ten times the data, memory must stay
 * the same.
 */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeSide, sidePath, type Bench, type Contest, type Side } from './contest.ts'
import { geoJsonOf, layerOf, zipOf } from './data.ts'
import { installWindrow } from './installed.ts'
import { mapshaper, ogr2ogr, ogrinfo, withPeer } from './peers.ts'
import { csvOf, workbookOf } from './records.ts'
import { differenceOfFeatures } from './same-features.ts'

export const bench: Bench = {
  rounds: 5,
  async prepare(folder) {
    const program = await installWindrow(folder)
    const course: Course = { program, home: join(program, '..', '..'), at: (name) => join(folder, name) }
    const paddocks = {
      hundred: await zipOf(folder, { count: 100_000 }),
      million: await layerOf(folder, { count: 1_000_000 }),
    }
    const geojson = {
      hundred: await geoJsonOf(folder, { count: 100_000 }),
      million: await geoJsonOf(folder, { count: 1_000_000 }),
    }
    const csv = { hundred: await csvOf(folder, 100_000), million: await csvOf(folder, 1_000_000) }
    const xlsx = { hundred: await workbookOf(folder, 100_000), million: await workbookOf(folder, 1_000_000) }
    return [
      ...shapefileContests(course, paddocks),
      ...geojsonContests(course, geojson),
      csvContest(course, csv),
      ...workbookContests(course, xlsx),
      inspectContest(course, 'CSV, 1M rows of 12 cells', csv.million),
      inspectContest(course, 'shapefile, 100k paddocks', paddocks.hundred),
    ]
  },
}

type Course = { readonly program: string; readonly home: string; at(name: string): string }
type Sizes = { readonly hundred: string; readonly million: string }

const mostMB = 150
// A million rows take minutes with some peers; medians of three are enough where the ratio is far from its goal.
const roundsOfLarge = 3

function node(name: string, ...words: readonly string[]): Side {
  return nodeSide(sidePath(name), ...words)
}

function writing(path: string, side: Side): Side {
  return { ...side, writes: [path] }
}

function shapefileContests({ home, at }: Course, { hundred, million }: Sizes): readonly Contest[] {
  const ours = (file: string, output: string): Side => writing(at(output), node('convert.mjs', home, file, at(output)))
  const toDegrees = ['-f', 'GeoJSONSeq', '-t_srs', 'EPSG:4326']
  // The loose one has no .shx; GDAL writes it at its first run.
  const restoring = ['--config', 'SHAPE_RESTORE_SHX', 'YES']
  const differs = (peer: string, count: number) => () =>
    differenceOfFeatures({ count, ours: at('readers-ours.geojsonl'), peer: at(peer) })
  return [
    {
      name: 'shapefile to GeoJSON lines, 100k paddocks',
      ours: ours(hundred, 'readers-ours.geojsonl'),
      peer: writing(
        at('readers-ogr.geojsonl'),
        ogr2ogr(...toDegrees, at('readers-ogr.geojsonl'), `/vsizip/${hundred}`),
      ),
      peerName: 'ogr2ogr',
      goal: 5,
      goalMB: mostMB,
      difference: differs('readers-ogr.geojsonl', 100_000),
    },
    {
      name: 'shapefile to GeoJSON lines, 100k paddocks',
      ours: ours(hundred, 'readers-ours.geojsonl'),
      peer: writing(
        at('readers-mapshaper.geojsonl'),
        mapshaper(
          hundred,
          '-proj',
          'wgs84',
          '-o',
          at('readers-mapshaper.geojsonl'),
          'format=geojson',
          'ndjson',
          'force',
        ),
      ),
      peerName: 'mapshaper -proj',
      goal: 2.5,
      goalMB: mostMB,
      difference: differs('readers-mapshaper.geojsonl', 100_000),
    },
    {
      name: 'shapefile to GeoJSON lines, 1M paddocks',
      ours: ours(million, 'readers-ours.geojsonl'),
      peer: writing(
        at('readers-ogr.geojsonl'),
        ogr2ogr(...toDegrees, ...restoring, at('readers-ogr.geojsonl'), million),
      ),
      peerName: 'ogr2ogr',
      goal: 5,
      goalMB: mostMB,
      tenth: ours(hundred, 'readers-tenth.geojsonl'),
      rounds: roundsOfLarge,
      difference: differs('readers-ogr.geojsonl', 1_000_000),
    },
  ]
}

function tallies(
  course: Course,
  side: (output: string) => Side,
  peer: (output: string) => Side,
): Pick<Contest, 'ours' | 'peer' | 'difference'> {
  const [ours, other] = [course.at('tally-ours.json'), course.at('tally-peer.json')]
  return {
    ours: side(ours),
    peer: peer(other),
    difference() {
      const [our, their] = [readFileSync(ours, 'utf8'), readFileSync(other, 'utf8')]
      return Promise.resolve(our === their ? undefined : `Ours read ${our}, the peer ${their}.`)
    },
  }
}

function geojsonContests(course: Course, { hundred, million }: Sizes): readonly Contest[] {
  const { home, at } = course
  return [
    {
      name: 'GeoJSON to rows, 100k features of 94 MB',
      ...tallies(
        course,
        (output) => node('read-rows.mjs', home, hundred, output),
        (output) => node('parse-json.mjs', hundred, output),
      ),
      peerName: 'JSON.parse of the whole',
      goal: 1,
      goalShare: 0.2,
    },
    {
      name: 'GeoJSON to rows, 1M features of 945 MB',
      ours: node('read-rows.mjs', home, million, at('tally-million.json')),
      // It cannot be read whole: Node has no text longer than 512 MB.
      peer: ogrinfo('-ro', '-al', '-so', million),
      peerName: 'ogrinfo -al -so',
      goal: 2,
      goalMB: mostMB,
      tenth: node('read-rows.mjs', home, hundred, at('tally-tenth.json')),
      rounds: 1,
      difference() {
        const { rows } = JSON.parse(readFileSync(at('tally-million.json'), 'utf8')) as { readonly rows: number }
        return Promise.resolve(rows === 1_000_000 ? undefined : `Ours read ${rows} rows.`)
      },
    },
  ]
}

function csvContest(course: Course, { hundred, million }: Sizes): Contest {
  return {
    name: 'CSV to rows, 1M of 12 cells',
    ...tallies(
      course,
      (output) => node('read-rows.mjs', course.home, million, output),
      (output) => node('papaparse.mjs', million, output),
    ),
    peerName: 'papaparse, step by step',
    goal: 0.7,
    goalMB: mostMB,
    tenth: node('read-rows.mjs', course.home, hundred, course.at('tally-tenth.json')),
  }
}

function workbookContests(course: Course, { hundred, million }: Sizes): readonly Contest[] {
  const ours = (file: string) => (output: string) => node('read-rows.mjs', course.home, file, output)
  const exceljs = (file: string) => (output: string) => withPeer('exceljs', sidePath('exceljs.mjs'), file, output)
  return [
    {
      name: 'xlsx to rows, 100k of 12 cells',
      ...tallies(course, ours(hundred), (output) => node('xlsx-library.mjs', hundred, output)),
      peerName: 'xlsx',
      goal: 4,
      goalMB: mostMB,
    },
    {
      name: 'xlsx to rows, 100k of 12 cells',
      ...tallies(course, ours(hundred), exceljs(hundred)),
      peerName: 'exceljs, streaming',
      goal: 2,
      goalMB: mostMB,
    },
    {
      name: 'xlsx to rows, 1M of 12 cells',
      ...tallies(course, ours(million), exceljs(million)),
      peerName: 'exceljs, streaming',
      goal: 2,
      goalMB: mostMB,
      tenth: node('read-rows.mjs', course.home, hundred, course.at('tally-tenth.json')),
      rounds: 1,
    },
  ]
}

function inspectContest({ program: windrow, home, at }: Course, what: string, file: string): Contest {
  return {
    name: `inspect, ${what}`,
    ours: nodeSide(windrow, 'inspect', file, '--json'),
    peer: node('read-rows.mjs', home, file, at('bare.txt'), 'bare'),
    peerName: 'our own bare pass',
    // At most twice its time.
    goal: 1 / 2,
    goalMB: mostMB,
    difference: () => Promise.resolve(existsSync(at('bare.txt')) ? undefined : 'The bare pass wrote nothing.'),
  }
}
