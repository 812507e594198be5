import { expect, test, vi } from 'vitest'
import type { WindrowError } from '../../src/core/error.ts'
import { isWebAddress, parseWebAddress, networkOf, withoutSecrets } from '../../src/core/sources/web-address.ts'

test.each([
  ['https://farms.example/a.csv', true],
  ['HTTP://farms.example', true],
  ['https:/farms.example', false],
  ['C:\\https://a', false],
  ['httpss://a', false],
  ['s3://farms/a.csv', true],
  ['s3:/farms', false],
])('%s is a web address: %s', (name, expected) => {
  expect(isWebAddress(name)).toBe(expected)
})

test('a web address is parsed, and its shown form contains no secret', () => {
  const { at, shown, member } = parseWebAddress('https://farms.example/R%C4%81hui.zip?key=1#data/a.csv')
  expect((at as URL).href).toBe('https://farms.example/R%C4%81hui.zip?key=1')
  expect(shown).toBe('https://farms.example/R\u0101hui.zip?...')
  expect(member).toBe('data/a.csv')
  expect(parseWebAddress('https://farms.example/').member).toBeUndefined()
})

test.each([
  ['s3://farms/rimu/paddocks.csv', { bucket: 'farms', key: 'rimu/paddocks.csv' }, undefined],
  ['S3://farms/R\u0101hui 100%.zip#data/a.csv', { bucket: 'farms', key: 'R\u0101hui 100%.zip' }, 'data/a.csv'],
])('%s is a file in a store', (text, at, member) => {
  expect(parseWebAddress(text)).toEqual({ at, member, shown: `s3://${at.bucket}/${at.key}` })
})

test.each([
  's3://',
  's3://farms',
  's3://farms/',
  's3://farms/rimu/',
  's3://farms/../secret',
  's3://farms/a/./secret',
  's3://key:secret@farms/a.csv',
  's3://fa rms/secret',
  'https://me:secret@farms.example/a.csv',
  'https://secret@farms.example/a.csv',
])('%s is refused and not repeated', (text) => {
  const refuse = vi.fn<(cause: WindrowError) => void>()
  try {
    parseWebAddress(text)
  } catch (cause) {
    refuse(cause as WindrowError)
  }
  const [failure] = refuse.mock.calls[0]!
  expect(failure.code).toBe('address-refused')
  expect(`${failure.message} ${failure.hint}`).not.toContain('secret')
})

test.each([
  ['file: s3://key:x@farms/a.csv', 'file: s3://farms/a.csv'],
  ['see https://me:x@farms.example/a?key=1, or b', 'see https://farms.example/a?... or b'],
  ['{ file: "http://h/a.csv?k=1#m" }', '{ file: "http://h/a.csv?...#m" }'],
  ['nothing to hide: me@farm.example?', 'nothing to hide: me@farm.example?'],
])('%s is reported as %s', (text, expected) => {
  expect(withoutSecrets(text)).toBe(expected)
})

test.each(['8.8.8.8', '93.184.215.14', '172.32.0.1', '100.128.0.1', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'])(
  '%s is on the internet',
  (address) => {
    expect(networkOf(address)).toBeUndefined()
  },
)

test.each([
  '0.0.0.0',
  '127.255.255.255',
  '172.16.0.0',
  '172.31.255.255',
  '100.127.255.255',
  '198.19.0.1',
  '255.255.255.255',
])('%s is not', (address) => {
  expect(networkOf(address)).toBeDefined()
})
