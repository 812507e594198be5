/** Makes thousands of damaged files from a good one: cut at every hundredth, then changed at random, the same each time. */

import { bufferSource } from '../../src/core/sources/source.ts'
import { membersOfZip } from '../../src/core/sources/zip.ts'
import { zipBytes } from '../../test/core/zip-bytes.ts'
import { withPieceOf } from './bytes.ts'
import { randomFor } from './random.ts'
import type { Seed } from './seeds.ts'
import { damaged, mutatorsFor, zipWithDamage, type Member } from './structures.ts'

/** How many of a seed's inputs are cuts; those after them are random. */
export const cutCount = 200

/** A seed ready to be damaged: `input` makes the input of a number. */
export type Ground = { readonly seed: Seed; input(number: number): Uint8Array }

/** Unpacks a zipped seed, so that its members can be damaged too; pieces of `others` are inserted. */
export async function groundOf(seed: Seed, others: readonly Seed[], chanceSeed: number): Promise<Ground> {
  const whole = seed.make()
  const members = await membersOf(seed.name, whole)
  const pieces = others.map((other) => withPieceOf(other.make()))
  const ways = [...mutatorsFor(seed.name), ...pieces]
  return {
    seed,
    input(number) {
      if (number < cutCount) return members === undefined ? cut(whole, number / 2) : cutZip(whole, members, number)
      const random = randomFor(chanceSeed, seed.name, number)
      const isInside = members !== undefined && random.chance(0.8)
      return isInside ? zipWithDamage(members, random) : damaged(whole, ways, random)
    },
  }
}

async function membersOf(name: string, bytes: Uint8Array): Promise<readonly Member[] | undefined> {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return undefined
  const members: Member[] = []
  for (const { name: path, source } of await membersOfZip(bufferSource(name, bytes)))
    members.push({ name: path, bytes: await source.read(0, source.size) })
  return members
}

function cut(bytes: Uint8Array, percent: number): Uint8Array {
  return bytes.slice(0, Math.floor((bytes.length * percent) / 100))
}

/** Cuts the zip itself at every hundredth, then each member in turn. */
function cutZip(whole: Uint8Array, members: readonly Member[], number: number): Uint8Array {
  if (number < 100) return cut(whole, number)
  const which = number % members.length
  return zipBytes(
    members.map((member, index) => ({
      ...member,
      method: 0,
      bytes: index === which ? cut(member.bytes, number - 100) : member.bytes,
    })),
  )
}
