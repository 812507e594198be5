/** Lists cases of the rules about which known records new ones may be. */

import type { Cases } from '../core/rule.ts'
import type { Candidate, MatchFacts, NewRecord, NightFacts } from './identity.ts'

/**
 * A new record and the known ones that it may be: 'Top: Top land 100 | Low in file'. `drawn` is one with a boundary, and so is all with
 * land; a known record of another farm is `elsewhere`.
 */
function record(text: string, row = 2): NewRecord {
  const [its = '', others = ''] = text.split(': ')
  const name = its.replace(' drawn', '')
  return {
    id: row,
    key: `plots/farm/1/x${name}`,
    name,
    hasBoundary: its !== name || others.includes(' land '),
    at: { source: 'a.csv', row },
    candidates: others === '' ? [] : others.split(' | ').map((each) => candidate(each, name)),
  }
}

function candidate(text: string, newName: string): Candidate {
  const [name = ''] = text.split(' ')
  const has = (words: string): boolean => text.includes(` ${words}`)
  const [, land] = / land (\d+)/.exec(text) ?? []
  const [, id] = / (same|spelling|letters) id/.exec(text) ?? []
  return {
    known: {
      key: `plots/farm/${has('elsewhere') ? 2 : 1}/${name}`,
      name,
      hasBoundary: has('drawn') || land !== undefined,
      isInFile: has('in file'),
      isDeleted: has('deleted'),
    },
    isOwn: !has('elsewhere'),
    hasSameName: name === newName,
    ...(id === undefined ? {} : { id: id as 'same' }),
    ...(has('identifier') ? { hasIdentifier: true } : {}),
    ...(land === undefined ? {} : { land: Number(land) / 100 }),
  }
}

/** A row, and all rows that could be the same record. */
function match(by: MatchFacts['match']['by'], text: string, ...rows: readonly number[]): MatchFacts {
  return { record: record(text), match: { by, column: 'No' }, rows: [2, ...rows].map((row) => ({ row })) }
}

/** The new records of a file, 'Top: Top spelling id; Low', of so many new ones. */
function night(text: string, more: Partial<NightFacts> = {}): NightFacts {
  const records = text === '' ? [] : text.split('; ').map((each, at) => record(each, at + 2))
  const file = { keyHasPlace: false, hasBoundaries: true, plural: 'plots', copies: undefined }
  const farmOf = ({ key }: { readonly key: string }) => (key.startsWith('plots/farm/2/') ? 'Kōwhai Station' : undefined)
  return { ...file, records, created: records.length, farmOf, ...more }
}

/** New records with the boundary of another row, of so many new ones. */
function copies(count: number, created: number): NightFacts {
  const first = [
    { row: 0, name: 'Top' },
    { row: 3, name: 'Top' },
  ] as const
  return night('', { created, copies: { count, first } })
}

const alike = 'A: A land 100; B: B land 100; C: C land 100'

