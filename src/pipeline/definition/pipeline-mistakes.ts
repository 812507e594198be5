/** Collects the mistakes in a pipeline file and reports them with line and column. */

import { basename } from 'node:path'
import { WindrowError } from '../../core/error.ts'
import { withoutSecrets } from '../../core/sources/web-address.ts'
import type { Setting } from './settings.ts'
import type { TextFault, YamlSource } from './yaml-source.ts'

/** One mistake in a file, and where it is: FILE:LINE:COLUMN. */
export type PipelineFinding = TextFault & { readonly place: string }

/** The findings about one file. */
export type Findings = ReturnType<typeof findingsFor>

/** What is wrong; `what` is the part of a line that is: its name, or by default its value. */
type Said = { readonly message: string; readonly hint?: string | undefined; readonly what?: 'name' | 'value' }

const mostShown = 50

/** Starts with what is no YAML. The place of what is not in the text, but given by a program or a command line, is its key. */
export function findingsFor(path: string, source?: YamlSource, set: readonly Setting[] = []) {
  const file = basename(path)
  const placed = (fault: TextFault): PipelineFinding => ({
    place: `${file}:${fault.line}:${fault.column}`,
    ...fault,
    text: withoutSecrets(fault.text),
  })
  const all = source?.faults.map(placed) ?? []
  return {
    all,
    add(pointer: string, { message, hint, what = 'value' }: Said) {
      const key = keyAt(pointer)
      const isSet = set.some(([names]) => `${key}.`.startsWith(`${names.join('.')}.`))
      if (source === undefined || isSet) all.push({ place: key, line: 0, column: 0, text: '', message, hint })
      else all.push(placed({ ...source.locate(pointer, what), message, hint }))
    },
  }
}

/** A place in a pipeline as the key of a setting: /geometry/repair is geometry.repair. */
function keyAt(pointer: string): string {
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
}

/** The files that a person writes: how each is named in a sentence, and what to do after correcting it. */
const files = {
  'pipeline-invalid': {
    called: (file: string) => `The pipeline "${file}"`,
    hint: (it: string) => `Correct ${it}, then check the file again with windrow check.`,
  },
  'option-invalid': {
    called: (file: string) => file,
    hint: () => 'docs/pipelines.md lists the keys of a pipeline.',
  },
  'notify-invalid': {
    called: (file: string) => `"${file}"`,
    hint: () =>
      'docs/running.md shows a complete notify.yaml. Correct the file, then try it: windrow schedule FOLDER --test-notify',
  },
} as const

/** The error that lists all findings about a file, in their order. */
export function fileInvalid(code: keyof typeof files, path: string, findings: readonly PipelineFinding[]) {
  const file = basename(path)
  const { called, hint } = files[code]
  const inOrder = findings.toSorted((left, right) => left.line - right.line || left.column - right.column)
  const lines = inOrder
    .slice(0, mostShown)
    .map(({ place, text, message, hint: what }) =>
      [
        `  ${place}  ${message}`,
        ...(text === '' ? [] : [`      ${text}`]),
        ...(what === undefined ? [] : [`      ${what}`]),
      ].join('\n'),
    )
  if (inOrder.length > mostShown) lines.push(`  and ${inOrder.length - mostShown} more`)
  const [count, it] = inOrder.length === 1 ? ['a mistake', 'it'] : [`${inOrder.length} mistakes`, 'them']
  return new WindrowError(code, `${called(file)} has ${count}.\n${lines.join('\n')}`, {
    hint: hint(it),
    data: { path, findings: inOrder },
  })
}
