/** Finds names that were damaged in another program: K?nuka or Kanuka for Kānuka, TÅ«Ä« for Tūī, Tom &amp; Co for Tom & Co, 1-Mar for 1-3. */

import {
  asTextHint,
  isDayOrTime,
  isPerhapsMadeDay,
  textsBehindDay,
  withoutZerosAndSlashes,
} from '../../core/values/made-days.ts'
import { problem, type Problem } from '../../core/problem.ts'
import { decodedTwice, isPerhapsDecodedTwice } from '../../core/sources/text.ts'
import type { Place, Row } from '../../core/row.ts'
import { holdsNames } from '../../mapping/header-words.ts'
import { entriesIn, type Group } from '../../resources/groups.ts'
import { lacksOnlyLetters, textsBehindLetters, webLetter } from './letters-behind.ts'

const lostInName = /\p{L}\?\p{L}/u
const hint = 'Export the file again as UTF-8 from a program that can write all letters, or correct the cell.'
const webHint = 'Export the file again in another way, such as to Excel, or correct the cell.'

/** `id` is that of the row, `reported` what the reader of the file has said of it. */
type Written = {
  readonly previous: Group | undefined
  readonly id: string | undefined
  readonly written: string
  readonly at: Place
  readonly reported?: readonly Problem[] | undefined
}

/**
 * Warns of lost letters in the names of a record, of which `written` is the text that will be sent. It is an error if a text would
 * change only by lost letters, because the good name would be overwritten. A name that only loses macrons or accents is a warning,
 * because somebody may have meant it.
 */
export function lostLettersIn(record: Group, { previous, id, written, at, reported = [] }: Written) {
  const names = { now: record['name'], before: previous?.['name'], at }
  const cropsBefore = entriesIn(previous ?? {}, 'crops')
  const found = [
    ...(previous === undefined && id !== undefined && isPerhapsMadeDay(id) ? [perhapsDay(id, at)] : []),
    ...bareName(names),
    ...madeDayOrTime(names, '/name'),
    ...entriesIn(record, 'crops').flatMap(({ name }, index) =>
      madeDayOrTime({ now: name, before: cropsBefore[index]?.['name'], at }, `/crops/${index}/name`),
    ),
  ]
  const mayReplace = previous !== undefined && /[^\x00-\x7f]/.test(written)
  if (!mayReplace && !written.includes('?') && !isPerhapsDecodedTwice(written) && !written.includes('&')) return found
  const look = (now: unknown, before: unknown, path: string): void => {
    if (typeof now === 'object' && now !== null)
      for (const [name, value] of Object.entries(now))
        look(value, (before as Record<string, unknown> | null | undefined)?.[name], `${path}/${name}`)
    else if (typeof now === 'string' && now !== before) {
      const add = (message: string, more: { severity?: 'error'; hint?: string } = {}): void =>
        void found.push(problem('encoding-doubtful', at, { path, value: now, message, hint, ...more }))
      const isName = path.endsWith('/name')
      const isSaid = reported.some(({ code, value }) => code === 'encoding-doubtful' && value === now)
      const meant = decodedTwice(now)
      if (typeof before === 'string' && textsBehindLetters(now).includes(before.normalize('NFC')))
        add(`"${now}" would replace "${before}": a program wrote its letters in another encoding.`, {
          severity: 'error',
        })
      else if (meant !== undefined) {
        if (isName && !isSaid) add(`"${now}" looks encoded twice; it may have been "${meant}".`)
      } else if (webLetter.test(now)) {
        const letter = webLetter.exec(now)![0]
        if (isName && !isSaid) add(`"${now}" has a letter as web pages write it: ${letter}.`, { hint: webHint })
      } else if (typeof before === 'string' && now.includes('?') && lacksOnlyLetters(now, before))
        add(`"${now}" would replace "${before}": the letters shown as "?" are lost in the file.`, { severity: 'error' })
      else if (isName && lostInName.test(now)) add(letterLostIn(now))
    }
  }
  look(record, previous, '')
  return found
}

/** Warns of lost letters in the columns of a row whose headers look like names. */
export function lostLettersOf({ values, at }: Row): readonly Problem[] {
  return Object.entries(values).flatMap(([column, text]) =>
    typeof text === 'string' && lostInName.test(text) && holdsNames(column)
      ? [problem('encoding-doubtful', at, { column, value: text, message: letterLostIn(text), hint })]
      : [],
  )
}

function letterLostIn(text: string): string {
  return `"${text}" has a question mark inside a word: a letter may have been lost before the file was made.`
}

type Names = { readonly now: unknown; readonly before: unknown; readonly at: Place }

/** Rejects a new name, of a record or a crop, that a spreadsheet program made a day or a time. */
function madeDayOrTime({ now, before, at }: Names, path: string): readonly Problem[] {
  if (typeof now !== 'string' || now === before) return []
  const isOf = typeof before === 'string' && textsBehindDay(now).includes(withoutZerosAndSlashes(before))
  if (!isOf && !isDayOrTime(now)) return isPerhapsMadeDay(now) ? [perhapsDay(now, at, path)] : []
  const message = isOf
    ? `"${now}" would replace "${before}": a spreadsheet program made a day of the name.`
    : `The name${path === '/name' ? '' : ' of the crop'} is a day or a time. A spreadsheet program may have made it of a text such as 1-3 or 5 A.`
  return [problem('date-as-name', at, { path, value: now, message, hint: asTextHint })]
}

function perhapsDay(value: string, at: Place, path?: string): Problem {
  const message = `A spreadsheet program may have made "${value}" of a text such as ${textsBehindDay(value)[0]!}.`
  return problem('date-as-name', at, { severity: 'warning', path, value, message, hint: asTextHint })
}

/** Warns of a record's name that differs only by macrons and accents that are gone, and perhaps by capitals. */
function bareName({ now, before, at }: Names): readonly Problem[] {
  if (typeof now !== 'string' || typeof before !== 'string' || now === before) return []
  const [marked, bare] = [before.normalize('NFD'), now.normalize('NFD')]
  const letters = (name: string): string => name.replaceAll(/\p{M}/gu, '').toLowerCase()
  if (marked.length <= bare.length || letters(marked) !== letters(bare)) return []
  const message = `"${now}" replaces "${before}": the macrons or accents are lost.`
  return [problem('name-without-marks', at, { path: '/name', value: now, message, hint })]
}
