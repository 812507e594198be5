/** Judges the letters of texts: lost ones, spoilt ones, those of another encoding, and names of which a program made days. */

import {
  bytesByLetter,
  hasLostLetters,
  isSpoiltFrom,
  lacksOnlyLetters,
  readAsUtf8,
  spoiltLetters,
  type Spoilt,
} from '../core/letters.ts'
import type { Row } from '../core/row.ts'
import type { Rule } from '../core/rule.ts'
import {
  asTextHint,
  isDayOrTime,
  isPerhapsMadeDay,
  textsBehindDay,
  withoutZerosAndSlashes,
} from '../core/values/made-days.ts'
import { withoutMarks } from '../core/values/plain-words.ts'
import { plural } from '../core/values/plural.ts'

const exportAgain = 'Export the file again as UTF-8 from a program that can write all letters, or correct the cell.'

/** A cell of a column that a record takes its values from; `encoding` is the one in which the file was read, if it has several. */
export type TextCell = {
  readonly column: string
  readonly value: string
  readonly encoding: string | undefined
}

export const lettersLost: Rule<TextCell, TextCell> = {
  id: 'letters-lost',
  about: 'row',
  usual: 'reject',
  why: 'Letters of a cell were lost: the file has another text encoding. Letters such as ā or é cannot be decoded, because the file has another text encoding than the one in which it was read. windrow does not publish a name with lost letters, so the row is rejected if its column is used. Set the right from.encoding, or export the file again as UTF-8.',
  find: (cell) => (hasLostLetters(cell.value) ? cell : undefined),
  says: ({ column, value, encoding }) => ({
    column,
    value,
    message: 'Letters of this cell were lost: the file has another text encoding.',
    hint: 'Export the file again as UTF-8 from the program that made it (in Excel: CSV UTF-8).',
    // Text that is neither UTF-8 nor Windows-1252 may be of many kinds, and some formats have only one encoding.
    setting:
      encoding !== undefined && value.includes('\ufffd')
        ? `from.encoding: ${encoding === 'utf-8' ? 'windows-1252' : 'utf-8'}, or the right one`
        : undefined,
  }),
}

/** A word that is not one of those that a filter asks for. */
export type MissedWord = { readonly column: string; readonly value: string; readonly oneOf: readonly string[] }
type SpoiltWord = { readonly column: string; readonly value: string; readonly meant: string }

export const wordSpoilt: Rule<readonly MissedWord[], SpoiltWord> = {
  id: 'word-spoilt',
  about: 'row',
  usual: 'reject',
  why: 'A word that "only" of the pipeline asks for came with spoilt letters. The pipeline takes only some rows, and would leave this one out only because a word came with spoilt letters, such as Gr?nland for Grünland. Its record would count as gone, and might be deleted, so the row is rejected. Export the file again as UTF-8, or correct the cell. If the word is right, write it under only, too.',
  find(missed) {
    const spoilt = missed.flatMap(({ column, value, oneOf }) => {
      const meant = oneOf.find((each) => isSpoiltFrom(value, each))
      return meant === undefined ? [] : { column, value, meant }
    })
    return spoilt.length === missed.length ? spoilt[0] : undefined
  },
  says: ({ column, value, meant }) => ({
    column,
    value,
    message: `"${value}" seems to be "${meant}", which the pipeline's "only" asks for, with letters in another encoding.`,
    hint: exportAgain,
  }),
}

/** A text that a row gives to a record in place of another one, or of none. Without a path it is the id of a new record. */
export type NewText = {
  readonly path?: string | undefined
  readonly now: string
  readonly before?: string | undefined
  /** Whether the reader of the file reported its letters. */
  readonly isReported: boolean
}

function isName({ path }: NewText): boolean {
  return path !== undefined && path.endsWith('/name')
}

/** A spreadsheet may have made a day of the name of a record or of a crop. */
function mayBeMade({ path }: NewText): boolean {
  return path === '/name' || (path !== undefined && /^\/crops\/\d+\/name$/.test(path))
}

