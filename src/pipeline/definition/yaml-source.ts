/**
 * Reads YAML into plain values and finds the place of each in the text. Numbers keep their spelling: 007 stays "007",
 * because in a farm's file it is a paddock and not the number seven.
 */

import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import type { Document, LineCounter, Scalar } from 'yaml'
import { once } from '../../core/once.ts'
import { pointerPart } from '../../resources/wording.ts'

/** A mistake in the text, counted in lines and columns from 1; `text` is an excerpt. */
export type TextFault = {
  readonly line: number
  readonly column: number
  readonly text: string
  readonly message: string
  readonly hint?: string | undefined
}

/** A YAML text. `locate` finds a value, or its name, by JSON pointer; failing that, the nearest one around it. */
export type YamlSource = {
  readonly value: unknown
  readonly faults: readonly TextFault[]
  locate(pointer: string, what: 'name' | 'value'): Pick<TextFault, 'line' | 'column' | 'text'>
}

/** Lines of the form name: value. */
export type Group = Readonly<Record<string, unknown>>

// A pipeline has a few kilobytes; these limits stop a hostile file from taking long.
const mostCharacters = 256 * 1024
const mostValues = 20_000
const deepest = 40
const mostFaults = 50
const nestedTooDeeply = 'The brackets are nested too deeply to be read.'

type Span = { readonly start: number; readonly end: number }
type Walk = {
  readonly document: Document
  readonly names: Map<string, Span>
  readonly values: Map<string, Span>
  count: number
  fault(at: number, said: { readonly message: string; readonly hint?: string }): void
}

// Loaded only when needed: the library comes in 72 files, and an import without a pipeline has no YAML.
const library = once(() => createRequire(import.meta.url)('yaml') as typeof Yaml)

/** Reads YAML 1.2; reports faults and does not throw for any text. */
export function readYaml(text: string): YamlSource {
  const lines = new (library().LineCounter)()
  const faults: TextFault[] = []
  const place = (start: number, end: number): Pick<TextFault, 'line' | 'column' | 'text'> => {
    const { line, col } = lines.linePos(Math.min(start, text.length))
    return { line: Math.max(1, line), column: Math.max(1, col), text: excerpt(text, start, end) }
  }
  const faultAt: Walk['fault'] = (at, said) => {
    if (faults.length < mostFaults) faults.push({ ...place(at, text.length), ...said })
  }
  const names = new Map<string, Span>()
  const values = new Map<string, Span>()
  const locate: YamlSource['locate'] = (pointer, what) => {
    for (let near = pointer; ; near = near.slice(0, Math.max(0, near.lastIndexOf('/')))) {
      const span = what === 'name' || near !== pointer ? (names.get(near) ?? values.get(near)) : values.get(near)
      if (span !== undefined) return place(span.start, span.end)
      if (near === '') return place(0, 0)
    }
  }
  if (text.length > mostCharacters) {
    lines.addNewLine(0)
    const message = `The file has ${text.length} characters; a pipeline has at most ${mostCharacters}.`
    return { value: undefined, faults: [{ line: 1, column: 1, text: '', message }], locate }
  }
  const document = parse(text, lines)
  if (document === undefined) {
    faults.push({ line: 1, column: 1, text: '', message: nestedTooDeeply })
    return { value: undefined, faults, locate }
  }
  const troubles = [...document.errors, ...document.warnings]
  const tooDeep = troubles.find(({ message }) => message.includes('call stack'))
  if (tooDeep !== undefined) faultAt(tooDeep.pos[0], { message: nestedTooDeeply })
  else
    for (const { code, pos, message } of troubles.slice(0, 20))
      faultAt(pos[0], yamlErrorText(code, message, text.slice(pos[0], pos[0] + 1)))
  const walk: Walk = { document, names, values, count: 0, fault: faultAt }
  const value = faults.length > 0 ? undefined : valueOf(document.contents, '', [], walk)
  return { value, faults, locate }
}

function parse(text: string, lineCounter: LineCounter): Document | undefined {
  try {
    // mapOf checks for repeated keys: the parser compares each with each, which takes minutes for a hostile file.
    return library().parseDocument(text, { lineCounter, uniqueKeys: false, prettyErrors: false, version: '1.2' })
  } catch (cause) {
    if (cause instanceof RangeError) return undefined
    throw cause
  }
}

function excerpt(text: string, start: number, end: number): string {
  const line = text.slice(start, end).split(/[\r\n]/, 1)[0] ?? ''
  return line.length > 60 ? `${line.slice(0, 57)}...` : line
}

