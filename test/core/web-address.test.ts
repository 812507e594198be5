import { expect, test } from 'vitest'
import { isWebAddress, parseWebAddress, placeOf, withoutSecrets } from '../../src/core/sources/web-address.ts'

test.each([
  ['https://farms.example/a.csv', true],
  ['HTTP://farms.example', true],
  ['https:/farms.example', false],
  ['C:\\https://a', false],
  ['httpss://a', false],
])('%s is a web address: %s', (name, expected) => {
  expect(isWebAddress(name)).toBe(expected)
})

test('a web address is parsed, and its shown form contains no secret', () => {
  const { url, shown, authorization, member } = parseWebAddress(
    'https://me:p%40ss@farms.example/R%C4%81hui.zip?key=1#data/a.csv',
  )
  expect(url.href).toBe('https://farms.example/R%C4%81hui.zip?key=1')
  expect(shown).toBe('https://farms.example/R\u0101hui.zip?...')
  expect(authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`)
  expect(member).toBe('data/a.csv')
  expect(parseWebAddress('https://farms.example/')).toMatchObject({ authorization: undefined, member: undefined })
})

test.each([
  ['see https://me:x@farms.example/a?key=1, or b', 'see https://farms.example/a?... or b'],
  ['{ file: "http://h/a.csv?k=1#m" }', '{ file: "http://h/a.csv?...#m" }'],
  ['nothing to hide: me@farm.example?', 'nothing to hide: me@farm.example?'],
])('%s is told as %s', (text, expected) => {
  expect(withoutSecrets(text)).toBe(expected)
})

test.each(['8.8.8.8', '93.184.215.14', '172.32.0.1', '100.128.0.1', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'])(
  '%s is on the internet',
  (address) => {
    expect(placeOf(address)).toBeUndefined()
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
  expect(placeOf(address)).toBeDefined()
})
