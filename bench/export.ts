/**
 * The contests between windrow's writers and other tools: the same records, the same cells or features in the file. A million rows
 * must take ten times as long as a tenth of them, in the same memory.
 */

import { join } from 'node:path'
import { fileSource } from '../src/core/sources/source.ts'
import { openFile } from '../src/formats/index.ts'
import { nodeSide, sidePath, type Bench, type Contest, type Side } from './contest.ts'
import { geoJsonOf } from './data.ts'
import { installWindrow } from './installed.ts'
import { diaryOf, jobsOf } from './jobs.ts'
import { ogr2ogr, withPeer } from './peers.ts'

const count = 100_000

export const bench: Bench = {
  rounds: 5,
  async prepare(folder) {
    const home = join(await installWindrow(folder), '..', '..')
    const jobs = await jobsOf(folder, count)
    const course: Course = {
      home,
      jobs,
      diary: await diaryOf(jobs),
      at: (name) => join(folder, `export-${name}`),
    }
    const plots = await geoJsonOf(folder, { count })
    return [...tables(course), ...large(course), ...maps(course, plots)]
  },
}

type Course = { readonly home: string; readonly jobs: string; readonly diary: string; at(name: string): string }

function writing(output: string, name: string, ...words: readonly string[]): Side {
  return { ...nodeSide(sidePath(name), ...words), writes: [output] }
}

function tables({ home, jobs, diary, at }: Course): readonly Contest[] {
  const [ours, whole, theirs] = [at('ours.xlsx'), at('whole.xlsx'), at('peer.xlsx')]
  const [ourText, theirText] = [at('ours.csv'), at('peer.csv')]
  const exceljs: Side = { ...withPeer('exceljs', sidePath('exceljs-write.mjs'), diary, theirs), writes: [theirs] }
  return [
    {
      name: 'rows of work records to xlsx, 100k',
      ours: writing(ours, 'write-rows.mjs', home, diary, ours),
      peer: exceljs,
      peerName: 'exceljs, streaming',
      goal: 2,
      goalMB: mostMB,
      difference: () => differenceOf(ours, theirs),
    },
    {
      name: 'work records to a diary in xlsx, 100k',
      ours: writing(whole, 'export-jobs.ts', jobs, whole),
      // Ours makes the rows and the totals from whole records; the peer writes rows that are made.
      peer: exceljs,
      peerName: 'exceljs, rows only',
      goal: 0.5,
      goalMB: mostMB,
      difference: () => differenceOf(whole, theirs),
    },
    {
      name: 'rows of work records to CSV, 100k',
      ours: writing(ourText, 'write-rows.mjs', home, diary, ourText),
      peer: writing(theirText, 'papaparse-write.mjs', diary, theirText),
      peerName: 'papaparse.unparse',
      goal: 1.2,
      goalMB: mostMB,
      difference: () => differenceOf(ourText, theirText),
    },
  ]
}

const mostMB = 250

function large({ home, diary, at }: Course): readonly Contest[] {
  return ['xlsx', 'csv', 'gpkg'].map((ending) => {
    const output = at(`large.${ending}`)
    const side = (times: number, files: number): Side =>
      writing(output, 'write-rows.mjs', home, diary, output, String(times), String(files))
    return {
      name: `rows to ${ending}, 1M`,
      ours: side(10, 1),
      peer: side(1, 10),
      peerName: 'itself, ten times 100k',
      goal: 0.8,
      goalMB: mostMB,
      tenth: side(1, 1),
      rounds: 1,
      difference: () => Promise.resolve(undefined),
    }
  })
}

const kinds = [
  { ending: 'gpkg', format: 'GPKG', theirs: 'gpkg', goal: 1.5 },
  { ending: 'zip', format: 'ESRI Shapefile', theirs: 'shz', goal: 1.5 },
  { ending: 'geojson', format: 'GeoJSON', theirs: 'geojson', goal: 4 },
] as const

function maps({ home, at }: Course, plots: string): readonly Contest[] {
  return kinds.map(({ ending, format, theirs, goal }) => {
    const [ours, other] = [at(`ours.${ending}`), at(`peer.${theirs}`)]
    // A shapefile in a zip is written for UTF-8 on both sides.
    const encoding = theirs === 'shz' ? ['-lco', 'ENCODING=UTF-8'] : []
    return {
      name: `plots to ${ending}, 100k`,
      ours: writing(ours, 'write-features.mjs', home, plots, ours),
      peer: { ...ogr2ogr('-f', format, ...encoding, other, plots), writes: [other] },
      peerName: `ogr2ogr -f ${theirs}`,
      goal,
      goalMB: mostMB,
      difference: () => differenceOf(ours, other),
    }
  })
}

/** Where the first tables of two files differ: in their rows, in the letters of their texts, in their vertices. */
async function differenceOf(ours: string, theirs: string): Promise<string | undefined> {
  const [our, their] = [await tallyOf(ours), await tallyOf(theirs)]
  return our === their ? undefined : `Ours has ${our}, the peer's ${their}.`
}

async function tallyOf(path: string): Promise<string> {
  const { tables, close } = await openFile(await fileSource(path))
  let [rows, letters, vertices] = [0, 0, 0]
  for await (const batch of tables[0]!.batches())
    for (const { values, shape } of batch) {
      rows += 1
      vertices += (shape?.coordinates.length ?? 0) / 2
      for (const value of Object.values(values))
        // The two write days and times in their own ways.
        if (typeof value === 'string' && !/^\d\d[\d/:]/.test(value)) letters += value.length
    }
  await close()
  return `${rows} rows, ${letters} letters, ${vertices} vertices`
}
