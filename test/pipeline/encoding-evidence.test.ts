import { expect, test } from 'vitest'
import { noteLetters, startLetters } from '../../src/pipeline/evidence/encoding-evidence.ts'

function seen(encoding: string, ...texts: readonly string[]) {
  const letters = startLetters(encoding)
  for (const [index, Name] of texts.entries())
    noteLetters(letters, { at: { source: 'a.csv', row: index + 2 }, values: { Name, Other: 'ā' } }, ['Name'])
  const { sound, lost, twice } = letters
  return { sound, lost, twice, meant: letters.firstTwice?.meant }
}

const misread = (text: string): string => new TextDecoder('windows-1252').decode(Buffer.from(text))

test.each(['windows-1252', 'iso-8859-1', 'latin1', 'cp1252'])('UTF-8 read as %s is recognised', (encoding) => {
  expect(seen(encoding, misread('Rāhui'), 'Größe', 'plain')).toEqual({ sound: 1, lost: 0, twice: 1, meant: 'Rāhui' })
})

test('UTF-8 read in another one-byte encoding is recognised, too', () => {
  const text = new TextDecoder('windows-1250').decode(Buffer.from('Žluť'))
  expect(seen('windows-1250', text, 'Žluť')).toMatchObject({ sound: 1, twice: 1, meant: 'Žluť' })
})

test('in UTF-8 only lost letters are wrong, and ASCII shows nothing', () => {
  expect(seen('utf-8', 'R\ufffdhui', 'Rāhui', 'plain', misread('ā'))).toEqual({
    sound: 2,
    lost: 1,
    twice: 0,
    meant: undefined,
  })
  expect(seen('utf-16le', 'Rāhui')).toMatchObject({ sound: 1 })
  expect(seen('no such encoding', 'Rāhui')).toMatchObject({ sound: 1 })
})
