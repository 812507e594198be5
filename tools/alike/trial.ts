/** Describes what both builds are tried with, and the two ways in which people work: files by hand, and nights. */

import type { Paddock, Point } from './farm.ts'

/** Contents by the path of the file. */
export type Files = Readonly<Record<string, string | Uint8Array>>

export type Step = {
  /** The name of this run, such as dry, sent, again, night 2. */
  readonly run: string
  /** The files that come before it. */
  readonly put?: Files
  /** What the person corrects before it in a file of the last run's folder. */
  readonly correct?: { readonly file: string; readonly how: (text: string) => string }
  /** What the person types; "{last run}" stands for the last run's name. */
  readonly words: readonly string[]
}

/** The runs that one person makes with files in a folder of their own. */
export type Trial = { readonly name: string; readonly steps: readonly Step[] }

/** A farm that the service knows, and a second one of the same owner, whose number ends with B. */
export type Farm = { readonly number: string; readonly at: Point; readonly paddocks: readonly Paddock[] }

export type Harm = (farm: Farm) => readonly Step[]

export const scheme = 'nz.example.farm-number'
export const offline = ['--dry-run', '--connection', 'none'] as const

/** What a person types, of a text without quotes; a list where a word has spaces. */
export type Typed = string | readonly string[]

function wordsOf(typed: Typed): readonly string[] {
  return typeof typed === 'string' ? typed.split(' ').filter(Boolean) : typed
}

/** The farm's paddocks from the first of these files, or from the one that is named: dry, sent, and sent again. */
export function imports({ number }: Farm, put: Files, typed: Typed = '', file?: string): readonly Step[] {
  return typedImports(put, ['--to', 'plots', '--holding', `${scheme}:${number}`, ...wordsOf(typed)], file)
}

/** The same for one file, made of the farm. */
export const oneFile =
  (name: string, how: (farm: Farm) => string | Uint8Array, typed: Typed = '--key ID'): Harm =>
  (farm) =>
    imports(farm, { [name]: how(farm) }, typed)

/** The same with all words as typed. */
export function typedImports(put: Files, typed: Typed, file = Object.keys(put)[0]!): readonly Step[] {
  const words = ['import', file, ...wordsOf(typed)]
  return [
    { run: 'dry', put, words: [...words, ...offline] },
    { run: 'sent', words },
    { run: 'again', words },
  ]
}

/** One import after another, each of its own file. */
export function inTurn({ number }: Farm, ...each: readonly (readonly [Files, Typed])[]): readonly Step[] {
  return each.map(([put, typed], index) => ({
    run: `file ${index + 1}`,
    put,
    words: ['import', Object.keys(put)[0]!, '--to', 'plots', '--holding', `${scheme}:${number}`, ...wordsOf(typed)],
  }))
}

/** A pipeline that runs each night with that night's file. */
export function nights(pipeline: string, ...files: readonly (string | Uint8Array)[]): readonly Step[] {
  const name = /file: ([^,\s}]+)/.exec(pipeline)![1]!
  return files.map((content, index) => ({
    run: `night ${index + 1}`,
    put: { [name]: content, 'night.yaml': pipeline },
    words: ['run', 'night.yaml'],
  }))
}

/** The pipeline of an office's nightly file, with what else its lines say. */
export function nightly({ number }: Farm, more = ''): string {
  return `windrow: 1
import: plots
from: { file: nightly.csv }
holding: { scheme: ${scheme}, id: "${number}" }
key: <ID>
record: { name: <Name>, totalArea: { from: Area (ha), unit: ha }, crops: [{ name: <Crop>, establishmentDate: { from: Sown, date: yyyy-MM-dd, zone: Pacific/Auckland } }] }
${more}
`
}
