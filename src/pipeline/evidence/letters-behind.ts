/** Finds the texts that a text with spoilt letters was before: read in a wrong encoding, encoded twice, or with letters as in web pages. */

import { decodedTwice } from '../../core/sources/text.ts'

// TextDecoder does not know the encoding of DOS (cp850).
const lettersOfDos =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0'

const windowsLetters = lettersOf('windows-1252')

/** The letters from 0x80 on of the encodings that are most often taken for another one: as they are read, and as they are meant. */
const mistaken = [
  ...[lettersOfDos, ...['macintosh', 'windows-1250'].map(lettersOf)].map((meant) => [windowsLetters, meant] as const),
  [lettersOfDos, windowsLetters] as const,
]

function lettersOf(encoding: string): string {
  return new TextDecoder(encoding).decode(Uint8Array.from({ length: 128 }, (_, at) => at + 128))
}

/** A letter as web pages write it: &amp; or &#39; or &ouml;. */
export const webLetter = /&(#\d{1,6}|#x[\da-f]{1,5}|[a-z]{2,8});/i
const webLetters = new RegExp(webLetter, 'gi')
const webNames: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", szlig: 'ß' }
const webMarks: Readonly<Record<string, string>> = {
  uml: '\u0308',
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  tilde: '\u0303',
  ring: '\u030a',
  cedil: '\u0327',
  caron: '\u030c',
  macr: '\u0304',
}

/** The texts, in NFC, that this one may have been. */
export function textsBehindLetters(text: string): readonly string[] {
  if (webLetter.test(text)) return [text.replaceAll(webLetters, letterOfWeb).normalize('NFC')]
  if (!/[^\x00-\x7f]/.test(text)) return []
  const letters = Array.from(text.normalize('NFC'))
  const readings = mistaken.map(([read, meant]) =>
    letters.map((letter) => (letter <= '\x7f' ? letter : (meant[read.indexOf(letter)] ?? '\0'))).join(''),
  )
  return [...readings, decodedTwice(text) ?? '\0']
    .filter((each) => !each.includes('\0'))
    .map((each) => each.normalize('NFC'))
}

function letterOfWeb(written: string, code: string): string {
  const [, hex, digits] = /^#(?:x([\da-f]+)|(\d+))$/i.exec(code) ?? []
  const number = hex === undefined ? Number(digits) : Number.parseInt(hex, 16)
  if (number <= 0x10_ffff) return String.fromCodePoint(number)
  const [, letter, mark] = /^([a-z])([a-z]+)$/i.exec(code) ?? []
  return webNames[code] ?? (letter !== undefined && webMarks[mark!] !== undefined ? letter + webMarks[mark!]! : written)
}

/** A text with question marks for its special letters, as programs write those that their encoding lacks. */
export function withQuestionMarks(text: string): string {
  return text.normalize('NFC').replaceAll(/[^\x00-\x7f]/gu, '?')
}

/** Whether one text is the other with question marks for some of its special letters. */
export function lacksOnlyLetters(now: string, before: string): boolean {
  const letters = Array.from(before.normalize('NFC'))
  const left = Array.from(now.normalize('NFC'))
  return (
    left.length === letters.length &&
    left.every((letter, index) => letter === letters[index] || (letter === '?' && letters[index]! > '\x7f'))
  )
}

/** Whether one text is another one with spoilt letters. */
export function isSpoiltFrom(now: string, before: string): boolean {
  return now !== before && (textsBehindLetters(now).includes(before.normalize('NFC')) || lacksOnlyLetters(now, before))
}