const lettersSpoilt: Rule<NewText, NewText> = {
  id: 'letters-spoilt',
  about: 'record',
  usual: 'reject',
  why: 'A good text would be replaced by the same text with spoilt letters. The record has a text, and the row has the same text with spoilt letters: lost before the file was made (Tau?a), encoded twice, in another encoding, or written as in web pages (&amp;). windrow does not publish a damaged name over a good one, so the row is rejected. Export the file again as UTF-8, or correct the cell.',
  find: (text) => (text.before !== undefined && isSpoiltFrom(text.now, text.before) ? text : undefined),
  says: ({ path, now, before = '' }) => ({
    path,
    value: now,
    message: `"${now}" would replace "${before}": ${
      lacksOnlyLetters(now, before)
        ? 'the letters shown as "?" are lost in the file.'
        : 'a program wrote its letters in another encoding.'
    }`,
    hint: exportAgain,
  }),
}

const lettersDoubtful: Rule<NewText, NewText & { readonly spoilt: Spoilt | { readonly how: 'without marks' } }> = {
  id: 'letters-doubtful',
  about: 'record',
  usual: 'warn',
  why: 'The letters of a name look spoilt before this file was made, or it loses the macrons or accents that the record has. A name has a question mark inside a word (Tau?a), looks encoded twice, or has letters as in web pages (&amp;), or the record has a name such as Rāhui, and the file the same name without macrons or accents, perhaps in capitals. Somebody may have meant it, so windrow publishes the name as it is. If it is wrong, export the file again as UTF-8, or correct the cell.',
  find(text) {
    const { now, before } = text
    if (!isName(text) || (before !== undefined && isSpoiltFrom(now, before))) return undefined
    if (losesMarks(text)) return { ...text, spoilt: { how: 'without marks' } }
    const spoilt = spoiltLetters(now)
    const isSaid = text.isReported && spoilt?.how !== 'question mark in a word'
    return spoilt === undefined || spoilt.how === 'lost' || isSaid ? undefined : { ...text, spoilt }
  },
  says({ path, now, before = '', spoilt }) {
    const about = { path, value: now, hint: exportAgain }
    if (spoilt.how === 'without marks')
      return { ...about, message: `"${now}" replaces "${before}": the macrons or accents are lost.` }
    if (spoilt.how === 'encoded twice')
      return { ...about, message: `"${now}" looks encoded twice; it may have been "${spoilt.meant}".` }
    if (spoilt.how === 'as in a web page')
      return {
        ...about,
        message: `"${now}" has a letter as web pages write it: ${spoilt.letter}.`,
        hint: 'Export the file again in another way, such as to Excel, or correct the cell.',
      }
    const message = `"${now}" has a question mark inside a word: a letter may have been lost before the file was made.`
    return { ...about, message }
  },
}

function losesMarks({ path, now, before }: NewText): boolean {
  if (path !== '/name' || before === undefined) return false
  const hasFewer = before.normalize('NFD').length > now.normalize('NFD').length
  return hasFewer && withoutMarks(before).toLowerCase() === withoutMarks(now).toLowerCase()
}

const dateAsName: Rule<NewText, NewText> = {
  id: 'date-as-name',
  about: 'record',
  usual: 'reject',
  why: 'A name or a crop is a day or a time, which a spreadsheet program may have made of a text such as 1-3 or 5 A. The name or crop of the row is a day such as 2026-03-01, or a time such as 05:00:00. Spreadsheet programs make days of texts such as 1-3, and times of 5 A, when they are typed or when a CSV file is opened, and the text is lost. Published, a paddock would have a day as its name, so the row is rejected. Format the column as text, and write the names again. If a cell really means something else each time, let the pipeline say so: words: { "2026-03-01": "1-3" }, otherwise: keep.',
  find: (text) => (mayBeMade(text) && isMadeDay(text) ? text : undefined),
  says: ({ path, now, before = '' }) => ({
    path,
    value: now,
    message: isDayOrTime(now)
      ? `The name${path === '/name' ? '' : ' of the crop'} is a day or a time. A spreadsheet program may have made it of a text such as 1-3 or 5 A.`
      : `"${now}" would replace "${before}": a spreadsheet program made a day of the name.`,
    hint: asTextHint,
  }),
}

