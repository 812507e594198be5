/** Lists what both builds are tried with: the cases beside the project, its own files, and files that once did harm. */

import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fixtures } from '../../test/formats/fixtures.ts'
import { givenCrs, readCases } from '../cases/case.ts'
import { csv, drawFarm } from './farm.ts'
import { harmOfMaps } from './harm-maps.ts'
import { harmOfNames } from './harm-names.ts'
import { harmOfNights } from './harm-nights.ts'
import { harmOfPlaces } from './harm-places.ts'
import { harmOfTables } from './harm-tables.ts'
import { filesOfSystems } from './systems.ts'
import { offline, scheme, type Farm, type Files, type Trial } from './trial.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const harms = Object.entries({
  places: harmOfPlaces,
  names: harmOfNames,
  tables: harmOfTables,
  maps: harmOfMaps,
  nights: harmOfNights,
}).flatMap(([kind, each]) => Object.entries(each).map(([name, steps]) => ({ name: `${kind}/${name}`, steps })))

/** Fifteen farms in a row, three kilometres from each other. */
const farms: readonly Farm[] = harms.map((_, index) => {
  const at = [175 + (index % 15) * 0.034, -38.2 + Math.floor(index / 15) * 0.027] as const
  return { number: `F${String(index + 1).padStart(3, '0')}`, at, paddocks: drawFarm(at) }
})

/** Those with this text in their name, after what makes their farms known to the service. */
export function trialsWith(text: string): readonly Trial[] {
  const isWanted = ({ name }: { readonly name: string }): boolean => name.includes(text)
  const wanted = harms.map((each, index) => ({ ...each, farm: farms[index]! })).filter(isWanted)
  return [
    ...[...casesBeside(), ...ownFiles(), ...systems()].filter(isWanted),
    ...(wanted.length === 0 ? [] : [registrationOf(wanted.map(({ farm }) => farm))]),
    ...wanted.map(({ name, steps, farm }) => ({ name, steps: steps(farm) })),
  ]
}

function registrationOf(known: readonly Farm[]): Trial {
  const rows = known.flatMap(({ number }) =>
    ['', 'B', 'C', 'D'].map((more) => [number + more, `Farm ${number}${more}`]),
  )
  const put = { 'farms.csv': csv([['FARM_NO', 'NAME'], ...rows]) }
  const words = ['import', 'farms.csv', '--to', 'holdings', '--holding', `${scheme}:<FARM_NO>`]
  return { name: 'farms', steps: [{ run: 'sent', put, words }] }
}

function systems(): readonly Trial[] {
  return Object.entries(filesOfSystems()).map(([name, [put, ...words]]) =>
    dryTrial(`systems/${name}`, put, ['--key', 'ID', ...words]),
  )
}

/** The cases of which `npm run cases` knows the results. */
function casesBeside(): readonly Trial[] {
  const folder = join(root, '../shared/cases')
  if (!existsSync(join(folder, 'cases.json'))) return []
  return readCases(folder).cases.map((each) => {
    const path = join(folder, each.file)
    const stem = basename(path).replace(/[^.]*$/, '')
    const crs = givenCrs(each)
    return dryTrial(
      `cases/${each.id}`,
      filesIn(dirname(path), (name) => name.startsWith(stem)),
      crs === undefined ? [] : ['--crs', crs],
      basename(path),
    )
  })
}

/** The samples, a file of each format, and the pipelines. */
function ownFiles(): readonly Trial[] {
  const samples = filesIn(root, (name) => /^samples\/[^/]+\/[^/]+$/.test(name), 'samples/*/*')
  const pipelines = filesIn(
    root,
    (name) => /^(test\/fixtures\/)?pipelines\//.test(name),
    '{,test/fixtures/}pipelines/*.yaml',
  )
  return [
    ...Object.entries(samples).map(([path, content]) => dryTrial(path, { [basename(path)]: content })),
    ...fixtures.map(({ name, make }) => dryTrial(`formats/${name}`, { [name]: make(9) })),
    ...Object.entries(pipelines).map(([path, content]) => ({
      name: path,
      steps: [
        {
          run: 'dry',
          put: { ...samples, 'pipelines/night.yaml': content },
          words: ['run', 'pipelines/night.yaml', ...offline],
        },
      ],
    })),
  ]
}

function filesIn(folder: string, isWanted: (name: string) => boolean, pattern = '*'): Files {
  const names = globSync(pattern, { cwd: folder }).map((name) => name.replaceAll('\\', '/'))
  return Object.fromEntries(
    names
      .filter(isWanted)
      .toSorted()
      .map((name) => [name, readFileSync(join(folder, name))]),
  )
}

function dryTrial(name: string, put: Files, more: readonly string[] = [], file = Object.keys(put)[0]!): Trial {
  const words = ['import', file, '--to', 'plots', '--holding', `${scheme}:1`, ...offline, ...more]
  return { name, steps: [{ run: 'dry', put, words }] }
}
