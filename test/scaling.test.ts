import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { everyCommand } from '../src/cli/options/command.ts'
import { loadCommands } from '../src/cli/commands.ts'
import { readYaml } from '../src/pipeline/definition/yaml-source.ts'
import { root } from './imports.ts'

const page = readFileSync(join(root, 'docs/scaling.md'), 'utf8')
const recipe = (name: string): string => new RegExp(`<!-- file: ${name} -->\n\`\`\`\\w+\n([^]*?)\`\`\``).exec(page)![1]!
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly peerDependencies: Readonly<Record<string, string>>
}

describe('docs/scaling.md', () => {
  test('calls only commands and options that exist', async () => {
    const commands = everyCommand(await loadCommands())
    const lines = [...page.matchAll(/^ *windrow ([a-z][^\n]*)$/gm)].map(([, words = '']) => words)
    expect(lines.length).toBeGreaterThan(4)
    for (const line of lines) {
      const found = commands.find(({ words }) => line === words || line.startsWith(`${words} `))
      const known = Object.keys(found!.command.options).map((flags) => /--[\w-]+/.exec(flags)![0])
      for (const option of line.match(/--[\w-]+/g) ?? []) expect(known, line).toContain(option)
    }
  })

  test('installs the packages that this version works with', () => {
    const wanted = Object.entries(manifest.peerDependencies).map(([name, version]) => `${name}@${version}`)
    for (const text of [page.slice(0, page.indexOf('## Containers')), recipe('Dockerfile')])
      for (const each of wanted) expect(text).toContain(each)
  })

  test('has a compose file and a manifest that start the same worker as its container', async () => {
    const command = JSON.parse(/^CMD (.*)$/m.exec(recipe('Dockerfile'))![1]!) as readonly string[]
    type Compose = {
      services: Record<string, { image?: string; deploy?: object; command?: string[]; volumes: string[] }>
    }
    const { services } = parsed(recipe('compose.yaml')) as Compose
    expect(services['database']!.image).toMatch(/^postgres:1[5-9]$/)
    expect(services['worker']).toMatchObject({ deploy: { replicas: 2 }, volumes: ['./farms:/farms'] })
    const [name, ...words] = services['service']!.command!
    const serve = everyCommand(await loadCommands()).find((each) => each.words === name)!
    const known = Object.keys(serve.command.options).map((flags) => flags.split(' ')[0])
    expect(known).toEqual(expect.arrayContaining(words.filter((word) => word.startsWith('--'))))
    type Deployment = { spec: { template: { spec: { containers: { args: string[]; volumeMounts: object[] }[] } } } }
    const { spec } = parsed(recipe('worker.yaml')) as Deployment
    expect(spec.template.spec.containers[0]).toMatchObject({ args: command, volumeMounts: [{ mountPath: '/farms' }] })
  })
})

function parsed(text: string): unknown {
  const { value } = readYaml(text)
  return value
}
