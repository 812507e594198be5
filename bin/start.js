/** Hides where the command line lives: TypeScript in a checkout, JavaScript in an installed package. */

import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'

// Compiled code is kept between starts: from a checkout, where Node also strips the types, it saves half a second.
enableCompileCache()

const checkout = new URL('../src/cli/main.ts', import.meta.url)
const built = new URL('../dist/main.js', import.meta.url)

// Node 22 and 24 announce these two on every start; other warnings stay.
const emitWarning = process.emitWarning
process.emitWarning = (warning, ...more) => {
  const type = typeof more[0] === 'object' ? more[0]?.type : more[0]
  const expected = type === 'ExperimentalWarning' && /SQLite|Type Stripping/i.test(String(warning))
  if (!expected) emitWarning.call(process, warning, ...more)
}

const { main } = await import(existsSync(checkout) ? checkout.href : built.href)
// What waits for an answer that cannot come any more ends without a word, and must not look as if it were done.
process.exitCode = 1
process.exitCode = await main(process.argv.slice(2))