function isMadeDay({ now, before }: NewText): boolean {
  if (isDayOrTime(now)) return true
  return before !== undefined && textsBehindDay(now).includes(withoutZerosAndSlashes(before))
}

const perhapsDateAsName: Rule<NewText, NewText> = {
  id: 'perhaps-date-as-name',
  about: 'record',
  usual: 'warn',
  why: 'A new name, crop or id is like 1-Mar, as a spreadsheet program makes of 1-3. A new name, crop or id is like 1-Mar or Mar-24. Spreadsheet programs make such days of texts such as 1-3, but a person may have written it, so it is published. If it is wrong, format the column as text, and write the names or ids again.',
  find(text) {
    const mayBe = text.path === undefined || mayBeMade(text)
    return mayBe && isPerhapsMadeDay(text.now) && !isMadeDay(text) ? text : undefined
  },
  says: ({ path, now }) => ({
    path,
    value: now,
    message: `A spreadsheet program may have made "${now}" of a text such as ${textsBehindDay(now)[0]!}.`,
    hint: asTextHint,
  }),
}

/** The rules about each text of a record that a row changes. */
export const textRules: readonly Rule<NewText>[] = [lettersSpoilt, lettersDoubtful, dateAsName, perhapsDateAsName]

/** Starts counting the cells of a file with letters beyond ASCII: sound ones, ones with lost letters, and UTF-8 read as `encoding`. */
export function startLetters(encoding: string) {
  const first = { lost: undefined as FirstCell | undefined, twice: undefined as FirstCell | undefined }
  return { encoding, sound: 0, lost: 0, twice: 0, first, byteOf: bytesByLetter(encoding) }
}

type FirstCell = { readonly text: string; readonly row: number; readonly meant: string | undefined }
type CountedLetters = ReturnType<typeof startLetters>
export type LettersOfFile = Omit<CountedLetters, 'byteOf'>

/** Counts the cells of these columns. */
export function noteLetters(letters: CountedLetters, { values, at: { row } }: Row, columns: readonly string[]): void {
  for (const column of columns) {
    const value = values[column]
    if (typeof value !== 'string' || !/[^\x00-\x7f]/.test(value)) continue
    const isLost = hasLostLetters(value)
    const meant = isLost ? undefined : letters.byteOf && readAsUtf8(value, letters.byteOf)
    const kind = isLost ? 'lost' : meant === undefined ? 'sound' : 'twice'
    letters[kind] += 1
    if (kind !== 'sound') letters.first[kind] ??= { text: value.slice(0, 60), row, meant: meant?.slice(0, 60) }
  }
}

type OtherEncoding = LettersOfFile & { readonly kind: 'lost' | 'twice' }

export const otherEncoding: Rule<LettersOfFile, OtherEncoding> = {
  id: 'other-encoding',
  about: 'file',
  usual: 'stop',
  why: 'Most special letters of the file are in another text encoding than the one in the pipeline. The pipeline names the text encoding of its file, and most cells with special letters fit another one: the program that writes the file may have changed it. Names would be published with wrong letters, so the run stops. Export the file again as before, or name the encoding that it has now.',
  find(letters) {
    const { sound, lost, twice } = letters
    if (twice > sound) return { ...letters, kind: 'twice' }
    // A single letter may have been lost before this file was made; its row is rejected anyway.
    return lost > 1 && lost > sound ? { ...letters, kind: 'lost' } : undefined
  },
  says({ encoding, kind, first, ...letters }) {
    const { text, row, meant } = first[kind]!
    const count = letters[kind]
    const of = plural(letters.sound + letters.lost + letters.twice, 'cell')
    const cells = `The pipeline reads the text as ${encoding}, but ${count} of ${of} with special letters ${count === 1 ? 'is' : 'are'}`
    if (kind === 'twice')
      return {
        message: `${cells} UTF-8: "${text}" in row ${row} should be "${meant}".`,
        setting: 'from.encoding: utf-8',
      }
    const other = /^utf-?8$/i.test(encoding) ? 'windows-1252' : 'utf-8'
    return {
      message: `${cells} in another encoding, first "${text}" in row ${row}.`,
      setting: `from.encoding: ${other}; windrow inspect shows which one it is`,
    }
  },
}
