/** Runs work on several items at the same time, up to a limit. */

/**
 * Runs `work` over the items with at most `width` of them under way, and makes the next item meanwhile; the first failure stops the
 * rest from starting.
 */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>()
  let failure: { readonly cause: unknown } | undefined
  const fail = (cause: unknown): void => void (failure ??= { cause })
  try {
    for await (const item of items) {
      if (underWay.size >= width) await Promise.race(underWay)
      if (failure !== undefined) break
      const task = work(item)
        .catch(fail)
        .finally(() => underWay.delete(task))
      underWay.add(task)
    }
  } catch (cause) {
    fail(cause)
  }
  await Promise.all(underWay)
  if (failure !== undefined) throw failure.cause
}
