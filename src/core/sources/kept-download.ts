/** Keeps downloaded files from one run to the next, so that a file that has not changed is not downloaded again. */

import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { openTemporary, readFully, workingBytes, type WorkingBytes } from './temporary.ts'

/** What is known of a file that was downloaded. `blocks` are its parts that are there, in base64. */
export type DownloadFacts = {
  /** A strong ETag: the bytes are those of the server as long as it has this tag. */
  readonly tag: string
  readonly total: number
  readonly fingerprint: string
  readonly headers: Readonly<Record<string, string>>
  readonly blocks: string
}

/** Where a download is written. `kept` is what a download before left there; `close` keeps the file under these facts. */
export type Download = WorkingBytes & {
  readonly kept: DownloadFacts | undefined
  close(facts?: DownloadFacts): Promise<void>
}

const keptMs = 30 * 24 * 3600_000
const keptBytes = 4 * 2 ** 30
/** A file that a killed process was writing. */
const lostMs = 2 * 3600_000

/** Opens the file that is kept for an address, or a new one. Without a folder nothing is kept. */
export async function openDownload({ href }: URL, folder: string | undefined): Promise<Download> {
  const kept = folder === undefined ? undefined : await openKept(href, folder).catch(() => undefined)
  return kept ?? { ...(await openTemporary()), kept: undefined }
}

/** The name is a digest: an address may contain a secret. */
async function openKept(href: string, folder: string): Promise<Download> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await prune(folder)
  const path = join(folder, createHash('sha256').update(href).digest('hex').slice(0, 32))
  // Whoever renames it has it alone: other runs of the same address download their own.
  const own = `${path}.${randomBytes(6).toString('hex')}.part`
  const isThere = await hasMoved(path, own)
  const handle = await open(own, isThere ? 'r+' : 'wx+', 0o600)
  return {
    ...workingBytes(handle, folder),
    kept: isThere ? await readNote(handle) : undefined,
    async close(facts) {
      const isKept = facts !== undefined && (await writeNote(handle, facts))
      await handle.close()
      // What Windows holds is removed by a later run.
      if (!isKept || !(await hasMoved(own, path))) await rm(own, { force: true }).catch(() => undefined)
    },
  }
}

function hasMoved(from: string, to: string): Promise<boolean> {
  return rename(from, to).then(
    () => true,
    () => false,
  )
}

/** The facts are written behind the bytes, and behind them how long they are. */
const lengthDigits = 8

async function writeNote(handle: FileHandle, facts: DownloadFacts): Promise<boolean> {
  const text = Buffer.from(JSON.stringify(facts))
  const note = Buffer.concat([text, Buffer.from(String(text.length).padStart(lengthDigits, '0'))])
  try {
    await handle.truncate(facts.total)
    await handle.write(note, 0, note.length, facts.total)
    await handle.sync()
    return true
  } catch {
    // A full disk: the file is downloaded again next time.
    return false
  }
}

async function readNote(handle: FileHandle): Promise<DownloadFacts | undefined> {
  const { size } = await handle.stat()
  const textBetween = async (start: number, end: number): Promise<string> =>
    Buffer.from(await readFully(handle, new Uint8Array(end - start), start)).toString('utf8')
  try {
    const end = size - lengthDigits
    const start = end - Number(await textBetween(end, size))
    const facts = JSON.parse(await textBetween(start, end)) as DownloadFacts
    return facts.total === start ? facts : undefined
  } catch {
    return undefined
  }
}

/** Removes what was not used for long, what killed processes left, and the oldest files beyond the space for all. */
async function prune(folder: string): Promise<void> {
  const now = Date.now()
  const names = await readdir(folder)
  const facts = names.map(async (name) => ({ name, facts: await stat(join(folder, name)).catch(() => undefined) }))
  const files = (await Promise.all(facts)).flatMap(({ name, facts }) =>
    facts === undefined ? [] : [{ name, size: facts.size, ageMs: now - facts.mtimeMs }],
  )
  let bytes = 0
  for (const { name, size, ageMs } of files.toSorted((one, other) => one.ageMs - other.ageMs)) {
    bytes += size
    if (ageMs <= (name.endsWith('.part') ? lostMs : keptMs) && bytes <= keptBytes) continue
    await rm(join(folder, name), { force: true }).catch(() => undefined)
  }
}
