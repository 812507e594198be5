/** Detects the encoding of a table's text, by what declares it or by a trial of the text, and decodes it. Owns iconv-lite. */

import { isUtf8 } from 'node:buffer'
import { createRequire } from 'node:module'
import type iconv from 'iconv-lite'
import { WindrowError } from '../../core/error.ts'
import { once } from '../../core/once.ts'
import { chosen, chosenByPerson, type Choice } from '../../core/row.ts'
import type { Decider } from '../../core/rule.ts'
import type { Severity } from '../../core/problem.ts'
import { wholeLetters, type ForeignText, type TextTrial } from '../../core/letters.ts'
import { foreignTextError } from '../../core/sources/text.ts'

/** A remark on the table's text; the caller, who knows the table, makes a problem of it. */
export type Doubt = {
  readonly code: 'encoding-guessed' | 'encoding-doubtful'
  readonly severity: Severity
  readonly message: string
  readonly hint?: string
}

/** The clues. `trial` reads the whole table's text, where that may decide; it is called only if nobody chose the encoding. */
export type EncodingClues = {
  readonly option: string | undefined
  readonly declaration: string | undefined
  readonly languageDriver: number
  trial?(): Promise<TextTrial>
}

/** What a table declares about its text, and what a trial of all of it shows; undefined where nobody tried it. */
export type TableTextFacts = {
  readonly declared: { readonly encoding: string; readonly said: string } | undefined
  readonly trial: TextTrial | undefined
}

type TableEncoding = {
  readonly encoding: string
  readonly evidence: string
  readonly runnerUp?: string
  /** Where it is a guess. */
  readonly message?: string
}

export const tableEncoding: Decider<TableTextFacts, TableEncoding> = {
  id: 'table-encoding',
  about: 'file',
  decides: 'from.encoding',
  why: 'The text of a shapefile is in the encoding that its .cpg or the language driver of its .dbf declares, unless all its text shows another one: many programs declare this carelessly, ESRI’s by the code page of their machine, and another program may have saved the table. Where nothing is declared, its text decides. Where the words are none in Windows-1252, say which encoding it is.',
  find({ declared, trial }) {
    if (declared === undefined)
      return trial === undefined
        ? { encoding: 'utf-8', evidence: 'The usual encoding.' }
        : byTrial[typeof trial === 'object' ? 'foreign' : trial]
    const { encoding, said } = declared
    if (typeof trial === 'object' && encoding === 'windows-1252') return undefined
    const [shown, evidence] = (trial === undefined ? undefined : shownBy(trial, encoding)) ?? []
    if (shown === undefined) return { encoding, evidence: `${said}.` }
    return {
      encoding: shown,
      evidence: `${said}, but ${evidence}.`,
      runnerUp: encoding,
      message: `${said}, which means ${encoding}, but ${evidence}; it was read as ${shown}.`,
    }
  },
  says: ({ encoding, evidence, runnerUp }) => chosen('from.encoding', encoding, evidence, runnerUp),
}

type Chosen = { readonly encoding: string; readonly decision: Choice; readonly doubts: readonly Doubt[] }

/** Chooses the encoding: the option, the .cpg, the table's language driver, or a trial of the text itself, in this order; else UTF-8. */
export async function chooseEncoding({ option, declaration, languageDriver, trial }: EncodingClues): Promise<Chosen> {
  if (option !== undefined) {
    const encoding = encodingFromName(option)
    if (encoding === undefined)
      throw new WindrowError('encoding-unknown', `"${option}" is not a text encoding that windrow knows.`, {
        hint: 'Use utf-8, windows-1252, or the name used by the program that wrote the file.',
      })
    return { encoding, decision: chosenByPerson('from.encoding', encoding), doubts: [] }
  }
  const written = declaration === undefined || /^[\s\0\uFEFF]*$/.test(declaration) ? undefined : firstLine(declaration)
  const byFile = written === undefined ? undefined : encodingFromName(declaration!)
  const byDriver = languageDrivers.get(languageDriver)
  const inHex = languageDriver.toString(16).padStart(2, '0')
  const cpg = byFile && { encoding: byFile, said: `The .cpg contains "${written}"` }
  const driver = byDriver && { encoding: byDriver, said: `The .dbf names language driver 0x${inHex}` }
  const declared = cpg || driver || undefined
  const doubts: Doubt[] = []
  if (written !== undefined && byFile === undefined)
    doubts.push({
      code: 'encoding-doubtful',
      severity: 'note',
      message: `The .cpg names no encoding that windrow knows ("${written}"); it was ignored.`,
    })
  const tried = declared === undefined || singleBytePage.test(declared.encoding) ? await trial?.() : undefined
  const found = tableEncoding.find({ declared, trial: tried })
  if (found === undefined)
    throw foreignTextError(tried as ForeignText, declared && `${declared.said}, which means windows-1252.`)
  const { encoding, message } = found
  const other = declared === undefined ? '' : ` ${declared.encoding}`
  const hint = `Check a name with a special letter. If it is wrong, set the encoding${other}.`
  if (message !== undefined) doubts.push({ code: 'encoding-guessed', severity: 'note', message, hint })
  return { encoding, decision: [tableEncoding.says(found)].flat()[0]!, doubts }
}

