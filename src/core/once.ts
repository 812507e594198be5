/** Makes the thing when it is first needed, and keeps it. */
export function once<Made>(make: () => Made): () => Made {
  let made: { readonly it: Made } | undefined
  return () => (made ??= { it: make() }).it
}
