/**
 * Keeps the rate of requests to a service within what it can take. It begins without a limit. Once the service asks for a pause,
 * fails or gets slow, half as many requests may be under way; each good answer then allows a little more (AIMD, as TCP does).
 */

/** Until when each host asked for a pause, in milliseconds; connections that share it share the limits of a service. */
export type Pauses = {
  get(host: string): number | undefined
  set(host: string, until: number): void
  delete(host: string): void
}

export type Traffic = ReturnType<typeof openTraffic>

type Host = {
  most: number
  underWay: number
  readonly queue: (() => void)[]
  cutAt: number
  /** About the shortest time of each kind of request. */
  readonly usualMs: Map<string, number>
}

// Several requests at once to a server that does one after the other wait for each other. That alone is no reason to send fewer.
const slowFactor = 5
const neverSlowMs = 1000
const mostKinds = 200

/** Opens what the connections of one process share. */
export function openTraffic(pauses: Pauses = new Map()) {
  const hosts = new Map<string, Host>()
  return {
    pauses,
    /** Waits until one more request may be under way at a host. */
    async enter(name: string, signal?: AbortSignal) {
      let host = hosts.get(name)
      if (host === undefined)
        hosts.set(name, (host = { most: Infinity, underWay: 0, queue: [], cutAt: -Infinity, usualMs: new Map() }))
      await placeIn(host, signal)
      return placeAt(host)
    },
  }
}

async function placeIn(host: Host, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  if (hasRoom(host)) {
    host.underWay += 1
    return
  }
  await new Promise<void>((resolve, reject) => {
    const begin = (): void => {
      signal?.removeEventListener('abort', stop)
      host.underWay += 1
      resolve()
    }
    const stop = (): void => {
      host.queue.splice(host.queue.indexOf(begin), 1)
      reject(signal!.reason as Error)
    }
    host.queue.push(begin)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

function hasRoom({ underWay, most }: Host): boolean {
  return underWay < Math.floor(most)
}

/** A request that is under way, until it is disposed of. */
function placeAt(host: Host) {
  const entered = performance.now()
  let isIn = true
  const leave = (): void => {
    if (isIn) host.underWay -= 1
    isIn = false
    while (host.queue.length > 0 && hasRoom(host)) host.queue.shift()!()
  }
  const cut = (began: number): void => {
    // What was under way at the last cut says nothing about the time after it.
    if (began < host.cutAt) return
    host.most = Math.max(1, Math.min(host.most, host.underWay) / 2)
    host.cutAt = performance.now()
  }
  return {
    /**
     * An answer came after so many milliseconds; `isWelcome` is false for one that asks to come back later. `kind`: requests that
     * usually take as long as each other.
     */
    answered(kind: string, ms: number, isWelcome: boolean): void {
      const usual = host.usualMs.get(kind)
      const isSlow = usual !== undefined && ms > neverSlowMs && ms > slowFactor * usual
      // A service that becomes slower for good is usual after some hundred answers.
      host.usualMs.set(kind, usual === undefined ? ms : Math.min(ms, usual * 1.02))
      const [oldest] = host.usualMs.keys()
      if (host.usualMs.size > mostKinds) host.usualMs.delete(oldest!)
      if (isSlow || !isWelcome) cut(performance.now() - ms)
      else if (host.queue.length > 0) host.most += 1 / host.most
    },
    /** The service is to be spared, as another connection heard. */
    slowDown: () => cut(entered),
    /** Before the same request goes out again: waits for another place where fewer may be under way by now. */
    async again(signal?: AbortSignal): Promise<void> {
      if (host.underWay <= Math.floor(host.most)) return
      leave()
      await placeIn(host, signal)
      isIn = true
    },
    [Symbol.dispose]: leave,
  }
}