const notUtf8: TableEncoding = {
  encoding: 'windows-1252',
  evidence: 'Nothing is declared, and the text is not UTF-8.',
  runnerUp: 'iso-8859-15',
  message: 'The file does not declare its text encoding and it is not UTF-8; it was read as windows-1252.',
}

/** The encodings of text that nobody declares. */
const byTrial: Readonly<Record<Exclude<TextTrial, ForeignText> | 'foreign', TableEncoding | undefined>> = {
  ascii: { encoding: 'utf-8', evidence: 'All text is plain ASCII.' },
  'utf-8': { encoding: 'utf-8', evidence: 'All text is valid UTF-8.', runnerUp: 'windows-1252' },
  dos: {
    encoding: 'cp850',
    evidence: 'Nothing is declared, and as windows-1252 words would contain symbols.',
    runnerUp: 'windows-1252',
    message: 'The file does not declare its text encoding; its letters are those of old DOS programs (cp850).',
  },
  windows: notUtf8,
  other: notUtf8,
  foreign: undefined,
}

/** The encoding that the text shows in place of the declared one, and how it shows. */
function shownBy(trial: TextTrial, declared: string): readonly [encoding: string, evidence: string] | undefined {
  if (trial === 'utf-8') return ['utf-8', 'every special letter in the text is UTF-8']
  if (trial === 'dos' && declared === 'windows-1252') return ['cp850', 'the letters are those of old DOS programs']
  if (trial === 'windows' && dosPage.test(declared)) return ['windows-1252', 'the letters are those of Windows']
  return undefined
}

function firstLine(text: string): string {
  return text
    .trim()
    .split(/[\r\n]/, 1)[0]!
    .slice(0, 40)
}

/** Names without a number that programs write for Windows-1252 and UTF-8. */
const namesByWord: ReadonlyMap<string, string> = new Map(
  Object.entries({
    utf: 'utf-8',
    unicode: 'utf-8',
    ansi: 'windows-1252',
    latin1: 'windows-1252',
    latin9: 'iso-8859-15',
    ascii: 'windows-1252',
    usascii: 'windows-1252',
    shiftjis: 'shift_jis',
    sjis: 'shift_jis',
    gb2312: 'gbk',
    euckr: 'cp949',
    big5: 'big5',
  }),
)

const namesByPage: Readonly<Record<string, string>> = {
  65001: 'utf-8',
  932: 'shift_jis',
  936: 'gbk',
  949: 'cp949',
  950: 'big5',
  874: 'windows-874',
  10000: 'macintosh',
  10006: 'macgreek',
  10007: 'maccyrillic',
  10029: 'maccenteuro',
  20866: 'koi8-r',
  21866: 'koi8-u',
  20127: 'windows-1252',
}

const library = once(() => createRequire(import.meta.url)('iconv-lite') as typeof iconv)

/** Codecs of iconv-lite that are not text encodings. */
const noTextEncodings = /^(base64|hex|binary|ucs|utf(?!8$)|cesu|internal)/

