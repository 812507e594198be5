/** Damages files at known places: headers, counts and offsets of tables and shapes, members inside a zip. */

import { zipBytes, type MadeMember } from '../../test/core/zip-bytes.ts'
import { byteMutators, type Mutator } from './bytes.ts'
import type { Random } from './random.ts'
import { textMutators } from './texts.ts'

type Spot = { readonly at: number; readonly form: 'byte' | 'letter' | 'u16' | 'u32' | 'big' | 'double' }

const letters = 'CNFDLIBYTM@+OGPVXW0cnd\0 '
const counts = [
  0, 1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 100, 255, 256, 65535, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe,
]
const doubles = [NaN, Infinity, -Infinity, 1e308, -1e308, 5e-324, -0, 0, 1, 180, 181, -90, 91, 1e15, -1.7e308, -1e39] // prettier-ignore
const types = [0, 1, 3, 5, 8, 11, 13, 15, 18, 21, 23, 25, 28, 31, 2, 33, 35, -5, 255]

function write(bytes: Uint8Array, { at, form }: Spot, random: Random): Uint8Array {
  const made = Uint8Array.from(bytes)
  const view = new DataView(made.buffer)
  const count = random.pick(counts)
  if (form === 'byte') view.setUint8(at, random.chance(0.5) ? random.below(256) : count & 0xff)
  else if (form === 'letter') view.setUint8(at, letters.charCodeAt(random.below(letters.length)))
  else if (form === 'u16') view.setUint16(at, count & 0xffff, true)
  else if (form === 'double') view.setFloat64(at, random.pick(doubles), true)
  else if (random.chance(0.3))
    view.setInt32(at, view.getInt32(at, form === 'u32') + random.pick([-1, 1, -4, 4, 8]), form === 'u32')
  else view.setUint32(at, count, form === 'u32')
  return made
}

function atSpots(spotsOf: (view: DataView) => readonly Spot[]): Mutator {
  return (bytes, random) => {
    const spots = spotsOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.length)).filter(
      ({ at, form }) => at + (form === 'double' ? 8 : 4) <= bytes.length,
    )
    return spots.length === 0 ? bytes : write(bytes, random.pick(spots), random)
  }
}

/** The header of a .dbf, and each of its field descriptors. */
function tableSpots(view: DataView): readonly Spot[] {
  const spots: Spot[] = [
    { at: 0, form: 'byte' },
    { at: 4, form: 'u32' },
    { at: 8, form: 'u16' },
    { at: 10, form: 'u16' },
    { at: 29, form: 'byte' },
  ]
  for (let at = 32; at + 32 <= view.byteLength && view.getUint8(at) !== 0x0d; at += 32)
    spots.push(
      { at, form: 'byte' },
      { at: at + 11, form: 'letter' },
      { at: at + 16, form: 'byte' },
      { at: at + 17, form: 'byte' },
    )
  return spots
}

/** The header of a .shp, and of each record its length, type, counts, first parts and some of its numbers. */
function shapeSpots(view: DataView): readonly Spot[] {
  const spots: Spot[] = [
    { at: 24, form: 'big' },
    { at: 32, form: 'u32' },
  ]
  for (let at = 100; at + 12 <= view.byteLength;) {
    const bytes = view.getInt32(at + 4) * 2
    spots.push({ at: at + 4, form: 'big' }, { at: at + 8, form: 'u32' })
    for (const offset of [36, 40, 44, 48, 52]) spots.push({ at: at + 8 + offset, form: 'u32' })
    for (let offset = 4; offset + 8 <= Math.min(bytes, 4096); offset += 4)
      spots.push({ at: at + 8 + offset, form: 'double' })
    if (bytes < 4) break
    at += 8 + bytes
  }
  return spots
}

const setType: Mutator = (bytes, random) => {
  if (bytes.length < 112) return bytes
  const made = Uint8Array.from(bytes)
  const view = new DataView(made.buffer)
  const starts: number[] = []
  for (let at = 100; at + 12 <= bytes.length && view.getInt32(at + 4) > 1; at += 8 + view.getInt32(at + 4) * 2)
    starts.push(at)
  if (starts.length > 0) view.setInt32(random.pick(starts) + 8, random.pick(types), true)
  return made
}

const damageTable = atSpots(tableSpots)
const damageShapes = atSpots(shapeSpots)

/** The ways for a file by its name's ending; those that know its format are twice as likely. */
export function mutatorsFor(name: string): readonly Mutator[] {
  if (/\.(dbf|shx)$/i.test(name)) return [...byteMutators, ...repeated(damageTable, 2 * byteMutators.length)]
  if (/\.shp$/i.test(name))
    return [...byteMutators, ...repeated(damageShapes, 2 * byteMutators.length), setType, setType]
  if (/\.(csv|tsv|txt|cpg|prj)$/i.test(name)) return withText(textMutators('csv'))
  if (/json|geojsons/i.test(name)) return withText(textMutators('json'))
  if (/\.(xml|kml|rels)$/i.test(name)) return withText(textMutators('xml'))
  return byteMutators
}

function repeated<T>(one: T, times: number): readonly T[] {
  return Array.from({ length: times }, () => one)
}

function withText(mutators: readonly Mutator[]): readonly Mutator[] {
  return [...byteMutators, ...Array.from({ length: 4 }, () => mutators).flat()]
}

/** A file in a zip to damage. */
export type Member = { readonly name: string; readonly bytes: Uint8Array }

/** Applies some ways in turn; most inputs differ from the original in one place only. */
export function damaged(bytes: Uint8Array, ways: readonly Mutator[], random: Random): Uint8Array {
  const turns = random.chance(0.6) ? 1 : 1 + random.below(5)
  let made = bytes
  for (let turn = 0; turn < turns && made.length > 0; turn += 1) made = random.pick(ways)(made, random)
  return made
}

const oddNames = [
  'a.shp',
  'doc.kml',
  'xl/workbook.bin',
  'content.xml',
  '../x',
  '/x',
  'c:x',
  'a\0b',
  '__MACOSX/a.shp',
  'ö.dbf',
  'x'.repeat(300),
]

/** Damages members and packs them again with correct checksums and sizes, so that the reader inside is reached. */
export function zipWithDamage(members: readonly Member[], random: Random): Uint8Array {
  const made: MadeMember[] = members.map((member) => ({ ...member, method: random.chance(0.8) ? 0 : 8 }))
  const which = random.below(made.length)
  const member = members[which]!
  const what = random.below(20)
  if (what === 0) made.splice(which, 1)
  else if (what === 1) made[which] = { ...made[which]!, name: random.pick(oddNames) }
  else if (what === 2) made.push({ ...made[which]!, name: random.pick(oddNames) })
  else if (what === 3) made[which] = { ...made[which]!, bytes: random.pick(members).bytes }
  else if (what === 4) made[which] = { ...made[which]!, size: random.pick(counts) }
  else if (what === 5) made[which] = { ...made[which]!, bytes: new Uint8Array(0) }
  else made[which] = { ...made[which]!, bytes: damaged(member.bytes, mutatorsFor(member.name), random) }
  if (random.chance(0.1)) {
    const other = random.below(members.length)
    const { name, bytes } = members[other]!
    if (made[other]?.name === name) made[other] = { name, method: 0, bytes: damaged(bytes, mutatorsFor(name), random) }
  }
  return zipBytes(made)
}
