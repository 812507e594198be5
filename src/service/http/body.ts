/** Hides how a request's body is read: bounded in size and in time. */

import { problem } from './responses.ts'

/** `room` is what all bodies share that are arriving or waiting to be worked on. */
export type BodyLimits = {
  readonly bytes: number
  readonly milliseconds: number
  readonly room?: { leftBytes: number }
}

/**
 * The whole body, or the answer to give instead: 413 when it is too large, 408 when it is too slow, 415 when it is packed, 503
 * when too much is arriving at once.
 */
export async function readBody(
  request: Request,
  path: string,
  limits: BodyLimits,
): Promise<Uint8Array<ArrayBuffer> | Response> {
  const reader = request.body?.getReader()
  const unfit = refusalByHead(request.headers, path, limits)
  if (unfit !== undefined) {
    await readOff(reader, limits)
    return unfit
  }
  if (reader === undefined) return new Uint8Array(0)
  let timer: NodeJS.Timeout | undefined
  const taken = { bytes: 0, room: limits.room ?? { leftBytes: Infinity } }
  const giveBack = (): void => {
    taken.room.leftBytes += taken.bytes
    taken.bytes = 0
  }
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limits.milliseconds)
  })
  try {
    const gathered = await Promise.race([gather(reader, limits.bytes, taken), late])
    if (gathered instanceof Uint8Array) return gathered
    giveBack()
    if (gathered === 'late') {
      letGo(reader)
      return refusal(path, 408, `The body did not come within ${limits.milliseconds / 1000} seconds.`)
    }
    await readOff(reader, limits)
    return gathered === 'no room' ? noRoom(path) : tooLarge(path, limits)
  } catch {
    return refusal(path, 400, 'The body broke off before its end.')
  } finally {
    clearTimeout(timer)
    giveBack()
  }
}

function refusalByHead(headers: Headers, path: string, limits: BodyLimits): Response | undefined {
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity')
    return refusal(path, 415, `The body is packed with ${JSON.stringify(encoding)}. Send it as it is.`)
  return Number(headers.get('content-length')) > limits.bytes ? tooLarge(path, limits) : undefined
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>

/** Reads a body that nobody has begun to read, and throws it away; ends when it ends, breaks off or has taken its time. */
export async function discardBody(request: Request, milliseconds: number): Promise<void> {
  if (request.body?.locked === false) await readOff(request.body.getReader(), { milliseconds })
}

// Many senders look for the answer only when they have written everything, and would find the connection cut instead of it. So
// the rest is read and thrown away, for as long as a body may take.
async function readOff(
  reader: BodyReader | undefined,
  { milliseconds }: Pick<BodyLimits, 'milliseconds'>,
): Promise<void> {
  if (reader === undefined) return
  const timer = setTimeout(() => letGo(reader), milliseconds)
  try {
    while (!(await reader.read()).done);
  } catch {
    // Whoever broke off wants no answer.
  } finally {
    clearTimeout(timer)
  }
}

// What the sender makes of being cut off is no news.
function letGo(reader: BodyReader): void {
  reader.cancel().catch(() => undefined)
}

async function gather(
  reader: BodyReader,
  most: number,
  taken: { bytes: number; readonly room: { leftBytes: number } },
): Promise<Uint8Array<ArrayBuffer> | 'too large' | 'no room'> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
    size += value.length
    if (size > most) return 'too large'
    if (value.length > taken.room.leftBytes) return 'no room'
    taken.bytes += value.length
    taken.room.leftBytes -= value.length
    chunks.push(value)
  }
}

function tooLarge(path: string, limits: BodyLimits): Response {
  return refusal(path, 413, `The body is larger than ${limits.bytes} bytes. Send fewer records at a time.`)
}

function noRoom(path: string): Response {
  const detail = 'Too much is being sent to the service at once. Try again in a moment.'
  return problem(path, 503, detail, { Connection: 'close', 'Retry-After': '1' })
}

// Some of the body may still be under way, so the connection cannot be used for another request.
function refusal(path: string, status: number, detail: string): Response {
  return problem(path, status, detail, { Connection: 'close' })
}
