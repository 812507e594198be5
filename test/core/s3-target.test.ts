import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { s3Target, storedFile } from '../../src/core/sources/s3-target.ts'
import type { WebOptions } from '../../src/core/sources/source-url.ts'
import { keys, startStore, type Store } from './s3-server.ts'
import { folderWith } from './temporary-folder.ts'

let temporary: string
beforeEach(() => {
  temporary = folderWith({})
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, temporary)
  return () => void vi.unstubAllEnvs()
})

const address = 's3://farms/reports/spraying 2026-11.xlsx'
const name = 'farms/reports/spraying 2026-11.xlsx'
/** Two parts of 16 MB and a rest. */
const large = Buffer.alloc(34_000_000)
for (let at = 0; at < large.length; at += 4) large.writeUInt32LE(Math.imul(at, 2654435761) >>> 0, at)
/** One part and a rest. */
const inTwo = large.subarray(0, 17_000_000)

const webOf = ({ env }: Store, more: WebOptions = {}): WebOptions => ({ env, sleep: () => Promise.resolve(), ...more })

async function writeTo(store: Store, bytes: Uint8Array, more: WebOptions = {}) {
  const target = await s3Target(address, webOf(store, more))
  try {
    await target.write(bytes)
    return await target.commit()
  } catch (cause) {
    await target.abandon()
    throw cause
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

describe('a file in a store', () => {
  test('is there when it is committed, with its digest beside it', async () => {
    const store = await startStore()
    const target = await s3Target(address, webOf(store))
    expect([target.path, target.name]).toEqual([address, 'spraying 2026-11.xlsx'])
    await target.write('HEAD ')
    await target.write(Buffer.from('body'))
    expect(store.asked).toEqual([])
    const digest = sha256(Buffer.from('HEAD body'))
    expect(await target.commit()).toEqual({ path: address, bytes: 9, sha256: digest })
    expect(store.files.get(name)!.bytes.toString()).toBe('HEAD body')
    expect(await storedFile(address, webOf(store))).toEqual({ bytes: 9, sha256: digest })
    expect(await storedFile('s3://farms/other.csv', webOf(store))).toBeUndefined()
    expect(readdirSync(temporary)).toEqual([])
  })

  test('that is large is sent in parts, and nothing is there before the last', async () => {
    const seen: boolean[] = []
    const store: Store = await startStore(() => {
      seen.push(store.files.has(name))
      return false
    })
    expect(await writeTo(store, large)).toMatchObject({ bytes: large.length, sha256: sha256(large) })
    expect(seen).toEqual([false, false, false, false, false])
    const { bytes, etag } = store.files.get(name)!
    expect([bytes.equals(large), etag]).toEqual([true, expect.stringMatching(/-3"$/)])
    expect(await storedFile(address, webOf(store))).toEqual({ bytes: large.length, sha256: sha256(large) })
    expect(store.uploads.size).toBe(0)
  })

  test('that is abandoned was never there', async () => {
    const store = await startStore()
    const target = await s3Target(address, webOf(store))
    await target.write('x')
    await target.abandon()
    expect([store.asked, readdirSync(temporary)]).toEqual([[], []])
  })
})

describe('when the store fails', () => {
  test('for a moment, the part is sent again', async () => {
    let failures = 0
    const store = await startStore(({ target }, response) => {
      const isTime = target.includes('partNumber=2') && (failures += 1) < 3
      if (isTime && failures === 1) response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>')
      else if (isTime) response.destroy()
      return isTime
    })
    await writeTo(store, inTwo)
    expect(store.files.get(name)!.bytes.equals(inTwo)).toBe(true)
    expect(failures).toBe(3)
  })

  test('for good, what was there stays, and no part is left', async () => {
    const store = await startStore(({ target }, response) => {
      const isPart = target.includes('partNumber=2')
      if (isPart) response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
      return isPart
    })
    store.put(name, Buffer.from('yesterday'))
    await expect(writeTo(store, inTwo)).rejects.toMatchObject({
      code: 'target-unwritable',
      message: `The store refuses "${address}" to this access key (403, AccessDenied).`,
    })
    expect([store.files.get(name)!.bytes.toString(), store.uploads.size]).toEqual(['yesterday', 0])
    expect(readdirSync(temporary)).toEqual([])
  })

  test('and the run is stopped, no part is left either', async () => {
    const stop = new AbortController()
    const store = await startStore(({ target }) => {
      if (target.includes('partNumber=2')) stop.abort(new Error('enough'))
      return false
    })
    await expect(writeTo(store, inTwo, { signal: stop.signal })).rejects.toThrow('enough')
    expect([store.uploads.size, store.files.size]).toEqual([0, 0])
  })

  test('after it completed the file, the second try finds it', async () => {
    let completions = 0
    const store: Store = await startStore(({ method, target }, response) => {
      if (method !== 'POST' || !target.includes('uploadId=') || (completions += 1) > 1) return false
      // The connection breaks before it can say that it is done.
      response.end = () => response.destroy()
      return false
    })
    await writeTo(store, inTwo)
    expect([completions, store.files.get(name)!.bytes.equals(inTwo)]).toEqual([2, true])
  })

  test('in an answer that began well, nothing is taken for done', async () => {
    const store = await startStore(({ method, target }, response) => {
      const isLast = method === 'POST' && target.includes('uploadId=')
      if (isLast) response.writeHead(200).end('<?xml version="1.0"?>\n  <Error><Code>InternalError</Code></Error>')
      return isLast
    })
    await expect(writeTo(store, inTwo)).rejects.toMatchObject({ code: 'address-unreachable' })
    expect([store.uploads.size, store.files.size]).toEqual([0, 0])
  })

  test.each([
    [{ AWS_SECRET_ACCESS_KEY: 'wrong' }, 'target-unwritable', 'SignatureDoesNotMatch'],
    [{ AWS_ACCESS_KEY_ID: 'wrong' }, 'target-unwritable', 'InvalidAccessKeyId'],
    [{ AWS_ACCESS_KEY_ID: '' }, 'option-invalid', 'no access key'],
  ])('because of %j, the sentence has no secret', async (wrong, code, message) => {
    const store = await startStore()
    const env = { ...store.env, ...wrong }
    const failure = await writeTo(store, Buffer.from('x'), { env }).catch((cause: unknown) => cause as Error)
    expect(failure).toMatchObject({ code, message: expect.stringContaining(message) })
    expect(JSON.stringify(failure)).not.toContain(keys.secret)
  })
})

test.each(['https://farms.example/a.csv?key=geheim', 's3://farms/a.zip#a.csv'])('%s is no target', async (path) => {
  const failure = await s3Target(path, {}).catch((cause: unknown) => cause as Error)
  expect(failure).toMatchObject({ code: 'target-unwritable' })
  expect((failure as Error).message).not.toContain('geheim')
})
