import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { freshFolder, type Contest, type Side } from '../../bench/contest.ts'
import { measure } from '../../bench/measure.ts'
import { judge, median } from '../../bench/verdict.ts'

/** Says itself how long it took, so that a busy machine changes nothing. */
const taking = (seconds: number): Side => ({
  command: ['node', '-e', `fs.writeFileSync(process.env.WINDROW_TIMES_FILE, '{"seconds":${seconds}}')`],
  version: '1',
})

function contest(more: Partial<Contest>): Contest {
  return {
    name: 'trial of time',
    ours: taking(1),
    peer: taking(2),
    peerName: 'a slower one',
    goal: 1.5,
    difference: () => Promise.resolve(undefined),
    ...more,
  }
}

describe('a contest', () => {
  test('is met when we are faster by the goal', async () => {
    const outcome = await judge('trial', contest({}), 1)
    expect(outcome).toMatchObject({
      bench: 'trial',
      name: 'trial of time',
      peerVersion: '1',
      goal: 1.5,
      verdict: 'met',
    })
    expect(outcome).toMatchObject({ ours: 1, peer: 2, ratio: 2 })
    expect(outcome.peakMB).toBeGreaterThan(20)
  })

  test.each([
    ['too slow', { ours: taking(2), peer: taking(1) }],
    ['too large', { goalMB: 10 }],
  ])('is short when we are %s', async (_, more) => {
    expect(await judge('trial', contest(more), 1)).toMatchObject({ verdict: 'short' })
  })

  const filled = (megabytes: number): Side => ({
    command: ['node', '-e', `globalThis.held = Buffer.alloc(${megabytes} << 20, 1)`],
    version: '1',
  })

  test('is short when we use more than our share of the memory of the peer', async () => {
    const more = { ours: filled(60), peer: filled(120), goal: 0.01 }
    expect(await judge('trial', contest({ ...more, goalShare: 0.2 }), 1)).toMatchObject({ verdict: 'short' })
    expect(await judge('trial', contest({ ...more, goalShare: 0.95 }), 1)).toMatchObject({ verdict: 'met' })
  })

  test('is short when ten times the data need more memory', async () => {
    const more = { ours: filled(100), peer: filled(1), goal: 0.01 }
    const grown = await judge('trial', contest({ ...more, tenth: filled(10) }), 1)
    expect(grown).toMatchObject({ verdict: 'short' })
    expect(grown.growth).toBeGreaterThan(1.25)
    expect(await judge('trial', contest({ ...more, tenth: filled(100) }), 1)).toMatchObject({ verdict: 'met' })
  })

  test('runs only as often as it asks for', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'windrow-rounds-')), 'runs')
    const ours: Side = { command: ['node', '-e', `fs.appendFileSync(${JSON.stringify(path)}, 'x')`], version: '1' }
    await judge('trial', contest({ ours, peer: filled(1), rounds: 1 }), 3)
    expect(readFileSync(path, 'utf8')).toBe('x')
  })

  test('is missing when the peer is not installed, and reports our time', async () => {
    const outcome = await judge('trial', contest({ peer: { command: ['no-such-program'], version: undefined } }), 1)
    expect(outcome).toMatchObject({ verdict: 'missing', peer: null, peerVersion: null, ratio: null })
    expect(outcome.ours).toBeGreaterThan(0)
  })

  test('is void when the work was not the same', async () => {
    const difference = (): Promise<string> => Promise.resolve('One wrote 3 rows, the other 4.')
    await expect(judge('trial', contest({ difference }), 1)).rejects.toThrow('One wrote 3 rows, the other 4.')
  })

  test('fails with the output of the program that failed', async () => {
    const ours: Side = { command: ['node', '-e', 'console.error("no such farm"); process.exit(4)'], version: '1' }
    await expect(judge('trial', contest({ ours }), 1)).rejects.toThrow(/ended with 4\.\n[^]*no such farm/)
  })
})

describe('a measurement', () => {
  const filling = 'const held = Buffer.alloc(150 << 20, 1); if (held[5] !== 1) process.exit(1)'

  test('sees the peak memory of a Node program', async () => {
    const { peakMB } = await measure(['node', '-e', filling])
    expect(peakMB).toBeGreaterThan(150)
    expect(peakMB).toBeLessThan(350)
  })

  test('counts the seconds from start to exit', async () => {
    const begun = performance.now()
    const { seconds } = await measure(['node', '-e', 'setTimeout(() => {}, 100)'])
    expect(seconds).toBeGreaterThan(0.1)
    expect(seconds).toBeLessThan((performance.now() - begun) / 1000)
  })

  test.runIf(process.platform === 'linux')('sees the peak memory of any other program', async () => {
    const { peakMB } = await measure([process.execPath, '-e', `${filling}; setTimeout(() => {}, 100)`])
    expect(peakMB).toBeGreaterThan(150)
    expect(peakMB).toBeLessThan(350)
  })

  test('of a program that does not exist is an error', async () => {
    await expect(measure(['no-such-program-anywhere'])).rejects.toThrow(/no-such-program-anywhere/)
  })
})

test.each([
  [[], null],
  [[3], 3],
  [[9, 1, 5], 5],
  [[4, 1, 2, 3], 2.5],
])('the median of %j is %j', (numbers, expected) => {
  expect(median(numbers)).toBe(expected)
})

describe('a run of a program', () => {
  test('has its own empty folder, removed at the end', async () => {
    const says = `const { existsSync, mkdirSync, writeFileSync } = require('node:fs'); const folder = process.argv[1];
      if (existsSync(folder)) process.exit(1); mkdirSync(folder); writeFileSync(process.argv[2], folder)`
    const notes = mkdtempSync(join(tmpdir(), 'windrow-notes-'))
    try {
      await measure(['node', '-e', says, '--', freshFolder, join(notes, 'said')])
      const folder = readFileSync(join(notes, 'said'), 'utf8')
      expect(folder).toContain('fresh')
      expect(existsSync(folder)).toBe(false)
    } finally {
      rmSync(notes, { recursive: true, force: true })
    }
  })

  test('uses the seconds that the program reports, and shows the whole job beside them', async () => {
    const tells = `require('node:fs').writeFileSync(process.env.WINDROW_TIMES_FILE, '{"seconds":7,"wholeSeconds":9}')`
    expect(await measure(['node', '-e', tells])).toMatchObject({ seconds: 7, wholeSeconds: 9 })
    const outcome = await judge('trial', contest({ ours: { command: ['node', '-e', tells], version: '1' } }), 1)
    expect(outcome).toMatchObject({ ours: 7, wholeJob: 9, verdict: 'short' })
  })
})
