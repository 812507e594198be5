import { describe, expect, test } from 'vitest'
import { attribute, nameCode, XmlScanner } from '../../src/formats/xml.ts'

type Event = readonly [string, ...(string | undefined)[]]

function eventsOf(xml: string, { pieceBytes = Infinity, isStrict = false } = {}): readonly Event[] {
  const events: Event[] = []
  const names = new Map<number, string>()
  const scanner = new XmlScanner(
    'a.xml',
    {
      open(code, attributes, bytes) {
        const name = bytes.toString('utf8', attributes.nameStart, attributes.nameEnd)
        names.set(code, name)
        events.push(['open', name, attribute(attributes, nameCode('id'), bytes)])
      },
      text(bytes, start, end, literal) {
        events.push([literal ? 'literal' : 'text', bytes.toString('utf8', start, end)])
      },
      close: (code) => events.push(['close', names.get(code)]),
    },
    { isStrict },
  )
  const bytes = Buffer.from(xml)
  for (let at = 0; at < bytes.length; at += pieceBytes) scanner.push(bytes.subarray(at, at + pieceBytes))
  if (!scanner.end()) events.push(['cut'])
  return events
}

describe('what goes by', () => {
  const cases: readonly (readonly [string, string, readonly Event[]])[] = [
    [
      'prefixes are left out',
      '<x:a y:id="1"/>',
      [
        ['open', 'a', '1'],
        ['close', 'a'],
      ],
    ],
    [
      'references in attributes',
      "<a id='&lt;1&#233;'></a >",
      [
        ['open', 'a', '<1é'],
        ['close', 'a'],
      ],
    ],
    ['an attribute without quotes', '<a id=12>', [['open', 'a', '12']]],
    ['a > in quotes', '<a b="x>y" id="2">', [['open', 'a', '2']]],
    [
      'a quote that is never closed',
      '<a id="1><b/>',
      [
        ['open', 'a', undefined],
        ['open', 'b', undefined],
        ['close', 'b'],
      ],
    ],
    [
      'comments, instructions and a document type',
      '<?x ?><!DOCTYPE a><!-- <b> --><a/>',
      [
        ['open', 'a', undefined],
        ['close', 'a'],
      ],
    ],
    ['literal text', '<![CDATA[1 < 2 & ]]]>', [['literal', '1 < 2 & ]']]],
    [
      'a bare < and &',
      '<a>Smith & Sons < 3 ha</a>',
      [
        ['open', 'a', undefined],
        ['text', 'Smith & Sons '],
        ['literal', '<'],
        ['text', ' 3 ha'],
        ['close', 'a'],
      ],
    ],
    ['a tag that is cut off', '<a><b id="', [['open', 'a', undefined], ['cut']]],
    ['a comment that is cut off', '<a/><!-- x', [['open', 'a', undefined], ['close', 'a'], ['cut']]],
  ]

  test.each(cases)('%s', (_, xml, events) => {
    expect(eventsOf(xml)).toEqual(events)
  })

  test.each(cases)('the same byte by byte: %s', (_, xml, events) => {
    expect(eventsOf(xml, { pieceBytes: 1 })).toEqual(events)
  })
})

test.each(['<a>', '<a><![CDATA['])(
  'a long text behind %s comes in pieces that cut no letter and no reference',
  (before) => {
    const text = 'ā€🐑&amp;ha '.repeat(20_000)
    const pieces = eventsOf(`${before}${text}${before === '<a>' ? '' : ']]>'}</a>`, { pieceBytes: 1001 })
      .filter(([kind]) => kind === 'text' || kind === 'literal')
      .map(([, piece]) => piece!)
    expect(pieces.length).toBeGreaterThan(2)
    expect(pieces.join('')).toBe(text)
    expect(pieces.filter((piece) => /\ufffd|&[a-z]*$/.test(piece))).toEqual([])
  },
)

test.each([
  ['an attribute without quotes', '<a id=1>'],
  ['a tag that is cut off', '<a id="'],
  ['a text without end', `<a>${'x'.repeat(5 * 2 ** 20)}`],
])('strictly, %s is damage', (_, xml) => {
  expect(() => eventsOf(xml, { pieceBytes: 1 << 16, isStrict: true })).toThrow(/cut off or is not valid XML/)
})

test('strictly, a long text comes whole', () => {
  const text = '1'.repeat(200_000)
  expect(eventsOf(`<a>${text}</a>`, { pieceBytes: 1 << 14, isStrict: true })).toContainEqual(['text', text])
})

test('definitions of entities and tags without end are refused', () => {
  expect(() => eventsOf('<!DOCTYPE a [<!ENTITY b "c">]><a/>')).toThrow(/entities/)
  expect(() => eventsOf(`<a b="${'x'.repeat(2 * 2 ** 20)}`, { pieceBytes: 1 << 16 })).toThrow(/never ends/)
})
