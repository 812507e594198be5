/** Writes in a hint what a person types in a shell. */

/** A word as a shell takes it. PowerShell makes a list of a,b; Windows takes \" at the end of a folder for a quote inside the word. */
export function quoted(word: string): string {
  return /^[\p{L}\p{M}\p{N}_.:/\\=%+-]+$/u.test(word) ? word : `"${word.replace(/(?<!:)\\+$/, '')}"`
}
