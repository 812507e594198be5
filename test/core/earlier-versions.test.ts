import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectTo, type Client } from '../../src/client/connection.ts'
import { createService, type Service } from '../../src/service/create.ts'
import { demoCredentials } from '../../src/service/store/accounts.ts'
import { root } from '../imports.ts'
import { folderWith } from './temporary-folder.ts'

// Each file was written by windrow 0.1.0 when its tables had that version: an invented farm with two or three plots, one
// deleted, and one work record.
let path: string
beforeEach(() => {
  path = join(folderWith({}), 'kept.db')
})
afterEach(() => rmSync(path, { force: true }))

function unpack(name: string): void {
  writeFileSync(path, gunzipSync(readFileSync(join(root, 'test/fixtures/state', `${name}.db.gz`))))
}

function versionIn(file: string): unknown {
  const database = new DatabaseSync(file)
  try {
    return database.prepare('PRAGMA user_version').get()?.['user_version']
  } finally {
    database.close()
  }
}

function makeNewer(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA user_version = 99')
  database.close()
}

describe('a store of the embedded service', () => {
  const base = 'http://127.0.0.1:8080'
  const connect = (service: Service): Client =>
    connectTo(
      { name: 'local', service: base, tokenUrl: `${base}/auth/realms/windrow`, ...demoCredentials },
      {
        fetch: (input: Parameters<typeof fetch>[0], init?: RequestInit) => service.fetch(new Request(input, init)),
        clock: () => new Date(),
        sleep: () => Promise.resolve(),
        random: () => 0.5,
      },
    )

  test.each([1, 2, 3, 4, 5])('of version %i is read, written and found by place', async (version) => {
    unpack(`store-${version}`)
    let service = createService({ store: path, demo: true })
    try {
      for (const _ of ['migrated', 'opened again']) {
        const client = connect(service)
        const shown: Record<string, boolean> = {}
        for await (const page of client.changes(await client.dataset('plots')))
          for (const { dataPointKey, meta } of page.items)
            shown[String(dataPointKey).split('/').at(-1)!] = (meta as { isDeleted?: boolean }).isDeleted === true
        expect(shown).toEqual({ 1: false, 2: true, 3: false })
        const inside: string[] = []
        for await (const page of client.features('plots', { bbox: [175.3, -37.81, 175.3035, -37.79] }))
          inside.push(...page.map(({ properties }) => (properties['agriculture'] as { name: string }).name))
        // A record without a place is in every box.
        expect(inside.toSorted()).toEqual(['Paddock 1', 'Paddock 3'])
        const worked: unknown[] = []
        for await (const page of client.workRecords()) worked.push(...page)
        expect(worked).toHaveLength(1)
        service.close()
        service = createService({ store: path, demo: true })
      }
    } finally {
      service.close()
    }
    expect(versionIn(path)).toBe(5)
  })

  test('of a newer version is refused with a sentence, and left alone', () => {
    unpack('store-5')
    makeNewer(path)
    expect(() => createService({ store: path, demo: true })).toThrow(
      expect.objectContaining({
        code: 'state-unreadable',
        exit: 2,
        message: `"${path}" was written by a newer windrow (version 99 of the file; this windrow knows 5).`,
      }) as Error,
    )
    expect(versionIn(path)).toBe(99)
  })
})