/** The canonical name of an encoding in any spelling, or undefined. */
export function encodingFromName(spelling: string): string | undefined {
  const text = spelling.replaceAll(/[\uFEFF\0"']/g, '').trim()
  if (text === '' || text.length > 40 || text.includes('<')) return undefined
  const word = text.toLowerCase().replaceAll(/[\s_:/-]+/g, '')
  if (word.startsWith('utf8')) return 'utf-8'
  const known = namesByWord.get(word)
  if (known !== undefined) return known
  const iso = /^(?:iso)?8859(\d{1,2})$/.exec(word)?.[1]
  if (iso !== undefined) return isoPart(Number(iso))
  const ldid = /^ldid(\d+)$/.exec(word)?.[1]
  if (ldid !== undefined) return languageDrivers.get(Number(ldid))
  const page = /^(?:codepage|cp|windows|win|ansi|oem|ibm|dos|ms|mac|x)*(\d{3,5})$/.exec(word)?.[1]
  if (page !== undefined) return nameOfPage(page)
  return noTextEncodings.test(word) ? undefined : existing(text.toLowerCase().replaceAll(/[\s_]+/g, '-'))
}

function nameOfPage(page: string): string | undefined {
  const named = namesByPage[page]
  if (named !== undefined) return named
  const iso = Number(page) - 28_590
  if (iso >= 1 && iso <= 16) return isoPart(iso)
  return /^125\d$/.test(page) ? existing(`windows-${page}`) : existing(`cp${page}`)
}

/** Programs that write Latin-1 mean Windows-1252, which has letters and quotes where Latin-1 has none; browsers do the same. */
function isoPart(part: number): string | undefined {
  return part === 1 ? 'windows-1252' : existing(`iso-8859-${part}`)
}

function existing(name: string): string | undefined {
  return /^[a-z][a-z0-9-]+$/.test(name) && library().encodingExists(name) ? name : undefined
}

/** Language drivers (byte 29 of the table) as dBASE, FoxPro and ESRI number them. */
const languageDrivers: ReadonlyMap<number, string> = new Map(
  Object.entries({
    cp437: [0x01, 0x09, 0x0b, 0x0d, 0x0f, 0x11, 0x15, 0x18, 0x19, 0x1b],
    cp850: [0x02, 0x0a, 0x0e, 0x10, 0x12, 0x14, 0x16, 0x1a, 0x1d, 0x25, 0x37],
    'windows-1252': [0x03, 0x57, 0x58, 0x59],
    macintosh: [0x04],
    cp865: [0x08, 0x17, 0x66],
    cp863: [0x1c, 0x6c],
    cp852: [0x1f, 0x22, 0x23, 0x40, 0x64, 0x87],
    cp860: [0x24],
    cp866: [0x26, 0x65],
    cp861: [0x67],
    cp737: [0x6a, 0x86],
    cp857: [0x6b, 0x88],
    shift_jis: [0x13, 0x7b],
    gbk: [0x4d, 0x7a],
    cp949: [0x4e, 0x79],
    big5: [0x4f, 0x78],
    'windows-874': [0x50, 0x7c],
    maccyrillic: [0x96],
    maccenteuro: [0x97],
    macgreek: [0x98],
    'windows-1250': [0xc8],
    'windows-1251': [0xc9],
    'windows-1254': [0xca],
    'windows-1253': [0xcb],
    'windows-1257': [0xcc],
  }).flatMap(([name, drivers]) => drivers.map((driver) => [driver, name] as const)),
)

/** Decodes the bytes of cells and counts what does not fit; one per reading of a table. */
export type TextReader = {
  readonly isUtf8: boolean
  /** Non-ASCII bytes as text. `fills` means that the cell is full to its last byte, so a letter may be cut off. */
  decode(bytes: Buffer, fills: boolean): string
  doubts(): readonly Doubt[]
}

/** Makes the decoder of one encoding, which must be a name from `encodingFromName`. */
export function textReader(encoding: string): TextReader {
  return encoding === 'utf-8' ? utf8Reader() : codePageReader(encoding)
}

function doubtful(message: string, hint: string): readonly Doubt[] {
  return [{ code: 'encoding-doubtful', severity: 'warning', message, hint }]
}

function utf8Reader(): TextReader {
  let undecodable = 0
  let cut = 0
  return {
    isUtf8: true,
    decode(bytes, fills) {
      if (isUtf8(bytes)) return bytes.toString('utf8')
      const whole = bytes.subarray(0, fills ? wholeLetters(bytes) : bytes.length)
      if (whole.length < bytes.length && isUtf8(whole)) cut += 1
      else undecodable += 1
      return whole.toString('utf8')
    },
    doubts() {
      const lost = `Cells that are not valid UTF-8 and lost letters: ${undecodable}.`
      const ended = `Cells that were cut off in the middle of a letter by the program that wrote them: ${cut}.`
      return [
        ...(undecodable === 0 ? [] : doubtful(lost, 'Set the encoding, for instance windows-1252.')),
        ...(cut === 0 ? [] : [{ code: 'encoding-doubtful', severity: 'note', message: ended } as const]),
      ]
    },
  }
}

const dosPage = /^cp(?:437|8(?:50|58|60|63|65))$/
const singleBytePage = /^(cp(?!949)\d{3}|windows-\d+|iso-8859-\d+|mac.*|koi8-.)$/

function codePageReader(encoding: string): TextReader {
  const letters = singleBytePage.test(encoding)
    ? Array.from({ length: 256 }, (_, byte) => library().decode(Buffer.of(byte), encoding))
    : undefined
  let seen = 0
  let undecodable = 0
  let likeUtf8 = 0
  return {
    isUtf8: false,
    decode(bytes) {
      seen += 1
      if (isUtf8(bytes)) likeUtf8 += 1
      let text = ''
      if (letters === undefined) text = library().decode(bytes, encoding)
      else for (const byte of bytes) text += letters[byte]!
      if (text.includes('\uFFFD')) undecodable += 1
      return text
    },
    doubts() {
      // A few letters that happen to be UTF-8 are possible; every cell is not.
      if (seen > 0 && likeUtf8 === seen)
        return doubtful(
          `The text was read as ${encoding}, but every cell with special letters looks like UTF-8 (${seen}).`,
          'If names look wrong, set the encoding utf-8.',
        )
      if (undecodable === 0) return []
      return doubtful(
        `Cells with bytes that do not exist in ${encoding}: ${undecodable}.`,
        'Set the encoding in which the file was written.',
      )
    },
  }
}
