/** Stores the texts that the cells of a workbook share: as bytes in memory, and on disk if there are many. */

import { closeSync, openSync, writeFileSync } from 'node:fs'
import { throwAfter, type Source } from '../../core/sources/source.ts'
import { readExactly, spoolError, temporaryFile } from '../../core/sources/temporary.ts'
import { nameCode, XmlScanner, type XmlListener } from '../xml.ts'
import { cellText, preservesSpace, utf8Chunks, withoutOuterBlanks } from './xlsx-text.ts'

/** Texts by their number. After `close` there are none, and nothing is left on disk. */
export type SharedTexts = { at(index: number): string | undefined; close(): Promise<void> }

/** Kept in memory up to here, the rest in a file: texts are needed in about the order of the list. */
const memoryBytes = 8 * 2 ** 20

export async function readSharedTexts(
  part: Source,
  signal?: AbortSignal,
  limitBytes: number = memoryBytes,
): Promise<SharedTexts> {
  const store = textStore(limitBytes)
  await eachText(part, (text) => store.add(text), signal).catch(throwAfter(() => store.close()))
  return store
}

/** Picks the texts with these numbers, reading no further than the last of them. */
export async function pickSharedTexts(part: Source, wanted: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>()
  let index = 0
  await eachText(part, (text) => {
    if (wanted.has(index)) found.set(index, text)
    index += 1
    return found.size < wanted.size
  })
  return found
}

const names = { item: nameCode('si'), text: nameCode('t'), phonetic: nameCode('rPh') }

/** Reports each text, with runs of rich text joined and phonetic readings left out; stops when the callback returns false. */
async function eachText(part: Source, take: (text: string) => boolean | void, signal?: AbortSignal): Promise<void> {
  let text = ''
  let inText = false
  let inPhonetic = false
  let keepsSpace = false
  let goesOn = true
  const listener: XmlListener = {
    open(name, attributes, bytes) {
      if (name === names.text) {
        inText = !inPhonetic
        keepsSpace = preservesSpace(attributes, bytes)
      } else if (name === names.item) text = ''
      else if (name === names.phonetic) inPhonetic = true
    },
    text(bytes, start, end, literal) {
      if (!inText) return
      const piece = cellText(bytes, start, end, literal)
      text += keepsSpace ? piece : withoutOuterBlanks(piece)
    },
    close(name) {
      if (name === names.text) inText = false
      else if (name === names.phonetic) inPhonetic = false
      else if (name === names.item && goesOn) goesOn = take(text) !== false
    },
  }
  const scan = new XmlScanner(part.name, listener, { isStrict: true })
  for await (const chunk of utf8Chunks(part, signal)) {
    scan.push(chunk)
    if (!goesOn) return
  }
  scan.end()
}

/** Texts are stored in groups of this many, each with its length before it, so that their positions need little memory. */
const groupTexts = 16
/** Groups are stored in blocks of about this size, the unit read back from disk. */
const blockBytes = 1 << 14
/** How many blocks read back are kept in memory. */
const keptBlocks = 128

function textStore(limitBytes: number): SharedTexts & { add(text: string): void } {
  const blocks: (Buffer | undefined)[] = []
  const groupBlock: number[] = []
  const groupStart: number[] = []
  let disk: ReturnType<typeof blockFile> | undefined
  let inMemory = 0
  let count = 0
  let open = Buffer.allocUnsafeSlow(blockBytes * 2)
  let filled = 0

  const seal = (): void => {
    const block = Buffer.from(open.subarray(0, filled))
    filled = 0
    const fits = inMemory + block.length <= limitBytes
    if (fits) inMemory += block.length
    else (disk ??= blockFile(blocks.length)).add(block)
    blocks.push(fits ? block : undefined)
  }

  return {
    add(text) {
      if (count % groupTexts === 0) {
        if (filled >= blockBytes) seal()
        groupBlock.push(blocks.length)
        groupStart.push(filled)
      }
      const most = filled + 4 + text.length * 3
      if (most > open.length) open = Buffer.concat([open.subarray(0, filled)], most * 2)
      const bytes = open.write(text, filled + 4, 'utf8')
      open.writeUInt32LE(bytes, filled)
      filled += 4 + bytes
      count += 1
    },
    at(index) {
      if (!(index >= 0 && index < count) || !Number.isInteger(index)) return undefined
      const group = Math.floor(index / groupTexts)
      const number = groupBlock[group]!
      const block = number === blocks.length ? open : (blocks[number] ?? disk!.read(number))
      let at = groupStart[group]!
      for (let skip = index % groupTexts; skip > 0; skip -= 1) at += 4 + block.readUInt32LE(at)
      return block.toString('utf8', at + 4, at + 4 + block.readUInt32LE(at))
    },
    async close() {
      count = 0
      blocks.length = 0
      await disk?.close()
      disk = undefined
    },
  }
}

/** Blocks on disk, from number `first` on. */
function blockFile(first: number) {
  const temporary = temporaryFile()
  const file = openSync(temporary.path, 'wx+', 0o600)
  const starts: number[] = [0]
  const kept = new Map<number, Buffer>()
  /** Memory for a block: that of the block unused for the longest time, once enough are kept. */
  const place = (size: number): Buffer => {
    const [oldest] = kept.size < keptBlocks ? [] : kept
    if (oldest !== undefined) kept.delete(oldest[0])
    return oldest !== undefined && oldest[1].length >= size
      ? oldest[1]
      : Buffer.allocUnsafeSlow(Math.max(size, blockBytes * 2))
  }
  return {
    add(block: Buffer): void {
      try {
        writeFileSync(file, block)
      } catch (cause) {
        throw spoolError(cause)
      }
      starts.push(starts.at(-1)! + block.length)
    },
    read(number: number): Buffer {
      const known = kept.get(number)
      if (known !== undefined) return known
      const start = starts[number - first]!
      const size = starts[number - first + 1]! - start
      const block = place(size)
      readExactly(file, block.subarray(0, size), start)
      kept.set(number, block)
      return block
    },
    close(): Promise<void> {
      closeSync(file)
      return temporary.remove()
    },
  }
}
