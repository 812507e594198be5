/** Publishes what many tests begin with once in each process: later tests get the same records and files, without a run. */

import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

type Fetch = typeof globalThis.fetch
type Post = { readonly url: string; readonly headers: Headers; readonly body: ArrayBuffer }
type Kept<Result> = {
  readonly result: Result
  readonly posts: readonly Post[]
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** A folder and a service that are the same at the start of each test. */
export type Fresh = { readonly folder: string; readonly fetch: Fetch }

/** Returns a function that publishes what `publish` sends through its fetch, or from the second call on the same again. */
export function publishesOnce<Result>() {
  let kept: Kept<Result> | undefined
  return async (fresh: Fresh, publish: (fetch: Fetch) => Promise<Result>): Promise<Result> => {
    if (kept === undefined) kept = await keep(fresh, publish)
    else await repeat(fresh, kept)
    return kept.result
  }
}

async function keep<Result>(
  { folder, fetch }: Fresh,
  publish: (fetch: Fetch) => Promise<Result>,
): Promise<Kept<Result>> {
  const posts: Post[] = []
  const before = filesIn(folder)
  const result = await publish(async (input, init) => {
    const request = new Request(input, init)
    const { url, headers, method } = request
    if (method === 'POST') posts.push({ url, headers, body: await request.clone().arrayBuffer() })
    return fetch(request)
  })
  const made = [...filesIn(folder)].filter(([path, written]) => before.get(path) !== written)
  return { result, posts, files: new Map(made.map(([path]) => [path, readFileSync(join(folder, path))])) }
}

/** The files of a folder, and when each was written. */
function filesIn(folder: string): ReadonlyMap<string, number> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return new Map(paths.map((path) => [relative(folder, path), statSync(path).mtimeMs]))
}

async function repeat({ folder, fetch }: Fresh, { posts, files }: Kept<unknown>): Promise<void> {
  let token: string | undefined
  for (const { url, headers, body } of posts) {
    const sent = new Headers(headers)
    if (token !== undefined) sent.set('Authorization', `Bearer ${token}`)
    const response = await fetch(url, { method: 'POST', headers: sent, body })
    if (!response.ok) throw new Error(`The farms were not published: ${await response.text()}`)
    // The first request signs in.
    token ??= ((await response.json()) as { readonly access_token: string }).access_token
  }
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
}
