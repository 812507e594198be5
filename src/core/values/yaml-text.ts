/** Writes values as YAML on one line, so that readYaml returns exactly the same. */

import type { Other } from '../row.ts'

// Text that is safe without quotes, in brackets too: no digit first, no YAML syntax.
const plainText =
  /^(?:[\p{L}_<.]|\d{1,4}\/\d{1,2}\/\d{1,4}$)(?:[\p{L}\p{M}\p{N}_.<>/%()+'-]|:(?=[\p{L}\p{N}])| (?=[\p{L}\p{N}_<(%]))*$/u
const words = /^(?:true|false|null|yes|no|on|off|y|n|\.inf|\.nan)$/i

/** The value on one line; text is quoted only if needed. */
export function yamlInline(value: unknown): string {
  if (typeof value === 'string') return plainText.test(value) && !words.test(value) ? value : JSON.stringify(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : JSON.stringify(String(value))
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `[${value.map(yamlInline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return 'null'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  if (members.length === 0) return '{}'
  return `{ ${members.map(([name, member]) => `${yamlInline(name)}: ${yamlInline(member)}`).join(', ')} }`
}

/** What else a setting could be: its value, and what speaks for it. */
export function otherText({ value, evidence }: Other): string {
  const text = value === '\t' ? 'tab' : yamlInline(value)
  return evidence === '' ? text : `${text} (${evidence})`
}

// Room for the longest sentence about a file.
const longestComment = 240

/** Text as a comment on one line, cut to a readable length. */
export function yamlComment(text: string): string {
  const line = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return `# ${line.length > longestComment ? `${line.slice(0, longestComment - 3).toWellFormed()}...` : line}`
}
