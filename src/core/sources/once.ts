/** Hides when something is made that takes time to make: when it is first asked for, which many starts never do. */

/** Makes the thing when it is first asked for, and keeps it. */
export function once<Made>(make: () => Made): () => Made {
  let made: { readonly it: Made } | undefined
  return () => (made ??= { it: make() }).it
}
