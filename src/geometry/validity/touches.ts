/** Hides when rings that touch each other at points cut the land inside apart: as soon as they close a circle. */

/** Tells of one touch after another; the answer is true when this one closes a circle of rings. */
export type Touches = (one: number, other: number, place: string) => boolean

/** Starts with no ring touching another. A touch that was told before closes nothing. */
export function startTouches(): Touches {
  const known = new Set<string>()
  // Rings and places are both nodes, so that three rings at one place are a star and no circle.
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
