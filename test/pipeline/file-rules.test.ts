import { utimesSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Report } from '../../src/pipeline/report/report.ts'
import { pipeline, startFarm, table, type Farm, type Fetch } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

const record =
  '{ name: <Name>, totalArea: { from: Area, unit: ha }, crops: [{ name: <Crop>, establishmentDate: { from: Sown, date: d/M/yyyy } }] }'
const nightly = (more = ''): string =>
  pipeline({ from: '{ file: nightly.csv, delimiter: ";", decimal: comma }', zone: 'Pacific/Auckland', record }, more)
const night = (rows: string, more = ''): Promise<Report> =>
  farm.night(table(`No|Name|Area|Crop|Sown; ${rows}`, ';'), nightly(more))
const found = ({ problems }: Report, code: string) => problems.find((each) => each.code === code)
const messages = (report: Report, code: string): readonly string[] =>
  found(report, code)?.first.map(({ message }) => message) ?? []

describe('dates that fit another form', () => {
  const exchanged = '1|Top|3,5|Kale|9/3/2026; 2|Low|4,5|Kale|9/13/2026'

  test('stop the run, and the finding says what to write', async () => {
    const report = await night(exchanged)
    expect(report).toMatchObject({ exit: 6, outcome: 'stopped', records: { created: 0 } })
    expect(report.error).toMatchObject({
      code: 'rule-stopped',
      message: expect.stringContaining(
        'The pipeline reads "Sown" as day/month/year (d/M/yyyy), but 1 date in this file can only be read as month/day/year (M/d/yyyy) (first "9/13/2026" in row 3), and none only as in the pipeline. 1 could be either.',
      ) as string,
      hint: expect.stringContaining('{ from: Sown, date: M/d/yyyy }') as string,
    })
    expect(found(report, 'other-reading')).toMatchObject({ severity: 'stop', count: 1, first: [{ column: 'Sown' }] })
    expect(farm.posted()).toEqual([])
  })

  test('are named together with numbers that do', async () => {
    const { error } = await night('1|Top|3.5|Kale|9/13/2026')
    expect(error!.message).toMatch(/"Area".*"Sown"/s)
    expect(error!.hint).toMatch(/decimal: point.*date: M\/d\/yyyy/s)
  })

  test('are a warning where the pipeline says so', async () => {
    const report = await night(exchanged, 'rules: { other-reading: warn }')
    expect(report).toMatchObject({ exit: 3, records: { created: 1 } })
    expect(found(report, 'other-reading')).toMatchObject({ severity: 'warning', count: 1 })
  })

  test('in the one row that changed reject it: the rows that are as before count, too', async () => {
    const before = '1|Top|3,5|Kale|13/3/2026; 2|Low|4,5|Kale|14/3/2026'
    await night(`${before}; 3|Hill|5,5|Kale|15/3/2026`)
    const report = await night(`${before}; 3|Hill|5,5|Kale|3/15/2026`)
    expect(report).toMatchObject({ exit: 3, rows: { unchanged: 2, rejected: 1 } })
  })
})

test('numbers with units are compared with the decimal separator, too', async () => {
  const rows = table('No|Area; 1|3.5 ha; 2|4.25 ha', ';')
  const report = await farm.night(rows, nightly().replace(record, '{ totalArea: <Area> }'))
  expect(found(report, 'other-reading')!.first[0]!.message).toContain(
    '2 numbers in this file can only be read with a decimal point',
  )
})

test('a filter that takes no row stops the run, unless it took none the last time or the pipeline says so', async () => {
  const only = 'only: { Crop: [Kale, Oats] }'
  expect(await night('1|Top|3|Kale|; 2|Low|4|Rape|', only)).toMatchObject({ exit: 0, records: { created: 1 } })
  const { exit, error } = await night('1|Top|3|KALE|; 2|Low|4|RAPE|', only)
  expect({ exit, code: error?.code }).toEqual({ exit: 6, code: 'rule-stopped' })
  expect(error!.message).toContain(
    'The pipeline takes only rows with "Kale" or "Oats" in "Crop", and none of the 2 rows of the file has that.',
  )
  expect(error!.hint).toContain('only: with the words that the file has now')
  expect(await farm.run(nightly(`${only}\nrules: { filter-empty: warn }`))).toMatchObject({ exit: 0 })
  expect(await farm.run(nightly(only))).toMatchObject({ exit: 0, rows: { skipped: 2 } })
})

test('a file that was last written before the last one has a warning, once, and stops where the pipeline says so', async () => {
  const older = (hour: number, more = ''): Promise<Report> => {
    const file = farm.write('nightly.csv', table(`No|Name|Area|Crop|Sown; 1|Top|${hour}|Kale|`, ';'))
    utimesSync(file, hour * 3600, hour * 3600)
    return farm.run(nightly(more))
  }
  expect(messages(await older(490_000), 'file-older')).toEqual([])
  const stopped = await older(489_976, 'rules: { file-older: stop }')
  expect(stopped).toMatchObject({ exit: 6, error: { code: 'rule-stopped' } })
  expect(messages(await older(489_976), 'file-older')).toEqual([
    expect.stringMatching(/^The file was last written at 2025-11-23 16:00 \(UTC\), .* read at 2025-11-24 16:00\./),
  ])
  expect(messages(await older(489_976), 'file-older')).toEqual([])
})

test('a clock that differs from that of the service has a warning', async () => {
  const dated: Fetch = async (input, init) => {
    const answer = await farm.direct(input, init)
    const date = new Date(Date.now() - 3 * 3_600_000).toUTCString()
    const headers = { ...Object.fromEntries(answer.headers), date }
    return new Response(answer.body, { status: answer.status, headers })
  }
  farm.write('nightly.csv', table('No|Name|Area|Crop|Sown; 1|Top|3|Kale|', ';'))
  const report = await farm.run(nightly(), { fetch: dated })
  expect(report.exit).toBe(0)
  expect(messages(report, 'clock-wrong')).toEqual(['The clock of this computer is 3 h ahead of that of the service.'])
})
