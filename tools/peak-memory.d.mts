/** The most memory this process has had, in kB. */
export function peakKB(): number
