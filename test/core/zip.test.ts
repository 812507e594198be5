import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import { bufferSource, type Source } from '../../src/core/sources/source.ts'
import { membersOf } from '../../src/core/sources/file-tree.ts'
import { membersOfZip } from '../../src/core/sources/zip.ts'
import { zipBytes, type MadeMember } from './zip-bytes.ts'
import { runs } from '../runs.ts'

const zipped = (members: readonly MadeMember[]): Source => bufferSource('farm.zip', zipBytes(members))

async function streamed(source: Source): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source.stream()) chunks.push(Uint8Array.from(chunk))
  return Buffer.concat(chunks)
}

async function failure(work: Promise<unknown>): Promise<WindrowError> {
  const caught = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(caught).toBeInstanceOf(WindrowError)
  return caught as WindrowError
}

const namesIn = async (source: Source): Promise<readonly string[] | undefined> =>
  (await membersOf(source))?.map(({ name }) => name)

describe('members', () => {
  test.each([0, 8] as const)('method %i gives streams and ranges', async (method) => {
    const bytes = randomBytes(300_000)
    const members = await membersOfZip(zipped([{ name: 'Rimu/paddocks.shp', bytes, method }]))
    expect(members.map(({ name }) => name)).toEqual(['Rimu/paddocks.shp'])
    const { source } = members[0]!
    expect(source.size).toBe(300_000)
    expect(source.name).toBe('paddocks.shp')
    expect((await streamed(source)).equals(bytes)).toBe(true)
    expect(Buffer.from(await source.read(10, 20)).equals(bytes.subarray(10, 20))).toBe(true)
    expect(Buffer.from(await source.read(250_000, 900_000)).equals(bytes.subarray(250_000))).toBe(true)
    expect(await source.read(300_000, 300_001)).toHaveLength(0)
  })

  test('the beginning of a packed member can be read however large it is', async () => {
    const bytes = randomBytes(1_500_000)
    const members = await membersOfZip(zipped([{ name: 'a.csv', bytes, method: 8 }]), { cachedBytes: 1000 })
    expect(Buffer.from(await members[0]!.source.read(0, 1_000_000)).equals(bytes.subarray(0, 1_000_000))).toBe(true)
    await expect(members[0]!.source.read(1_400_000, 1_400_001)).rejects.toMatchObject({ code: 'file-too-large' })
  })

  test('what macOS adds and folders are no members', async () => {
    const members = ['maps/', '__MACOSX/maps/._a.shp', 'maps/._a.shp', 'maps/a.shp'].map((name) => ({ name }))
    expect(await namesIn(zipped(members))).toEqual(['maps/a.shp'])
  })

  test.each([
    ['zeros to a whole block', Buffer.alloc(512)],
    ['a line break', Buffer.from('\r\n')],
  ])('are found in a zip that was filled up with %s', async (_, padding) => {
    const zip = zipBytes([{ name: 'a.csv', bytes: 'No,Name\n' }])
    expect(await namesIn(bufferSource('farm.zip', Buffer.concat([zip, padding])))).toEqual(['a.csv'])
  })

  test('are not looked for in a zip that has anything else behind its end', async () => {
    const zip = zipBytes([{ name: 'a.csv', bytes: 'No,Name\n' }])
    const { code } = await failure(membersOfZip(bufferSource('farm.zip', Buffer.concat([zip, Buffer.from('more')]))))
    expect(code).toBe('file-damaged')
  })

  test('siblings are the members of the same folder', async () => {
    const members = await membersOfZip(
      zipped(['a/x.shp', 'a/x.dbf', 'b/x.dbf', 'x.prj'].map((name) => ({ name, bytes: name }))),
    )
    const beside = await members[0]!.source.siblings()
    expect(beside.map((each) => each.name)).toEqual(['x.dbf'])
    expect((await streamed(beside[0]!)).toString()).toBe('a/x.dbf')
  })

  test.each([
    ['the UTF-8 flag', 0x800, Buffer.from('Kōwhai.shp'), 'Kōwhai.shp'],
    ['UTF-8 without the flag', 0, Buffer.from('Kōwhai.shp'), 'Kōwhai.shp'],
    ['CP437', 0, Buffer.from('Pr\x82s.shp', 'latin1'), 'Prés.shp'],
    ['Windows-1252', 0, Buffer.from('Pr\xe9s.shp', 'latin1'), 'Prés.shp'],
    ['backslashes', 0, Buffer.from('maps\\a.shp'), 'maps/a.shp'],
  ])('a name in %s', async (_, flags, name, expected) => {
    expect(await namesIn(zipped([{ name, flags }]))).toEqual([expected])
  })

  test('a file that is not a zip has no member names', async () => {
    expect(await namesIn(bufferSource('a.csv', Buffer.from('PKW,Name\n1,Rimu')))).toBeUndefined()
    expect(await namesIn(bufferSource('a.csv', new Uint8Array(0)))).toBeUndefined()
    expect(await namesIn(zipped([]))).toEqual([])
  })

  test('a fingerprint is of the member, not of its name', async () => {
    const print = async (bytes: string): Promise<string> =>
      (await membersOfZip(zipped([{ name: 'a', bytes }])))[0]!.source.fingerprint()
    expect(await print('x')).not.toBe(await print('y'))
    expect(await print('x')).toBe(await print('x'))
  })
})