/** What is wrong with a path such as "C:\new.csv", in which \n is a line break. */
export const escapeFault = {
  message: 'A backslash in double quotes starts a special character.',
  hint: 'Write a path with forward slashes, or put it in single quotes.',
} as const

const yamlErrors: Readonly<Record<string, { readonly message: string; readonly hint?: string }>> = {
  TAB_AS_INDENT: { message: 'This line is indented with a tab.', hint: 'Indent with spaces, two for each level.' },
  BAD_DQ_ESCAPE: escapeFault,
  MULTIPLE_DOCS: {
    message: 'The file contains more than one document.',
    hint: 'Keep one pipeline per file; remove "---".',
  },
  BAD_INDENT: {
    message: 'This line is not indented like its neighbours.',
    hint: 'Indent with spaces, all lines by the same amount.',
  },
  BAD_ALIAS: { message: 'This name (*…) refers to nothing.', hint: 'Put text that starts with * in quotes.' },
  BAD_SCALAR_START: { message: 'A text cannot begin with this character.', hint: 'Put the text in quotes.' },
  MISSING_CHAR: { message: 'A quote, bracket or colon is missing here or earlier.', hint: 'Close what was opened.' },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'This line has a second ": ".',
    hint: 'Put text that contains ": " in quotes, and indent all neighbours alike.',
  },
  MULTILINE_IMPLICIT_KEY: { message: 'A colon is missing after this name.', hint: 'Write name: value.' },
}

function yamlErrorText(code: string, message: string, rest: string) {
  if (rest.startsWith('\t')) return yamlErrors['TAB_AS_INDENT'] ?? { message }
  return yamlErrors[code] ?? { message: `This is not YAML: ${message}${message.endsWith('.') ? '' : '.'}` }
}

function valueOf(node: unknown, pointer: string, within: readonly unknown[], walk: Walk): unknown {
  const span = spanOf(node)
  if (span !== undefined && !walk.values.has(pointer)) walk.values.set(pointer, span)
  const refuse = (message: string): void => walk.fault(span?.start ?? 0, { message })
  walk.count++
  if (walk.count > mostValues + 1) return undefined
  if (walk.count > mostValues) return refuse(`The file has more than ${mostValues} values, counting repetitions.`)
  if (within.length > deepest) return refuse(`The file is nested more than ${deepest} deep.`)
  const { isAlias, isMap, isScalar, isSeq } = library()
  if (isScalar(node)) return scalarOf(node)
  if (isAlias(node)) {
    const meant = node.resolve(walk.document)
    if (meant === undefined || within.includes(meant))
      return refuse(`"*${node.source}" refers to itself or to nothing.`)
    return valueOf(meant, pointer, within, walk)
  }
  if (isSeq(node)) return node.items.map((item, index) => valueOf(item, `${pointer}/${index}`, [...within, node], walk))
  return isMap(node) ? mapOf(node, pointer, within, walk) : null
}

function mapOf(
  node: { readonly items: readonly { readonly key: unknown; readonly value: unknown }[] },
  pointer: string,
  within: readonly unknown[],
  walk: Walk,
): unknown {
  const made = new Map<string, unknown>()
  for (const { key, value } of node.items) {
    const span = spanOf(key)
    const name = library().isScalar(key) ? nameOf(key) : undefined
    if (name === undefined) {
      walk.fault(span?.start ?? 0, { message: 'The name before the colon is missing or is not plain text.' })
      continue
    }
    const inner = `${pointer}/${pointerPart(name)}`
    if (made.has(name)) {
      walk.fault(span?.start ?? 0, { message: `"${name}" appears twice.`, hint: 'Keep one of the two.' })
      continue
    }
    if (span !== undefined) walk.names.set(inner, span)
    made.set(name, valueOf(value, inner, [...within, node], walk))
    if (walk.count > mostValues) break
  }
  // fromEntries defines its members, so a name such as __proto__ is only a name.
  return Object.fromEntries(made)
}

function nameOf(key: Scalar): string | undefined {
  if (typeof key.value === 'string') return key.value
  return key.value === null && (key.source ?? '') === '' ? undefined : (key.source ?? undefined)
}

function scalarOf(scalar: Scalar): unknown {
  const { value, source } = scalar
  if (typeof value === 'number') return source === undefined || String(value) === source ? value : source
  return typeof value === 'string' || typeof value === 'boolean' ? value : null
}

function spanOf(node: unknown): Span | undefined {
  const range = (node as { readonly range?: readonly [number, number, number] | null } | null | undefined)?.range
  return range === undefined || range === null ? undefined : { start: range[0], end: range[1] }
}
