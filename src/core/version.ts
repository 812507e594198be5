/** Reads the version of this windrow. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { once } from './once.ts'

/** The version in package.json. */
export const version = once(() => {
  // By package name, because the built file lies at another depth than this one.
  const manifest = createRequire(import.meta.url).resolve('windrow/package.json')
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
})
