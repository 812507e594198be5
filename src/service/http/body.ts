/** Reads the body of a request, within limits of size and time. */

import { Refusal } from './responses.ts'

/** `room` is shared by all bodies that are arriving or waiting for their turn. */
export type BodyLimits = {
  readonly bytes: number
  readonly milliseconds: number
  readonly room?: { leftBytes: number }
}

/** The limits of a form, or of one small document. */
export const smallBody: BodyLimits = { bytes: 64 * 1024, milliseconds: 15_000 }

/**
 * Reads the whole body. Throws a Refusal: 413 when it is too large, 408 when it is too slow, 415 when it is compressed, 503 when too
 * much is arriving at once.
 */
export async function readBody(request: Request, limits: BodyLimits): Promise<Uint8Array<ArrayBuffer>> {
  const { bytes: most, milliseconds, room = { leftBytes: Infinity } } = limits
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let fault = refusalByHead(request.headers, limits)
  let [taken, isLate] = [0, false]
  const reader = request.body?.getReader()
  const timer = setTimeout(() => {
    isLate = true
    // How the caller takes the cut does not matter.
    reader?.cancel().catch(() => undefined)
  }, milliseconds)
  const giveBack = (): void => {
    room.leftBytes += taken
    taken = 0
  }
  try {
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      // Many clients read the answer only after they have sent everything, and would find a cut connection instead. So the rest is
      // read and discarded, for as long as a body may take.
      if (fault !== undefined) continue
      const { length } = read.value
      if (taken + length > most) fault = tooLarge(limits)
      else if (length > room.leftBytes) fault = new Refusal(503, noRoom, { Connection: 'close', 'Retry-After': '1' })
      else {
        taken += length
        room.leftBytes -= length
        chunks.push(read.value)
        continue
      }
      giveBack()
      chunks.length = 0
      timer.refresh()
    }
  } catch {
    fault ??= refusal(400, 'The connection ended before the whole body arrived. Send it again.')
  } finally {
    clearTimeout(timer)
    giveBack()
  }
  if (isLate) fault ??= refusal(408, `The body did not arrive within ${milliseconds / 1000} seconds. Send it again.`)
  if (fault !== undefined) throw fault
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

/**
 * The same answer, for a request whose body nobody has read: it is sent at once, and ends when the body ends, breaks off or its time is
 * up. Many clients read the answer only after they have sent everything, and would find a cut connection instead.
 */
export async function besideBody(request: Request, answer: Response, milliseconds: number): Promise<Response> {
  if (answer.body === null || request.body?.locked !== false) return answer
  const bytes = await answer.bytes()
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes)
      await readBody(request, { bytes: 0, milliseconds }).catch(() => undefined)
      controller.close()
    },
  })
  const { status, headers } = answer
  headers.set('Content-Length', String(bytes.length))
  return new Response(body, { status, headers })
}

function refusalByHead(headers: Headers, limits: BodyLimits): Refusal | undefined {
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity')
    return refusal(415, `The body is compressed (Content-Encoding: ${encoding}). Send it uncompressed.`)
  return Number(headers.get('content-length')) > limits.bytes ? tooLarge(limits) : undefined
}

function tooLarge(limits: BodyLimits): Refusal {
  return refusal(413, `The body is larger than ${limits.bytes} bytes. Send fewer records at a time.`)
}

const noRoom = 'The service is receiving too much data at once. Try again in a moment.'

// Part of the body may still arrive, so the connection cannot be used for another request.
function refusal(status: number, detail: string): Refusal {
  return new Refusal(status, detail, { Connection: 'close' })
}
