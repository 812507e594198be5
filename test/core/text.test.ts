import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectQuick } from '../processor-time.ts'
import { bufferSource } from '../../src/core/sources/source.ts'
import { decideEncoding, decodeText, withLineFeeds } from '../../src/core/sources/text.ts'

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')
const swapped = (text: string): Buffer => utf16(text).swap16()
const source = (bytes: Uint8Array) => bufferSource('paddocks.csv', bytes)

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function joined(texts: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const part of texts) text += part
  return text
}

describe('decideEncoding', () => {
  test.each([
    ['plain ASCII', Buffer.from('id,name\n1,Top\n'), 'utf-8', false],
    ['macrons in UTF-8', Buffer.from('id,name\n1,Ōtāne\n'), 'utf-8', false],
    ['UTF-8 mark', Buffer.from('\ufeffid\n1\n'), 'utf-8', false],
    ['UTF-16 mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16('id\tŌtāne')]), 'utf-16le', false],
    ['UTF-16 the other way', Buffer.concat([Buffer.from([0xfe, 0xff]), swapped('id\tŌtāne')]), 'utf-16be', false],
    ['UTF-16 without a mark', utf16('id,name\n1,Ōtāne\n'), 'utf-16le', true],
    ['UTF-16 the other way without a mark', swapped('id,name\n1,Ōtāne\n'), 'utf-16be', true],
    ['Windows-1252', Buffer.from('Schlag;S\xfcdfeld \x96 unten', 'latin1'), 'windows-1252', true],
    ['a UTF-8 character cut off at the end', Buffer.from('Ō').subarray(0, 1), 'windows-1252', true],
  ])('%s', async (_, bytes, name, guessed) => {
    const encoding = await decideEncoding(source(bytes))
    expect(encoding).toMatchObject({ name, guessed })
    expect(encoding.evidence).toMatch(/\.$/)
  })

  test('looks at the whole file, also where a character falls between two chunks', async () => {
    const megabyte = Buffer.alloc((1 << 20) - 1, 'x')
    expect((await decideEncoding(source(Buffer.concat([megabyte, Buffer.from('Ō')])))).name).toBe('utf-8')
    const late = await decideEncoding(source(Buffer.concat([megabyte, Buffer.from('S\xfcdfeld', 'latin1')])))
    expect(late.name).toBe('windows-1252')
    expect(late.evidence).toContain(`Byte ${megabyte.length + 1} is not UTF-8`)
    expect(late.evidence).toContain('üdfeld')
  })

  test('an option is enforced, and a mark that contradicts it is doubted', async () => {
    const marked = source(Buffer.from('\ufeffid'))
    expect(await decideEncoding(marked, 'utf8')).toMatchObject({ name: 'utf-8', bomBytes: 3, guessed: false })
    const contradicted = await decideEncoding(marked, 'windows-1252')
    expect(contradicted).toMatchObject({ name: 'windows-1252', bomBytes: 0 })
    expect(contradicted.doubt).toContain('utf-8')
    const swappedMark = source(Buffer.concat([Buffer.from([0xfe, 0xff]), swapped('id')]))
    expect(await decideEncoding(swappedMark, 'UTF-16')).toMatchObject({ name: 'utf-16be', bomBytes: 2 })
  })

  test('an unknown encoding, and UTF-32, are refused', async () => {
    await expect(decideEncoding(source(Buffer.from('id')), 'ansi-ish')).rejects.toMatchObject({
      code: 'encoding-unknown',
    })
    const wide = Buffer.from([0xff, 0xfe, 0, 0, 0x69, 0, 0, 0])
    await expect(decideEncoding(source(wide))).rejects.toMatchObject({ code: 'encoding-unknown' })
  })
})

describe('decodeText', () => {
  test('pieces of any size give the same text, without the mark', async () => {
    for (const bytes of [
      Buffer.from('\ufeffŌtāne 🐑'),
      Buffer.concat([Buffer.from([0xff, 0xfe]), utf16('Ōtāne 🐑')]),
    ]) {
      const encoding = await decideEncoding(source(bytes))
      for (const size of [1, 2, 3, 5, 100])
        expect(await joined(decodeText(pieces(bytes, size), encoding))).toBe('Ōtāne 🐑')
    }
  })

  test('what cannot be decoded becomes a replacement character', async () => {
    const encoding = await decideEncoding(source(Buffer.from('x')), 'utf-8')
    expect(await joined(decodeText(pieces(Buffer.from('S\xfcd', 'latin1'), 10), encoding))).toBe('S\ufffdd')
  })

  test('Windows-1252 is not Latin-1', async () => {
    const bytes = Buffer.of(0x80, 0x92, 0x96, 0x9f, 0xe9, 0x81)
    const encoding = await decideEncoding(source(bytes), 'windows-1252')
    expect(await joined(decodeText(pieces(bytes, 4), encoding))).toBe('€’–Ÿé\x81')
  })
})

describe('withLineFeeds', () => {
  test.each([
    ['a\r\nb', 'a\nb'],
    ['a\rb\r', 'a\nb\n'],
    ['a\r\r\nb', 'a\nb'],
    ['a\n\r\nb', 'a\n\nb'],
    ['\r\r\r\n', '\n\n'],
  ])('%j becomes %j', async (text, expected) => {
    expect(
      await joined(
        withLineFeeds(
          (async function* () {
            yield text
          })(),
        ),
      ),
    ).toBe(expected)
  })

  test('does not depend on where the text is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', '\r', '\n')),
        fc.integer({ min: 1, max: 4 }),
        async (letters, size) => {
          const text = letters.join('')
          const cut = async function* () {
            for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
          }
          const whole = await joined(
            withLineFeeds(
              (async function* () {
                yield text
              })(),
            ),
          )
          expect(await joined(withLineFeeds(cut()))).toBe(whole)
          expect(whole).not.toContain('\r')
        },
      ),
    )
  })

  test('a megabyte of carriage returns takes no time', async () => {
    const returns = async function* () {
      yield `${'\r'.repeat(1 << 20)}x`
    }
    await expectQuick(2000, () => joined(withLineFeeds(returns())))
  })
})
