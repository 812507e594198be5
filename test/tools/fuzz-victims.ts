/** A reading process whose reader fails in the way that the first letter of the file selects. */

import type { Format } from '../../src/formats/format.ts'
import { serve } from '../../tools/fuzz/serve.ts'

const kept: unknown[] = []

const victim: Format = {
  name: 'victim',
  title: 'A reader that fails as the file says',
  extensions: ['.victim'],
  options: { type: 'object', properties: {}, additionalProperties: false },
  recognise: () => true,
  async open(source) {
    const [letter] = Buffer.from(await source.read(0, 1)).toString()
    if (letter === 'T') throw new TypeError('Cannot read properties of undefined')
    if (letter === 'B') kept.push(Buffer.alloc(120 * 2 ** 20, 1))
    while (letter === 'H' || letter === 'M') if (letter === 'M') kept.push(Array.from({ length: 1000 }))
    return []
  },
}

serve([], [victim])
