import { chosen } from '../../src/core/row.ts'
import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { changesTable } from '../../src/web/changes-table.ts'
import { farmMap, type Paddock } from '../../src/web/farm-map.ts'
import { html } from '../../src/web/html.ts'
import { reportPage, type PageContent, type ReportView } from '../../src/web/report-page.ts'

const rows = { read: 3, ready: 1, unchanged: 1, rejected: 1, skipped: 0 }
const records = { ready: 1, created: 1, updated: 0, refused: 0, unsent: 0, unchanged: 1 }
const view: ReportView = {
  run: '1120-1412-onboard',
  pipeline: 'onboard',
  started: '2026-11-20T01:12:00Z',
  outcome: 'done',
  exit: 3,
  source: {
    kinds: {},
    name: 'Rimu paddocks.zip',
    table: 'paddocks',
  },
  choices: [
    chosen('from.encoding', 'utf-8', 'said by the .cpg'),
    chosen('key', '<PADDOCK_ID>', 'different in all 24 rows'),
  ],
  target: { type: 'plots', holdings: ['nz.example.farm-number:00412876'], service: 'https://farms.example' },
  rows,
  records,
  gone: { gone: 0, deleted: 0, kept: 0 },
  areaM2: 1_126_000,
  accepted: 1,
  unseen: 0,
  problems: [
    {
      code: 'date-impossible',
      severity: 'error',
      meaning: 'There is no such day or time.',
      count: 1,
      first: [
        {
          code: 'date-impossible',
          severity: 'error',
          at: { source: 'Rimu paddocks.zip', row: 11 },
          column: 'SOWN',
          value: '31/02/2026',
          message: 'February 2026 has 28 days.',
          hint: 'Correct the cell.',
        },
      ],
    },
  ],
}
const hostile = '</title><script>alert(1)</script><img src=x onerror="alert(2)">\u202e\u0007'
const square: Paddock = {
  row: 11,
  key: 'plot/nz.example.farm-number/00412876/7',
  id: '7',
  name: 'Rāhui',
  outcome: 'created',
  rings: [[175, -38, 175.1, -38, 175.1, -37.9, 175, -38]],
}
const content: PageContent = { paddocks: [square], changes: [], zone: 'Pacific/Auckland' }