export const identityCases: Cases<MatchFacts | NewRecord | NightFacts> = {
  'record-matched': {
    yes: [
      ['the same boundary', match('boundary', 'New: Top land 100')],
      ['four fifths of a boundary, and a neighbour', match('boundary', 'New: Top land 80 | Low land 60')],
      ['the same name, without boundaries in the file', match('name', 'Top: Top drawn')],
      ['the same name on a part of the land', match('name', 'Top: Top land 50 | Top drawn elsewhere')],
      ['the same identifier', match('identifier', 'New: Top identifier')],
      ['a piece beside the rest of its paddock', match('boundary', 'Rest: Top land 85')],
    ],
    no: [
      ['two boundaries that are the same', match('boundary', 'New: Top land 100 | Low land 90')],
      ['a boundary of another farm', match('boundary', 'New: Top land 100 elsewhere')],
      ['a record that is in the file under its own key', match('boundary', 'New: Top land 100 in file')],
      ['two rows of one record', match('name', 'Top: Top', 3)],
      ['the name of a paddock that lies elsewhere', match('name', 'Top drawn: Top drawn')],
    ],
  },
  'match-unclear': {
    yes: [
      ['two records of one name', match('name', 'Top: Top | Top')],
      ['a half of a paddock', match('boundary', 'West: Top land 50')],
      ['two paddocks that were merged', match('boundary', 'New: Top land 50 | Low land 50')],
      ['three rows of one record', match('boundary', 'New: Top land 90', 3, 9)],
      ['the name of a paddock that lies elsewhere', match('name', 'Top drawn: Top drawn')],
      ['a record that is in the file under its own key', match('identifier', 'New: Top identifier in file')],
    ],
    no: [
      ['a row that is matched', match('boundary', 'New: Top land 100')],
      ['land of a paddock that is in the file', match('boundary', 'New: Top land 50 in file')],
      ['other land and another name', match('name', 'New: Top land 50')],
      ['the name of a paddock elsewhere that is in the file', match('name', 'Top drawn: Top drawn in file')],
    ],
  },
  'id-respelt': {
    yes: [
      ['its id without zeros, and its name', record('Top: Top spelling id')],
      ['spoilt letters in the id alone', record('Kowhai: Kōwhai letters id')],
    ],
    no: [
      ['its id without zeros, and another name', record('New: Top spelling id')],
      ['a known one that is in the file, too', record('Top: Top spelling id in file')],
      ['a known one that would be deleted', record('Top: Top spelling id deleted')],
      ['the name alone', record('Top: Top')],
    ],
  },
  'record-repeated': {
    yes: [
      ['the same land', record('New: Top land 80')],
      ['the same land as a row of the file', record('New: Top land 100 in file')],
      ['the same name, without boundaries', record('Top: Top')],
      ['the same name, redrawn', record('Top: Top land 55')],
      ['its id without zeros, and another name', record('New: Top spelling id')],
    ],
    no: [
      ['a part of its land, and another name', record('New: Top land 79')],
      ['the name of a paddock that lies elsewhere', record('Top drawn: Top drawn')],
      ['the name of a record that is in the file', record('Top: Top in file')],
      ['land of another farm', record('New: Top land 100 elsewhere')],
      ['a known one that would be deleted', record('Top: Top deleted')],
    ],
  },
  'records-renumbered': {
    yes: [
      ['three of three without zeros', night('A: A1 spelling id; B: B1 spelling id; C: C1 spelling id')],
      ['one of five, whose known one would be deleted', night('A: B spelling id deleted', { created: 5 })],
      [
        'the name of one that would be deleted, without boundaries in the file',
        night('A: A drawn deleted', { created: 5, hasBoundaries: false }),
      ],
      [
        'the name of one of another farm, of the same area',
        night('A: A drawn deleted elsewhere', { created: 5, hasBoundaries: false }),
      ],
    ],
    no: [
      ['one of three', night('A: A1 spelling id', { created: 3 })],
      ['one of one', night('A: A1 spelling id')],
      ['both spellings in one file', night('A: A1 spelling id in file; B: B1 spelling id in file')],
      ['the name of one that would be deleted, with boundaries in the file', night('A: A drawn deleted')],
      ['the name of one without a boundary', night('A: A deleted', { hasBoundaries: false })],
      ['the same names', night('A: A; B: B')],
    ],
  },
  duplicates: {
    yes: [
      ['three of 40', night(alike, { created: 40 })],
      ['two of two', night('A: B land 90; B: A land 90')],
      ['the same names, without boundaries', night('A: A; B: B')],
      ['the land of rows of the file', night('A: B land 90 in file; B: A land 90 in file')],
      [
        'one of one that is two known ones, in a key with its place',
        night('A: B land 90 | C land 100', { keyHasPlace: true }),
      ],
      ['the land of another farm', night('A: B land 90 elsewhere; B: A land 90 elsewhere')],
      ['ids and names of another farm that left the file', night('A: A same id elsewhere; B: B same id elsewhere')],
      ['one known one and one of another farm', night('A: B land 90 elsewhere; B: A land 90', { created: 3 })],
    ],
    no: [
      ['two of 40', night('A: A land 90; B: B land 90', { created: 40 })],
      ['one of one', night('A: A land 100')],
      [
        'one on the land of a row of the file, in a key with its place',
        night('A: B land 90 in file', { keyHasPlace: true }),
      ],
      ['the names of rows of the file', night('A: A in file; B: B in file')],
      ['land in part, and other names', night('A: B land 75; B: A land 75')],
      ['ids of another farm under other names', night('A: B same id elsewhere; B: A same id elsewhere')],
      ['known ones that would be deleted', night('A: A deleted; B: B deleted')],
    ],
  },
  versions: {
    yes: [
      ['all of six', copies(6, 6)],
      ['four of seven', copies(4, 7)],
    ],
    no: [
      ['two of four', copies(2, 4)],
      ['four of ten', copies(4, 10)],
      ['none', night('A; B')],
    ],
  },
}