describe('what a hostile zip may try', () => {
  test.each<[string, readonly MadeMember[], string]>([
    ['a name that climbs out', [{ name: '../../evil.shp' }], 'archive-unsafe'],
    ['a name that climbs out with backslashes', [{ name: 'a\\..\\..\\evil.shp' }], 'archive-unsafe'],
    ['an absolute name', [{ name: '/etc/evil.dbf' }], 'archive-unsafe'],
    ['a drive', [{ name: 'C:/evil.dbf' }], 'archive-unsafe'],
    ['a climbing folder', [{ name: '../evil/' }], 'archive-unsafe'],
    ['no name', [{ name: '' }], 'archive-unsafe'],
    ['a NUL in a name', [{ name: 'a\0.shp' }], 'archive-unsafe'],
    ['a link', [{ name: 'a', bytes: '/etc', madeBy: (3 << 8) | 20, attributes: 0xa1ff0000 }], 'archive-unsafe'],
    ['the same name twice', [{ name: 'a' }, { name: 'a' }], 'archive-unsafe'],
    ['a password', [{ name: 'a', flags: 1, bytes: 'abcdefghijklmno' }], 'file-unreadable'],
    ['strong encryption', [{ name: 'a', flags: 0x41, bytes: 'abcdefghijklmno' }], 'file-unreadable'],
    ['sizes that disagree', [{ name: 'a', method: 0, bytes: 'abc', size: 9 }], 'file-damaged'],
  ])('%s', async (_, members, code) => {
    expect((await failure(membersOfZip(zipped(members)))).code).toBe(code)
    expect((await failure(namesIn(zipped(members)))).code).toBe(code)
  })

  test.each<[string, MadeMember, string]>([
    ['more than it declares', { name: 'a', bytes: 'x'.repeat(5000), size: 4000 }, 'archive-unsafe'],
    ['less than it declares', { name: 'a', bytes: 'x'.repeat(5000), size: 6000 }, 'file-damaged'],
    ['other bytes than it was packed from', { name: 'a', bytes: 'abc', crc: 7 }, 'file-damaged'],
    ['a method that is not deflate', { name: 'a', bytes: 'abc', method: 9 }, 'file-unreadable'],
    ['far more than it weighs', { name: 'a', bytes: Buffer.alloc(33 * 2 ** 20) }, 'archive-unsafe'],
  ])('a member that gives %s', async (_, member, code) => {
    const members = await membersOfZip(zipped([member]))
    expect((await failure(streamed(members[0]!.source))).code).toBe(code)
  })

  test('a bomb beside is harmless while nobody reads it', async () => {
    const members = await membersOfZip(
      zipped([
        { name: 'bomb', bytes: Buffer.alloc(33 * 2 ** 20) },
        { name: 'a', bytes: 'good' },
      ]),
    )
    expect((await streamed(members[1]!.source)).toString()).toBe('good')
    expect(await members[0]!.source.read(0, 4)).toEqual(new Uint8Array(4))
  })

  test('limits of number, size and what is kept', async () => {
    const source = zipped([
      { name: 'a', bytes: 'a'.repeat(2_000_000) },
      { name: 'b', bytes: 'b'.repeat(2_000_000) },
    ])
    expect((await failure(membersOfZip(source, { members: 1 }))).code).toBe('file-too-large')
    expect((await failure(membersOfZip(source, { totalBytes: 3_000_000 }))).code).toBe('file-too-large')
    const members = await membersOfZip(source, { cachedBytes: 1_900_000 })
    expect((await failure(members[0]!.source.read(1_800_000, 1_800_010))).code).toBe('file-too-large')
    const roomForOne = await membersOfZip(source, { cachedBytes: 2_500_000 })
    for (const member of [...roomForOne, ...roomForOne])
      expect(Buffer.from(await member.source.read(1_800_000, 1_800_002)).toString()).toBe(member.name.repeat(2))
  })

  test('a web page, an empty file', async () => {
    const page = await failure(membersOfZip(bufferSource('a.zip', Buffer.from('<!DOCTYPE html>'))))
    expect([page.code, page.hint]).toEqual(['file-damaged', expect.stringContaining('Download it again')])
    expect((await failure(membersOfZip(bufferSource('a.zip', new Uint8Array(0))))).code).toBe('file-empty')
  })

  test('damage anywhere is a WindrowError or leaves the content as it was', async () => {
    const bytes = Buffer.from('Rimu Farm, Kōwhai Station. '.repeat(40))
    const good = zipBytes([
      { name: 'a.txt', bytes },
      { name: 'b.txt', bytes, method: 0 },
    ])
    const survives = async (damaged: Uint8Array): Promise<void> => {
      try {
        const members = await membersOfZip(bufferSource('farm.zip', damaged))
        for (const { source } of members) expect((await streamed(source)).equals(bytes)).toBe(true)
      } catch (error) {
        if (!(error instanceof WindrowError)) throw error
      }
    }
    for (let end = 1; end < good.length; end += 7) await survives(good.subarray(0, end))
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = good.slice()
        damaged[at]! ^= change
        await survives(damaged)
      }),
      { numRuns: runs(300) },
    )
  })

  test('reading stops when the signal aborts', async () => {
    const members = await membersOfZip(zipped([{ name: 'a', bytes: randomBytes(2_000_000) }]))
    const stop = new AbortController()
    const read = async (): Promise<void> => {
      for await (const _ of members[0]!.source.stream(stop.signal)) stop.abort()
    }
    await expect(read()).rejects.toHaveProperty('name', 'AbortError')
  })
})
