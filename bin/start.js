/** Starts the command line: from TypeScript in a checkout, from JavaScript in an installed package. */

import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'

// The processes that this one starts use the cache, too.
const { directory } = enableCompileCache()
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory

const checkout = new URL('../src/cli/main.ts', import.meta.url)
const built = new URL('../dist/main.js', import.meta.url)

// Node 24 prints these two warnings on every start; others are passed on.
const emitWarning = process.emitWarning
process.emitWarning = (warning, ...more) => {
  const type = typeof more[0] === 'object' ? more[0]?.type : more[0]
  const expected = type === 'ExperimentalWarning' && /SQLite|Type Stripping/i.test(String(warning))
  if (!expected) emitWarning.call(process, warning, ...more)
}

const { main } = await import(existsSync(checkout) ? checkout.href : built.href)
// Node ends silently when nothing can wake a pending await; that must not look like success.
process.exitCode = 1
process.exitCode = await main(process.argv.slice(2))
