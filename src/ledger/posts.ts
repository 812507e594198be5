/** Keeps which new records were posted until there is an answer, so that a crash cannot hide whose they are. */

import { textsIn, type Database, type Value } from '../core/database.ts'
import { sameInstant } from './content.ts'

/** What is about to be posted. */
export type Intent = {
  readonly key: string
  readonly dataset: string
  readonly sourceScheme: string
  readonly sourceId: string
  readonly hash: string
  readonly modified: string
  /** True if the ledger has no entry for it. */
  readonly isNew?: boolean
}

/** One request: its new records without an answer, by key. */
export type Post = { readonly id: Value; readonly pipeline: string; readonly open: Map<string, Intent> }

export type Posts = ReturnType<typeof keepPosts>

/** The posts of one account. A row for each request: a row for each record takes longer. */
export function keepPosts(database: Database, account: string) {
  const add = database.prepare('INSERT INTO posts (account, pipeline, records) VALUES (?, ?, ?) RETURNING id')
  const change = database.prepare('UPDATE posts SET records = ? WHERE id = ?')
  const remove = database.prepare('DELETE FROM posts WHERE id = ?')
  const all = database.prepare('SELECT id, pipeline, records FROM posts WHERE account = ? ORDER BY id DESC')
  const known = database.prepare(
    `SELECT key FROM records WHERE account = ? AND state <> 'deleted' AND key IN (${textsIn(database)})`,
  )
  const settle = (post: Post, keys: Iterable<string>): void => {
    const before = post.open.size
    for (const key of keys) post.open.delete(key)
    if (post.open.size === 0) remove.run(post.id)
    else if (post.open.size < before) change.run(textOf(post.open.values()), post.id)
  }
  return {
    add(pipeline: string, intents: readonly Intent[]): Post | undefined {
      if (intents.length === 0) return undefined
      const { id } = add.get(account, pipeline, textOf(intents))!
      return { id: id!, pipeline, open: byKey(intents) }
    },
    /** These have an answer. */
    settle,
    /** All that have no answer, the latest first. What is known by now, because it was sent again, is settled before. */
    open(): readonly Post[] {
      const posts = all.all(account).map(({ id, pipeline, records }) => {
        const open = byKey((JSON.parse(String(records)) as readonly Row[]).map(intentOf))
        return { id: id!, pipeline: String(pipeline), open }
      })
      for (const post of posts) {
        const keys = known.all(account, JSON.stringify([...post.open.keys()]))
        settle(
          post,
          keys.map(({ key }) => String(key)),
        )
      }
      return posts
    },
  }
}

type Row = readonly [key: string, dataset: string, scheme: string, id: string, hash: string, modified: string]

function textOf(intents: Iterable<Intent>): string {
  const rowOf = ({ key, dataset, sourceScheme, sourceId, hash, modified }: Intent): Row => {
    return [key, dataset, sourceScheme, sourceId, hash, modified]
  }
  return JSON.stringify(Array.from(intents, rowOf))
}

function intentOf([key, dataset, sourceScheme, sourceId, hash, modified]: Row): Intent {
  return { key, dataset, sourceScheme, sourceId, hash, modified }
}

function byKey(intents: readonly Intent[]): Map<string, Intent> {
  return new Map(intents.map((intent) => [intent.key, intent]))
}

/** The key under which a record with this source id was posted. */
export function postedAs(posts: readonly Post[], dataset: string, scheme: string, id: string): string | undefined {
  const isIt = (each: Intent): boolean =>
    each.sourceId === id && each.sourceScheme === scheme && each.dataset === dataset
  return posts.flatMap(({ open }) => [...open.values()]).find(isIt)?.key
}

/** The pipeline that posted the shown record, null if none did. */
export function posterOf(
  posts: readonly Post[],
  key: string,
  shown: { readonly hash: string; readonly modified: string | null },
): string | null {
  for (const { open, pipeline } of posts) {
    const intent = open.get(key)
    if (intent !== undefined)
      return intent.hash === shown.hash || sameInstant(intent.modified, shown.modified) ? pipeline : null
  }
  return null
}
