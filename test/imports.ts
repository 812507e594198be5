/** Finds the imports of a source file without a compiler. */

import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The repository's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** One file of the repository: its path with forward slashes, its text, and the specifiers it imports. */
export type SourceFile = { readonly path: string; readonly text: string; readonly imports: readonly string[] }

/** Reads every file below the folder whose name ends in one of the endings. */
export function readSourceFiles(folder: string, endings: readonly string[]): readonly SourceFile[] {
  return globSync(`${folder}/**/*`, { cwd: root, withFileTypes: true, exclude: ['**/node_modules/**'] })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll('\\', '/'))
    .map((path) => {
      const text = readFileSync(path, 'utf8')
      return { path: path.slice(root.length), text, imports: importsOf(text) }
    })
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

/** The specifiers of all imports, re-exports and dynamic imports; a dynamic import of something computed gives "?". */
export function importsOf(text: string): readonly string[] {
  const { code, texts } = withoutCommentsAndTexts(text)
  const found: string[] = []
  const literal = /\0(\d+)\0/.source
  const patterns = [
    new RegExp(`\\b(?:import|export)\\b(?:[\\s\\w*{},$]*?\\bfrom)?\\s*${literal}`, 'g'),
    new RegExp(`\\bimport\\s*\\(\\s*(?:${literal})?`, 'g'),
  ]
  for (const pattern of patterns)
    for (const [, index] of code.matchAll(pattern)) found.push(index === undefined ? '?' : texts[Number(index)]!)
  return found
}

/** The package that a specifier names: "@turf/union" of "@turf/union/x"; undefined for files and Node's own modules. */
export function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:') || specifier === '?') return undefined
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Replaces each quoted text by a numbered mark, so that words in texts and comments are not imports. */
function withoutCommentsAndTexts(text: string): { readonly code: string; readonly texts: readonly string[] } {
  const texts: string[] = []
  let code = ''
  let at = 0
  while (at < text.length) {
    const token = tokenAt(text, at, code)
    if (token === undefined) {
      upToMark.lastIndex = at
      const [passed] = upToMark.exec(text)!
      code += passed
      at += passed.length
      continue
    }
    if (token.kind === 'text') {
      code += `\0${texts.length}\0`
      texts.push(text.slice(at + 1, token.end - 1))
    } else code += ' '
    at = token.end
  }
  return { code, texts }
}

/** One character, and those after it that begin neither a comment nor a text. */
const upToMark = /[^][^#/"'`]*/y

type Token = { readonly kind: 'text' | 'space'; readonly end: number }

function tokenAt(text: string, at: number, before: string): Token | undefined {
  const two = text.slice(at, at + 2)
  if (two === '//' || text.startsWith('#!', at)) return { kind: 'space', end: endOf(text, '\n', at) }
  if (two === '/*') return { kind: 'space', end: endOf(text, '*/', at + 2) }
  const mark = text[at]!
  if (mark === '"' || mark === "'") return { kind: 'text', end: closing(text, at, mark) }
  // An import inside a template with ${...} is not searched for: such templates are rare here.
  if (mark === '`') return { kind: 'text', end: closing(text, at, mark) }
  // A slash after an operator starts a regular expression, after a value it divides.
  if (mark === '/' && /(^|[(,=:[!&|?{};+\n]|\breturn)\s*$/.test(before.slice(-12))) {
    const end = regularExpressionEnd(text, at)
    return end === undefined ? undefined : { kind: 'space', end }
  }
  return undefined
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found === -1 ? text.length : found + mark.length
}

function closing(text: string, at: number, mark: string): number {
  for (let next = at + 1; next < text.length; next += 1) {
    if (text[next] === '\\') next += 1
    else if (text[next] === mark) return next + 1
  }
  return text.length
}

function regularExpressionEnd(text: string, at: number): number | undefined {
  let inClass = false
  for (let next = at + 1; next < text.length && text[next] !== '\n'; next += 1) {
    if (text[next] === '\\') next += 1
    else if (text[next] === '[') inClass = true
    else if (text[next] === ']') inClass = false
    else if (text[next] === '/' && !inClass) return next + 1
  }
  return undefined
}
