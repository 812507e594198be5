/** Runs work on several items at the same time, up to a limit. */

/** Runs `work` over the items with at most `width` of them under way; the first failure stops the rest from starting. */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>()
  let failure: { readonly cause: unknown } | undefined
  for await (const item of items) {
    if (failure !== undefined) break
    const task = work(item)
      .catch((cause: unknown) => {
        failure ??= { cause }
      })
      .finally(() => underWay.delete(task))
    underWay.add(task)
    if (underWay.size >= width) await Promise.race(underWay)
  }
  await Promise.all(underWay)
  if (failure !== undefined) throw failure.cause
}
