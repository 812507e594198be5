/** Compares texts as people count: 2 before 10. */

export const inNumbers = new Intl.Collator('en', { numeric: true })
