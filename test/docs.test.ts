import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { documents, schemas, withTables } from '../tools/docs.ts'
import { root } from './imports.ts'
import { commandsOf, faultsOf, isWindrow, wordsOf } from './readme.ts'

describe('tables in the documentation', () => {
  test('are looked for in every document', () => {
    expect(documents()).toEqual(expect.arrayContaining(['docs/decisions.md', 'docs/reference.md']))
  })

  test.each(documents())('of %s match the code (npm run docs updates them)', async (path) => {
    const text = readFileSync(join(root, path), 'utf8')
    expect(await withTables(text)).toBe(text)
  })

  test('and the published schemas match the code', async () => {
    const published = Object.entries(await schemas())
    expect(published).toHaveLength(5)
    for (const [path, text] of published) expect(readFileSync(join(root, path), 'utf8'), path).toBe(text)
  })

  test('of the reference are filled', () => {
    const text = readFileSync(join(root, 'docs/reference.md'), 'utf8')
    expect(text).toContain('| `rule-stopped` | 6 |')
    expect(text).toContain('| `boundary-crosses-itself` | error |')
    expect(text.match(/^## /gm)!.length).toBeGreaterThan(2)
  })

  test('are replaced, and the text around them stays', async () => {
    const made = await withTables('before\n<!-- begin:exit-codes -->\nold\n<!-- end:exit-codes -->\nafter\n')
    expect(made).toMatch(
      /^before\n<!-- begin:exit-codes -->\n\n\| Exit \| Meaning \|\n[^]*\n\n<!-- end:exit-codes -->\nafter\n$/,
    )
    expect(made).not.toContain('old')
    expect(await withTables(made)).toBe(made)
  })

  test.each([
    ['an unknown name', '<!-- begin:weather -->\n<!-- end:weather -->', /No generator/],
    ['no end', '<!-- begin:exit-codes -->\n', /no end mark/],
    ['another end', '<!-- begin:exit-codes -->\n<!-- end:formats -->', /no end mark/],
  ])('are refused for %s', async (_, text, sentence) => {
    await expect(withTables(text)).rejects.toThrow(sentence)
  })
})

describe('the commands of a README', () => {
  const readme = [
    'Words.',
    '```sh',
    'npm test',
    '```',
    '<!-- check',
    '0 "24 read" out/*.txt',
    '3 "two \'rows\'"',
    '-->',
    '```sh',
    'npx windrow write "Rimu paddocks.zip" \\',
    '  --to plots    # a comment',
    'cd samples',
    "npx windrow fail 'top flat'",
    '```',
    '```text',
    'npx windrow not-this',
    '```',
  ].join('\n')

  test('are found with their expected results', () => {
    expect(commandsOf(readme).map(({ words, expected }) => [words, expected])).toEqual([
      [['npm', 'test'], undefined],
      [
        ['npx', 'windrow', 'write', 'Rimu paddocks.zip', '--to', 'plots'],
        { exit: 0, texts: ['24 read'], paths: ['out/*.txt'] },
      ],
      [['cd', 'samples'], undefined],
      [['npx', 'windrow', 'fail', 'top flat'], { exit: 3, texts: ["two 'rows'"], paths: [] }],
    ])
  })

  test('are rejected when more is expected than shown', () => {
    expect(() => commandsOf('<!-- check\n0\n0\n-->\n```sh\nnpx windrow runs\n```')).toThrow(/More is expected/)
  })

  test('belong to the comment right above them', () => {
    const [line] = commandsOf('<!-- check\n0\n-->\nWords. <!-- more -->\n```sh\nnpx windrow runs\n```')
    expect(line!.expected).toBeUndefined()
  })

  test.each([
    ['a "b c" d', ['a', 'b c', 'd']],
    ['a \'b "c"\' # d', ['a', 'b "c"']],
    ['# a', []],
    ['  ', []],
    ['a#b', ['a#b']],
  ])('%j is split into %j', (line, words) => {
    expect(wordsOf(line)).toEqual(words)
  })

  describe('are run', () => {
    let folder: string
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'windrow-readme-'))
      writeFileSync(
        join(folder, 'program.mjs'),
        `import { mkdirSync, writeFileSync } from 'node:fs'
         const [verb, text] = process.argv.slice(2)
         console.log('said ' + text)
         if (verb === 'write') { mkdirSync('out', { recursive: true }); writeFileSync('out/' + text + '.txt', '') }
         if (verb === 'serve') setInterval(() => {}, 1000)
         if (verb === 'fail') process.exitCode = 3`,
      )
    })
    afterEach(() => rmSync(folder, { recursive: true, force: true }))

    const block = (check: string, line: string): string => `<!-- check\n${check}\n-->\n\`\`\`sh\n${line}\n\`\`\`\n`

    test.each([
      ['what was expected', block('0 "said rimu" out/rimu.txt', 'npx windrow write rimu'), []],
      ['an expected failure', block('3', 'npx windrow fail x'), []],
      ['a service beside the others', block('runs "said up"\n0', 'npx windrow serve up\nnpx windrow write x'), []],
      ['another exit code', block('0', 'npx windrow fail x'), [/ended with 3, not 0/]],
      ['another text', block('0 "said rata"', 'npx windrow write rimu'), [/did not say "said rata"/]],
      ['a missing file', block('0 out/rata.txt', 'npx windrow write rimu'), [/left no out\/rata.txt/]],
      ['a service that ended', block('runs "said up"', 'npx windrow fail down'), [/ended with 3/]],
      [
        'a program',
        '<!-- check\n0 "3 rows" a.txt\n-->\n```js\nimport "fs"\nconsole.log("3 rows")\n```\n',
        [/no a.txt/],
      ],
      ['a program with a name that is not defined', '<!-- check\n0\n-->\n```js\nrun(deps)\n```\n', [/ended with 1/]],
      ['a program without a check', '```js\nrun(deps)\n```\n', [/nothing is expected/]],
      ['a command without a check', '```sh\nnpx windrow write x\n```\n', [/nothing is expected/]],
    ])('and %s is reported', async (_, markdown, expected) => {
      const faults = await faultsOf(commandsOf(markdown), folder, join(folder, 'program.mjs'))
      expect(faults).toEqual(expected.map((pattern) => expect.stringMatching(pattern) as unknown))
    })
  })
})

