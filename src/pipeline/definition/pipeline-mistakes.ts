/** Collects the mistakes in a pipeline file and reports them with line and column. */

import { basename } from 'node:path'
import { WindrowError } from '../../core/error.ts'
import { withoutSecrets } from '../../core/sources/web-address.ts'
import type { YamlSource } from './yaml-source.ts'

/** One mistake in a pipeline file: where it is, the text there, what is wrong, and what to do. */
export type PipelineFinding = {
  readonly place: string
  readonly line: number
  readonly column: number
  readonly text: string
  readonly message: string
  readonly hint?: string
}

/** Collects findings about one file. */
export type Findings = {
  readonly all: PipelineFinding[]
  add(
    pointer: string,
    said: { readonly message: string; readonly hint?: string; readonly what?: 'name' | 'value' },
  ): void
}

const mostShown = 50

/** Starts with the YAML mistakes. */
export function findingsFor(path: string, source: YamlSource): Findings {
  const file = basename(path)
  const all: PipelineFinding[] = source.faults.map((fault) => ({
    place: `${file}:${fault.line}:${fault.column}`,
    ...fault,
    text: withoutSecrets(fault.text),
  }))
  return {
    all,
    add(pointer, { message, hint, what = 'value' }) {
      const at = source.locate(pointer, what)
      all.push({
        place: `${file}:${at.line}:${at.column}`,
        ...at,
        text: withoutSecrets(at.text),
        message,
        ...(hint === undefined ? {} : { hint }),
      })
    },
  }
}

/** The error that lists all findings, in the order of the file. */
export function pipelineInvalid(path: string, findings: readonly PipelineFinding[]): WindrowError {
  const { count, lines, inOrder } = listOf(findings)
  return new WindrowError('pipeline-invalid', `The pipeline "${basename(path)}" has ${count}.\n${lines}`, {
    hint: `Correct ${inOrder.length === 1 ? 'it' : 'them'}, then check again: windrow check ${basename(path)}`,
    data: { path, findings: inOrder },
  })
}

/** The same for notify.yaml. */
export function notifyInvalid(path: string, findings: readonly PipelineFinding[]): WindrowError {
  const { count, lines, inOrder } = listOf(findings)
  return new WindrowError('notify-invalid', `"${basename(path)}" has ${count}.\n${lines}`, {
    hint: 'docs/running.md shows a complete notify.yaml. Correct the file, then try it: windrow schedule FOLDER --test-notify',
    data: { path, findings: inOrder },
  })
}

/** The same for tenants.yaml. */
export function tenantsInvalid(path: string, findings: readonly PipelineFinding[]): WindrowError {
  const { count, lines, inOrder } = listOf(findings)
  return new WindrowError('tenants-invalid', `"${basename(path)}" has ${count}.\n${lines}`, {
    hint: 'docs/scaling.md shows a complete tenants.yaml. Correct the file, then check it: windrow check tenants.yaml',
    data: { path, findings: inOrder },
  })
}

function listOf(findings: readonly PipelineFinding[]) {
  const inOrder = findings.toSorted((left, right) => left.line - right.line || left.column - right.column)
  const lines = inOrder
    .slice(0, mostShown)
    .map(({ place, text, message, hint }) =>
      [
        `  ${place}  ${message}`,
        ...(text === '' ? [] : [`      ${text}`]),
        ...(hint === undefined ? [] : [`      ${hint}`]),
      ].join('\n'),
    )
  if (inOrder.length > mostShown) lines.push(`  and ${inOrder.length - mostShown} more`)
  return { inOrder, lines: lines.join('\n'), count: inOrder.length === 1 ? 'a mistake' : `${inOrder.length} mistakes` }
}