describe('the page of a report', () => {
  test('names the file to correct and the command to type', () => {
    const retry = { file: 'C:\\farm\\.windrow\\runs\\1\\rejected.zip', command: 'windrow retry "rejected.zip"' }
    expect(reportPage({ ...view, retry }, content)).toMatch(
      /Unpack <a href="rejected\.zip">rejected\.zip<\/a> where it is, correct the rows in rejected\.shp.*windrow retry &quot;rejected\.zip&quot;/s,
    )
    expect(reportPage(view, content)).not.toContain('windrow retry')
  })

  test('names no layer of a file that was not opened, and counts one record as one', () => {
    const source = { ...view.source, table: '' }
    const page = reportPage({ ...view, source, gone: { gone: 1, deleted: 0, kept: 1 } }, content)
    expect(page).toMatch(/<p>\s+To\s+plots of nz\.example\.farm-number:00412876/)
    expect(page).toContain('<b>gone</b> 1 gone from the file =')
    expect(reportPage(view, content)).toContain('Layer paddocks, to')
    const csv = reportPage({ ...view, source: { ...view.source, name: 'nightly.csv', table: 'nightly' } }, content)
    expect(csv).not.toContain('Layer')
  })

  test('says that a column of areas has repeated rows, but not where others were left out', () => {
    const statedArea = { column: 'HA', statedM2: 1_200_000, measuredM2: 1_200_000 }
    const [problem] = view.problems
    const page = (code: string): string =>
      reportPage({ ...view, statedArea, problems: [{ ...problem!, code }] }, content)
    expect(page('row-repeated')).toMatch(/ ha in the column HA, with repeated rows</)
    expect(page('match-unclear')).toMatch(/ ha in the column HA</)
  })

  test('lists the pairs of a run that was stopped one below the other', () => {
    const error = { message: '2 of 3 are there already.\n  row 1 -> A\n  row 2 -> B', hint: 'Match them.' }
    expect(reportPage({ ...view, error }, content)).toMatch(
      /<h2>2 of 3 are there already\.<\/h2>\s*<ul>\s*<li>row 1 -&gt; A<\/li>\s*<li>row 2 -&gt; B<\/li>\s*<\/ul>\s*<p>Match them\.<\/p>/,
    )
  })

  test('shows row counts, problems and choices', () => {
    const page = reportPage(view, content)
    for (const text of [
      'Done, 1 row needs you',
      '3 read',
      '1 ready',
      '31/02/2026',
      'February 2026 has 28 days.',
      '112.60 ha',
      'said by the .cpg',
      'Rāhui',
    ])
      expect(page).toContain(text)
  })

  test('explains no mark that is not on the map, such as that of a row without a boundary', () => {
    const legendOf = (paddock: Paddock) =>
      /<ul class="legend">.*?<\/ul>/s.exec(reportPage(view, { ...content, paddocks: [paddock] }))![0]
    expect(legendOf(square)).toContain('class="mark error"')
    expect(legendOf({ ...square, row: 12 })).not.toContain('class="mark')
    expect(legendOf(square)).toContain(`1 ${square.outcome}`)
    const updated: Paddock = { ...square, row: 13, outcome: 'updated', rings: [] }
    const both = reportPage(view, { ...content, paddocks: [square, updated] })
    expect(/<ul class="legend">.*?<\/ul>/s.exec(both)![0]).not.toContain('1 updated')
  })

  test('a boundary that goes hides no new one on the same land', () => {
    const gone: Paddock = { ...square, row: -1, id: '6', name: 'Old', outcome: 'deleted' }
    const page = reportPage(view, { ...content, paddocks: [square, gone] })
    expect(page).toMatch(/class="created".*class="deleted"/s)
    const patternOf = (name: string) => new RegExp(`<pattern id="of-${name}".*?</pattern>`).exec(page)![0]
    expect(patternOf('deleted')).not.toContain('ground')
    expect(patternOf('updated')).toContain('ground')
  })

  test('shows the name of a row once where its problem has no cell', () => {
    const first = [{ ...view.problems[0]!.first[0]!, column: undefined, value: 'Rāhui' }]
    const rowOf = (problem: object) =>
      /<tbody>\s*<tr>.*?<\/tr>/s.exec(
        reportPage({ ...view, problems: [{ ...view.problems[0]!, ...problem }] }, content),
      )![0]
    expect(rowOf({ first })).toMatch(/<td>Rāhui<\/td>\s*<td data-label="Column"><\/td>\s*<td data-label="Value"><\/td>/)
    expect(rowOf({})).toContain('<td data-label="Value">31/02/2026</td>')
  })

  test('says how many rows and boundaries of a large file it shows', () => {
    const shown = (read: number): string => {
      const source = { ...view.source, kinds: { Polygon: read } }
      return reportPage({ ...view, source, rows: { ...rows, read } }, content).replace(/\s+/g, ' ')
    }
    const first = 'those with problems or changes first, the others evenly over the file.'
    expect(shown(12_000)).toContain(`of 12000 boundaries: ${first} </p>`)
    expect(shown(12_000)).toContain(`The table has 1 of ${12_000 - rows.skipped} rows: ${first}`)
    expect(shown(9_000)).toContain(`of 9000 boundaries: ${first} The table has all rows.`)
    expect(shown(9_000)).not.toContain('The table has 1')
    expect(shown(1_500)).not.toContain('The map shows')
  })

  test('loads nothing and runs only its own script', () => {
    const page = reportPage(view, content)
    const [, script] = /<script>(.*?)<\/script>/s.exec(page)!
    const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash('sha256', script!, 'base64')}'`
    expect(page).toContain(`content="${policy.replaceAll("'", '&#39;')}"`)
    expect(page.match(/<script/g)).toHaveLength(1)
    expect(page).not.toMatch(/<link|<iframe|url\((?!#)|@import|src=| on[a-z]+=/)
  })

  test('shows names as text, whatever they contain', () => {
    const page = reportPage(
      {
        ...view,
        pipeline: hostile,
        source: { ...view.source, name: hostile, table: hostile },
        problems: [
          {
            ...view.problems[0]!,
            first: [{ ...view.problems[0]!.first[0]!, value: hostile, column: hostile, message: hostile }],
          },
        ],
      },
      { ...content, paddocks: [{ ...square, name: hostile, crop: hostile, id: hostile }] },
    )
    expect(page.match(/<script/g)).toHaveLength(1)
    expect(page).not.toMatch(/<img|onerror="/)
    expect(page).not.toMatch(/[\u0007\u202e]/)
    expect(page).toContain('&lt;script&gt;')
  })

  test.each([
    ['dry-run', { outcome: 'dry-run', exit: 0 }, 'Dry run: nothing was sent'],
    ['a plan', { outcome: 'dry-run', exit: 0 }, 'What would happen to each row'],
    [
      'a dry run that stopped',
      { outcome: 'stopped', dryRun: true, exit: 6, error: { message: 'No' } },
      'Dry run: stopped',
    ],
    ['stopped', { outcome: 'stopped', exit: 6, error: { message: 'Too many rows', hint: 'Look' } }, 'Stopped'],
    ['interrupted', { outcome: 'interrupted', exit: 130 }, 'Interrupted'],
    ['the undo of another', { outcome: 'done', exit: 0, undoes: 'the-other' }, 'Undo of run the-other'],
  ])('says when a run was %s', (_, more, words) => {
    expect(reportPage({ ...view, ...more })).toContain(words)
  })
})

describe('the map', () => {
  test('keeps the proportions of the land', () => {
    const svg = farmMap([square])!.html
    const [, wide, tall] = /viewBox="-16 -16 (\d+) (\d+)"/.exec(svg)!
    // A tenth of a degree each way: at 38 degrees south the land is cos 38 as wide as it is tall.
    expect((Number(wide) - 32) / (Number(tall) - 84 - 32)).toBeCloseTo(Math.cos((37.95 * Math.PI) / 180), 2)
  })

  test('is of the farm, without a boundary far away that would shrink it to a dot', () => {
    const many = Array.from({ length: 9 }, (_, row) => ({ ...square, row }))
    const far = { ...square, row: 9, rings: square.rings.map((ring) => ring.map((each) => each - 1)) }
    const map = farmMap([...many, far])!.html
    const frame = (svg: string): string | undefined => /viewBox="[^"]+"/.exec(svg)?.[0]
    expect(frame(map)).toBe(frame(farmMap(many)!.html))
    expect(map.match(/<a id=/g)).toHaveLength(9)
    expect(map).toContain('Not on this map: 1 boundary, or part of one, more than 50 km from the others.')
    expect(farmMap([...many.slice(0, 2), far])!.html).not.toContain('from the others')
  })

  test('draws the outline of the farm below the paddocks in it', () => {
    const outline = { ...square, row: 1, areaM2: 9e9 }
    const ids = [...farmMap([{ ...square, areaM2: 1e4 }, outline])!.html.matchAll(/<a id="(p\d)"/g)].map(([, id]) => id)
    expect(ids).toEqual(['p1', 'p0'])
  })

  test('is not drawn without a boundary', () => {
    expect(farmMap([])).toBeUndefined()
    expect(farmMap([{ ...square, rings: [] }])).toBeUndefined()
  })
})

test('says how far a boundary moved that has no land in common with the one before', () => {
  const boundary = { beforeM2: 46_612, afterM2: 46_206, movedM2: 92_818, movedKm: 115.2 }
  const page = changesTable([{ key: 'k', id: '1', fields: [], boundary }], new Map()).html
  expect(page).toContain('4.62 ha, <b>moved 115 km; no land in common</b>')
})

test('says of a boundary that is new or gone only its area', () => {
  const cellsOf = (boundary: object): readonly (string | undefined)[] => {
    const page = changesTable([{ key: 'k', id: '1', fields: [], boundary }], new Map()).html
    return [...page.matchAll(/data-label="\w+">(.*?)<\/td>/g)].map(([, cell]) => cell)
  }
  expect(cellsOf({ afterM2: 46_206, movedM2: 46_206 })).toEqual(['none', '<b>4.62 ha</b>'])
  expect(cellsOf({ beforeM2: 46_206, movedM2: 46_206 })).toEqual(['4.62 ha', '<b>none</b>'])
})

test('shows days without their midnight', () => {
  const [before, after] = ['2026-03-14T00:00:00+13:00', '2026-04-09T00:00:00+12:00']
  const page = changesTable([{ key: 'k', id: '1', fields: [{ field: 'Sown', before, after }] }], new Map()).html
  expect(page).toContain('<del>2026-03-14</del>')
  expect(page).toContain('<ins>2026-04-09</ins>')
})

test('pieces of a page are not escaped twice, values always are', () => {
  expect(html`<p>${'<&>'}${html`<b>${"'"}</b>`}${[html`<i></i>`, '"']}${undefined}${false}${0}</p>`.html).toBe(
    '<p>&lt;&amp;&gt;<b>&#39;</b><i></i>&quot;0</p>',
  )
})