test.each([...globSync('docs/*.md', { cwd: root }), 'README.md', 'CONTRIBUTING.md'])(
  '%s names only files that are there',
  (document) => {
    const text = readFileSync(join(root, document), 'utf8')
    const named = text.match(/\b(?:src|test|tools|bench|bin)\/[\w./-]+\.(?:ts|mjs|js|json)\b/g) ?? []
    expect(named.filter((path) => !path.includes('NAME') && !existsSync(join(root, path)))).toEqual([])
  },
)

describe('the README', () => {
  const lines = commandsOf(readFileSync(join(root, 'README.md'), 'utf8'))
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'windrow-readme-'))
    for (const name of ['samples', 'pipelines'])
      cpSync(join(root, name), join(folder, name), { recursive: true, preserveTimestamps: true })
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('shows how it is installed, tested and used', () => {
    expect(lines.filter(({ words }) => isWindrow(words)).length).toBeGreaterThanOrEqual(6)
    expect(lines.map(({ text }) => text)).toEqual(expect.arrayContaining(['npm start', 'npm test']))
  })

  test('names only existing scripts and files', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly scripts: object }
    const named = lines
      .filter(({ words }) => words[0] === 'npm' && words[1] !== 'install' && words[1] !== 'ci')
      .map(({ words }) => (words[1] === 'run' ? words[2]! : words[1]!))
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
    const targets = Object.values(scripts).map((script: string) => script.split(' ')[2]!)
    expect(targets.filter((target) => !existsSync(join(root, target)))).toEqual([])
  })

  test('shows only names of the library, and first an example of five lines', async () => {
    const examples = lines.flatMap(({ program }) => program ?? [])
    const named = examples.flatMap((example) =>
      [...example.matchAll(/import \{([^}]*)\} from 'windrow/g)].flatMap(([, names]) => names!.split(',')),
    )
    const exported = Object.keys(await import('../src/index.ts'))
    expect(named.length).toBeGreaterThan(1)
    expect(named.map((name) => name.trim()).filter((name) => !exported.includes(name))).toEqual([])
    const linesOfCode = examples[0]!.split('\n').filter((line) => line !== '')
    expect(linesOfCode.length).toBeLessThanOrEqual(5)
  })

  test('shows commands that give the stated results', async () => {
    expect(await faultsOf(lines, folder)).toEqual([])
  })
})
