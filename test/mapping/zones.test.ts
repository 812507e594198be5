import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { findZone, machineZone, type Zone } from '../../src/mapping/zones.ts'
import { runs } from '../runs.ts'

function zoneOf(name: string): Zone {
  const zone = findZone(name)
  if (zone === undefined) throw new Error(name)
  return zone
}

function momentOf(text: string) {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = text.split(/\D/).map(Number)
  return { year, month, day, hour, minute, second, fraction: '', offset: undefined }
}

test.each([
  ['Pacific/Auckland', '2026-09-03 00:00:00', '+12:00', 'clear'],
  ['Pacific/Auckland', '2026-01-15 00:00:00', '+13:00', 'clear'],
  ['Pacific/Auckland', '2026-09-27 01:59:59', '+12:00', 'clear'],
  ['Pacific/Auckland', '2026-09-27 02:00:00', '+13:00', 'gap'],
  ['Pacific/Auckland', '2026-09-27 02:59:59', '+13:00', 'gap'],
  ['Pacific/Auckland', '2026-09-27 03:00:00', '+13:00', 'clear'],
  ['Pacific/Auckland', '2026-04-05 01:59:59', '+13:00', 'clear'],
  ['Pacific/Auckland', '2026-04-05 02:00:00', '+13:00', 'twice'],
  ['Pacific/Auckland', '2026-04-05 02:59:59', '+13:00', 'twice'],
  ['Pacific/Auckland', '2026-04-05 03:00:00', '+12:00', 'clear'],
  ['Pacific/Chatham', '2026-09-03 00:00:00', '+12:45', 'clear'],
  ['America/Sao_Paulo', '2018-11-04 00:00:00', '-02:00', 'gap'],
  ['Europe/London', '2026-12-31 23:59:59', '+00:00', 'clear'],
  ['Pacific/Apia', '2011-12-30 12:00:00', '+14:00', 'gap'],
  ['Africa/Casablanca', '2026-02-20 12:00:00', '+00:00', 'clear'],
  ['UTC', '2026-02-20 12:00:00', '+00:00', 'clear'],
  ['America/St_Johns', '2026-07-01 12:00:00', '-02:30', 'clear'],
])('%s at %s is %s, %s', (name, time, offset, fate) => {
  expect(zoneOf(name).place(momentOf(time))).toMatchObject({ offset, fate })
})

test('gives the time after a gap, and the offset of the second of two', () => {
  expect(zoneOf('Pacific/Auckland').place(momentOf('2026-09-27 02:30:00')).other).toBe('2026-09-27T03:00:00')
  expect(zoneOf('Pacific/Auckland').place(momentOf('2026-04-05 02:30:00')).other).toBe('+12:00')
  expect(zoneOf('America/Sao_Paulo').place(momentOf('2018-11-04 00:00:00')).other).toBe('2018-11-04T01:00:00')
})

test.each(['Pacific/Aukland', '', 'nowhere', '__proto__'])('"%s" is not a zone', (name) => {
  expect(findZone(name)).toBeUndefined()
})

test('the local time of every moment has its own offset, or one of two', () => {
  const names = [
    'Pacific/Auckland',
    'Europe/London',
    'America/New_York',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
    'Asia/Kolkata',
  ]
  const zones = names.map(zoneOf)
  const formatters = names.map(
    (timeZone) => new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }),
  )
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2035, 0) }).map((time) => Math.floor(time / 1000) * 1000),
      fc.nat({ max: names.length - 1 }),
      (time, index) => {
        const local = formatters[index]!.format(time)
        const placed = zones[index]!.place(momentOf(local))
        const offsets = placed.fate === 'twice' ? [placed.offset, placed.other] : [placed.offset]
        expect(placed.fate).not.toBe('gap')
        expect(offsets.map((offset) => Date.parse(`${local.replace(' ', 'T')}${offset}`))).toContain(time)
      },
    ),
    { numRuns: runs(300) },
  )
})

test.each([
  ['Pacific/Auckland', 'Pacific/Auckland'],
  ['Rimu/Farm', 'UTC'],
])("with TZ=%s the machine's zone is %s", (given, zone) => {
  vi.stubEnv('TZ', given)
  try {
    expect(machineZone()).toBe(zone)
  } finally {
    vi.unstubAllEnvs()
  }
})
