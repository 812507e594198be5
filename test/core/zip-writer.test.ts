import { describe, expect, test } from 'vitest'
import { bufferSource } from '../../src/core/sources/source.ts'
import { membersOfZip } from '../../src/core/sources/zip.ts'
import { zipTarget } from '../../src/core/sources/zip-writer.ts'
import { memoryTarget } from '../formats/fixtures.ts'

async function* chunks(...parts: (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* parts
}

async function twoMembers(level: number): Promise<Buffer> {
  const target = memoryTarget('farm.zip')
  const zip = zipTarget(target, { level })
  await zip.add('paddocks/Ōtāne.csv', chunks('id,name\r\n', Buffer.from('1,Rāhui\r\n')))
  await zip.add('empty.txt', chunks())
  await zip.finish()
  return target.bytes()
}

describe('zipTarget', () => {
  test.each([0, 1, 6, 9])('what is written at level %d can be read', async (level) => {
    const members = await membersOfZip(bufferSource('farm.zip', await twoMembers(level)))
    expect(members.map(({ name }) => name)).toEqual(['paddocks/Ōtāne.csv', 'empty.txt'])
    const { source } = members[0]!
    expect(Buffer.from(await source.read(0, source.size)).toString()).toBe('id,name\r\n1,Rāhui\r\n')
  })

  test('the same members give the same bytes', async () => {
    expect(await twoMembers(6)).toEqual(await twoMembers(6))
  })

  test('members larger than any buffer flow through', async () => {
    const target = memoryTarget('farm.zip')
    const zip = zipTarget(target, { level: 1 })
    const block = 'Rāhui,12.5\r\n'.repeat(20_000)
    await zip.add('large.csv', chunks(block, block, block, block, block, block, block, block))
    await zip.finish()
    const members = await membersOfZip(bufferSource('farm.zip', target.bytes()))
    expect(members[0]!.source.size).toBe(Buffer.byteLength(block) * 8)
  })

  test('a failure of what is added comes out of add and finish', async () => {
    const zip = zipTarget(memoryTarget('farm.zip'))
    const failing = async function* (): AsyncGenerator<string> {
      yield 'id\n'
      throw new Error('the service went away')
    }
    await expect(zip.add('a.csv', failing())).rejects.toThrow('the service went away')
    await expect(zip.finish()).rejects.toThrow('the service went away')
  })

  test('a failure of the target stops an endless member', async () => {
    const target = { ...memoryTarget('farm.zip'), write: () => Promise.reject(new Error('the disk is full')) }
    let closed = false
    const endless = async function* (): AsyncGenerator<string> {
      try {
        for (let row = 0; ; row += 1) yield `${row},${'Rāhui'.repeat((row * 7919) % 400)}\r\n`
      } finally {
        closed = true
      }
    }
    const zip = zipTarget(target)
    await expect(zip.add('endless.csv', endless())).rejects.toThrow('the disk is full')
    await expect.poll(() => closed).toBe(true)
  })
})
