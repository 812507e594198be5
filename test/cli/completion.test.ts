import { execFileSync, spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from 'vitest'
import { everyCommand } from '../../src/cli/options/command.ts'
import { loadCommands } from '../../src/cli/commands.ts'
import { startWorld } from './world.ts'

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const
const scripts = new Map<string, string>()
const commands = everyCommand(await loadCommands())

beforeAll(async () => {
  const world = startWorld()
  for (const shell of shells) scripts.set(shell, (await world.run(['completion', shell])).out)
  world.close()
})

describe.each(shells)('the completion of %s', (shell) => {
  test.each(commands)('knows windrow $words and its options', ({ words, command }) => {
    const script = scripts.get(shell)!
    const lines =
      shell === 'fish'
        ? script.split('\n').filter((line) => words.split(' ').every((word) => line.includes(`_from ${word}`)))
        : script.split('\n').filter((line) => line.includes(`'${words}'`))
    for (const flags of Object.keys(command.options)) {
      const [long] = flags.match(/--[\w-]+/)!
      expect(lines.join('\n')).toContain(shell === 'fish' ? `-l ${long.slice(2)}` : long)
    }
    expect(script).toContain(words.split(' ').at(-1))
  })
})

test('what completion offers beside the commands, windrow knows', async () => {
  const world = startWorld()
  const [, offered] = /'' = @\(('-h'.*?)\)/.exec(scripts.get('powershell')!)!
  const flags = offered!.split(', ').map((each) => each.slice(1, -1))
  for (const flag of flags) expect((await world.run([flag])).exit, flag).toBe(0)
  world.close()
  expect(flags).toHaveLength(4)
})

test('an unknown shell is refused with the list', async () => {
  const world = startWorld()
  const { failure } = await world.run(['completion', 'tcsh'])
  world.close()
  expect(failure).toMatchObject({ code: 'option-invalid', hint: 'Use one of: bash, zsh, fish, powershell.' })
})

const hasBash = spawnSync('bash', ['-c', 'compgen -W "a b" -- a']).status === 0

describe.skipIf(!hasBash)('bash completes', () => {
  const complete = (...words: readonly string[]): readonly string[] => {
    const typed = ['windrow', ...words].map((word) => `'${word}'`).join(' ')
    const end = `\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _windrow; printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['--norc', '-c', scripts.get('bash')! + end], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .filter((word) => word !== '')
  }

  test.each([
    ['a command', ['ex'], ['export', 'explain']],
    ['a command of a group', ['service', 're'], ['record', 'reference']],
    ['a command two groups down', ['service', 'webhooks', 'cr'], ['create']],
    ['a key', ['import', '--set', 'geometry.re'], ['geometry.repair=']],
    ['an option', ['import', 'a.zip', '--dr'], ['--dry-run']],
    ['the choices of an option', ['import', '--to', ''], ['holdings', 'plots', 'land-covers']],
    ['the choices of an option in a group', ['service', 'reference', 'breeds', '--cross', ''], ['yes', 'no']],
    ['the choices of an argument', ['export', 'pl'], ['plots']],
    ['a code', ['explain', 'boundary-cr'], ['boundary-crosses-itself']],
    ['no file name itself', ['import', 'a'], []],
    ['nothing for the value of an option', ['export', '--from', ''], []],
    ['a command word only in its place', ['export', '-o', 'import', '--unt'], ['--until']],
  ])('%s', (_, words, expected) => {
    expect(complete(...words).toSorted()).toEqual(expected.toSorted())
  })
})
