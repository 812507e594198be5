/** Detects rings that cut land apart by touching each other: they do when their touches close a circle. */

/** Adds a touch; returns true when it closes a circle of rings. */
export type Touches = (one: number, other: number, place: string) => boolean

/** Starts without touches. A touch that was added before closes nothing. */
export function startTouches(): Touches {
  const known = new Set<string>()
  // Rings and places are both nodes, so that three rings at one place are a star, not a circle.
  const parents = new Map<string, string>()
  const rootOf = (node: string): string => {
    let root = node
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
    if (root !== node) parents.set(node, root)
    return root
  }
  const join = (ring: number, place: string): boolean => {
    const link = `${ring} ${place}`
    if (known.has(link)) return false
    known.add(link)
    const [one, other] = [rootOf(String(ring)), rootOf(`at ${place}`)]
    if (one === other) return true
    parents.set(one, other)
    return false
  }
  return (one, other, place) => {
    const closes = join(one, place)
    return join(other, place) || closes
  }
}
