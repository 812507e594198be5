import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changeLines } from '../../src/cli/screen/changes-text.ts'
import { widthOf } from '../../src/cli/screen/text-width.ts'
import type { Change } from '../../src/pipeline/report/changes.ts'
import { runs } from '../runs.ts'

const none = { created: 0, updated: 0, deleted: 0, kept: 0, rejected: 0, unchanged: 0 }
const lines = (changes: readonly Change[], columns = 80): readonly string[] => {
  const of = (kind: string): readonly Change[] => changes.filter((each) => each.kind === kind)
  const counts = { ...none, created: of('created').length, updated: of('updated').length }
  const out = { write: () => undefined, columns }
  return changeLines(counts, of, { out, err: out })
}

const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 90 }),
  fc.constantFrom('牧草地', '\u001b[31mred', 'Kererū'),
)
const field = fc.record({ field: words, before: words, after: words })

test('no line is wider than the terminal, whatever the names and values are', () => {
  const change = fc.record({ id: words, name: words, fields: fc.array(field, { minLength: 1, maxLength: 12 }) })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 5 }), fc.constantFrom(60, 80, 133), (made, columns) => {
      const changes = made.flatMap((each): Change[] => [
        { kind: 'updated', key: 'k', ...each },
        { kind: 'created', key: 'k', id: each.id, name: each.name },
      ])
      for (const line of lines(changes, columns)) {
        expect(widthOf(line)).toBeLessThanOrEqual(columns)
        expect(line).not.toContain('\u001b')
      }
    }),
    { numRuns: runs(500) },
  )
})

test('a day is shown without its midnight, unless only its time differs', () => {
  const updated = (before: string, after: string): Change => ({
    kind: 'updated',
    key: 'k',
    id: 'P1',
    name: 'Top',
    fields: [{ field: 'Crop 1 establishment date', before, after }],
  })
  const [first, second] = ['2026-04-05T00:00:00+12:00', '2026-04-06T00:00:00+12:00']
  expect(lines([updated(first, second)], 120).join()).toContain('2026-04-05 → 2026-04-06')
  expect(lines([updated(first, '2026-04-05T00:00:00Z')], 120).join()).toContain(`${first} → 2026-04-05T00:00:00Z`)
})

test('a boundary says how far it moved where no land is in common, and areas above a hectare are in hectares', () => {
  const moved = (boundary: object): Change => ({ kind: 'updated', key: 'k', id: '1', name: 'A', fields: [], boundary })
  const areas = { beforeM2: 46_612, afterM2: 46_206 }
  const shown = lines([moved({ ...areas, movedM2: 92_818, movedKm: 115.2 }), moved({ ...areas, movedM2: 10_400 })])
  expect(shown.join('\n')).toContain('moved 115 km; no land in common (4.66 ha → 4.62 ha)')
  expect(shown.join('\n')).toContain('1.04 ha moved (4.66 ha → 4.62 ha)')
  expect(lines([moved({ ...areas, movedM2: 92_818, movedKm: 0.412 })]).join('\n')).toContain('moved 412 m; no land')
})
