/** Reads the body of a request, within limits of size and time. */

import { Refusal } from './responses.ts'

/** `room` is shared by all bodies that are arriving or waiting for their turn. */
export type BodyLimits = {
  readonly bytes: number
  readonly milliseconds: number
  readonly room?: { leftBytes: number }
}

/**
 * Reads the whole body. Throws a Refusal: 413 when it is too large, 408 when it is too slow, 415 when it is compressed, 503 when too
 * much is arriving at once.
 */
export async function readBody(request: Request, limits: BodyLimits): Promise<Uint8Array<ArrayBuffer>> {
  const reader = request.body?.getReader()
  const unfit = refusalByHead(request.headers, limits)
  if (unfit !== undefined) {
    await discardRest(reader, limits)
    throw unfit
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
      cancel(reader)
      throw refusal(408, `The body did not arrive within ${limits.milliseconds / 1000} seconds. Send it again.`)
    }
    await discardRest(reader, limits)
    throw gathered === 'no room' ? noRoom() : tooLarge(limits)
  } catch (cause) {
    throw cause instanceof Refusal
      ? cause
      : refusal(400, 'The connection ended before the whole body arrived. Send it again.')
  } finally {
    clearTimeout(timer)
    giveBack()
  }
}

function refusalByHead(headers: Headers, limits: BodyLimits): Refusal | undefined {
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity')
    return refusal(415, `The body is compressed (Content-Encoding: ${encoding}). Send it uncompressed.`)
  return Number(headers.get('content-length')) > limits.bytes ? tooLarge(limits) : undefined
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>

/** Reads and discards a body that nothing has read yet, until it ends, breaks off or its time is up. */
export async function discardBody(request: Request, milliseconds: number): Promise<void> {
  if (request.body?.locked === false) await discardRest(request.body.getReader(), { milliseconds })
}

// Many clients read the answer only after they have sent everything, and would find a cut connection instead. So the rest is
// read and discarded, for as long as a body may take.
async function discardRest(
  reader: BodyReader | undefined,
  { milliseconds }: Pick<BodyLimits, 'milliseconds'>,
): Promise<void> {
  if (reader === undefined) return
  const timer = setTimeout(() => cancel(reader), milliseconds)
  try {
    while (!(await reader.read()).done);
  } catch {
    // A caller that broke off needs no answer.
  } finally {
    clearTimeout(timer)
  }
}

// How the caller takes the cut does not matter.
function cancel(reader: BodyReader): void {
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

function tooLarge(limits: BodyLimits): Refusal {
  return refusal(413, `The body is larger than ${limits.bytes} bytes. Send fewer records at a time.`)
}

function noRoom(): Refusal {
  const detail = 'The service is receiving too much data at once. Try again in a moment.'
  return new Refusal(503, detail, { Connection: 'close', 'Retry-After': '1' })
}

// Part of the body may still arrive, so the connection cannot be used for another request.
function refusal(status: number, detail: string): Refusal {
  return new Refusal(status, detail, { Connection: 'close' })
}
