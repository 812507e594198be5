import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  environmentForOthers,
  notifyVariables,
  optionalVariables,
  requiredVariables,
  systemVariables,
  webVariables,
} from '../../src/core/environment.ts'
import { readSourceFiles, root } from '../imports.ts'

const fileable = { ...requiredVariables, ...optionalVariables, ...notifyVariables, ...webVariables }
const listed = Object.keys({ ...fileable, ...systemVariables })

test('programs that windrow starts get none of its variables, which Windows takes in any case', () => {
  const env = {
    WINDROW_PASSWORD: 'a',
    Windrow_Client_Secret: 'b',
    windrow_web_secrets: 'c',
    PATH: '/bin',
    NOT_WINDROW_X: 'd',
  }
  expect(environmentForOthers(env)).toEqual({ PATH: '/bin', NOT_WINDROW_X: 'd' })
})

test('the reference lists every environment variable', () => {
  const reference = readFileSync(join(root, 'docs/reference.md'), 'utf8')
  expect(listed.filter((name) => !new RegExp(`^\\| \`${name}\` +\\| \\S`, 'm').test(reference))).toEqual([])
  expect(reference).toContain('..._FILE')
})

test('the code reads no other variable, and no secret is listed in vain', () => {
  const texts = readSourceFiles('src', ['.ts']).filter(({ path }) => path !== 'src/core/environment.ts')
  const all = texts.map(({ text }) => text).join('\n')
  const named = [...all.matchAll(/\bWINDROW_[A-Z_]*[A-Z]|\benv\['([A-Z_]+)'\]/g)].map(
    ([whole, name]) => name ?? whole.replace(/_FILE$/, ''),
  )
  expect([...new Set(named)].filter((name) => !listed.includes(name))).toEqual([])
  expect(Object.keys(fileable).filter((name) => !all.includes(`'${name}'`))).toEqual([])
  // A rest of process.env would escape the type: these places give it the type Environment.
  const places = texts.filter(({ text }) => text.includes('process.env')).map(({ path }) => path)
  expect(places.toSorted()).toEqual(['src/cli/main.ts', 'src/cli/screen/terminal.ts', 'src/library/surroundings.ts'])
})
