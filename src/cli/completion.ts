/** Runs `windrow completion`: prints the script with which a shell completes commands, options and their choices. */

import { WindrowError } from '../core/error.ts'
import { specsOf, word, type CommandEntry, type CommandSpec, type Specs } from './options/command.ts'
import { say } from './screen/terminal.ts'

/** What can follow a command: further commands or the choices of its argument, and its options. */
type Step = {
  /** The words of the command, such as 'service changes'; empty for windrow itself. */
  readonly path: string
  readonly summary: string
  readonly parts: readonly string[]
  readonly choices: readonly string[]
  readonly options: ReturnType<typeof optionsOf>
}

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript }

/** The command; it loads all commands only when it runs. */
export function completionOf(loadCommands: () => Promise<readonly CommandEntry[]>): CommandSpec {
  return {
    words: { shell: { description: 'bash, zsh, fish or powershell', choices: Object.keys(scripts) } },
    options: {},
    examples: ['windrow completion bash >> ~/.bashrc', 'windrow completion powershell | Add-Content $PROFILE'],
    async run(call) {
      const shell = word(call, 'shell')
      const script = new Map(Object.entries(scripts)).get(shell)
      if (script === undefined)
        throw new WindrowError('option-invalid', `windrow has no completion for "${shell}".`, {
          hint: `Use one of: ${Object.keys(scripts).join(', ')}.`,
        })
      const all = { path: '', summary: '', options: { ...help, '-v, --version': 'print the version' } }
      say(call.terminal, script(stepsBelow(all, await loadCommands())))
    },
  }
}

const help = { '-h, --help': 'print help' }

type Above = { readonly path: string; readonly summary: string; readonly options: Specs }

function stepsBelow({ path, summary, options }: Above, entries: readonly CommandEntry[]): readonly Step[] {
  const here = { path, summary, parts: entries.map(({ name }) => name), choices: [], options: optionsOf(options) }
  const below = entries.flatMap((entry): readonly Step[] => {
    const inner = { path: `${path} ${entry.name}`.trim(), summary: entry.summary }
    if ('parts' in entry) return stepsBelow({ ...inner, options: help }, entry.parts)
    const [first] = specsOf(entry.words)
    return [{ ...inner, parts: [], choices: first?.choices ?? [], options: optionsOf({ ...entry.options, ...help }) }]
  })
  return [here, ...below]
}

function optionsOf(options: Specs) {
  return specsOf(options).map(({ name, description, choices = [] }) => ({
    names: name.match(/(?<!\S)--?[\w-]+/g) ?? [],
    description,
    takesValue: name.includes('<'),
    choices,
  }))
}

/** Each option that takes a value, as "command/--option", and the choices for it. */
function valuesOf(steps: readonly Step[]) {
  return steps.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .flatMap(({ names, choices }) => names.map((name) => [`${path}/${name}`, choices] as const)),
  )
}

/** The cases that bash and zsh share: they set `command` from the typed words, then `choices` from command and word before. */
function posixCases(steps: readonly Step[]): string {
  const paths = steps.filter(({ path }) => path !== '').map(({ path }) => quoted(path))
  const byChoices = Map.groupBy(valuesOf(steps), ([, choices]) => choices.join(' '))
  const ofValues = [...byChoices].map(
    ([choices, all]) => `    ${all.map(([name]) => quoted(name)).join('|')}) choices=${quoted(choices)}; return ;;`,
  )
  const ofCommands = steps.map(
    ({ path, parts, choices, options }) =>
      `    ${quoted(path)}) choices=${quoted([...parts, ...choices].join(' '))}; options=${quoted(options.flatMap(({ names }) => names).join(' '))} ;;`,
  )
  return [
    '_windrow_choices() {',
    '  local word',
    '  command="" choices="" options=""',
    '  for word in "$@"; do',
    '    case "${command:+$command }$word" in',
    `      ${paths.join('|')}) command="\${command:+$command }$word" ;;`,
    '    esac',
    '  done',
    '  case "$command/$previous" in',
    ...ofValues,
    '  esac',
    '  case "$command" in',
    ...ofCommands,
    '  esac',
    '  case "$current" in -*) choices=$options ;; esac',
    '}',
  ].join('\n')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function bashScript(steps: readonly Step[]): string {
  return `# bash completion of windrow
${posixCases(steps)}
_windrow() {
  local command choices options current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  _windrow_choices "\${COMP_WORDS[@]:1:COMP_CWORD-1}"
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -o default -F _windrow windrow`
}

function zshScript(steps: readonly Step[]): string {
  return `# zsh completion of windrow
${posixCases(steps)}
_windrow() {
  local command choices options current=$words[CURRENT] previous=$words[CURRENT-1]
  _windrow_choices "\${(@)words[2,CURRENT-1]}"
  if [[ -n $choices ]]; then compadd -- \${=choices}; else _files; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _windrow windrow`
}

function fishScript(steps: readonly Step[]): string {
  const lines = steps.flatMap(({ path, parts, choices, options }) => {
    const typed = path === '' ? [] : path.split(' ').map((each) => `__fish_seen_subcommand_from ${each}`)
    const none = parts.length === 0 ? [] : [`not __fish_seen_subcommand_from ${parts.join(' ')}`]
    const rule = `complete -c windrow -n ${quoted([...typed, ...none].join('; and '))}`
    const summaryOf = (part: string): string =>
      steps.find((each) => each.path === `${path} ${part}`.trim())?.summary ?? ''
    return [
      ...parts.map((part) => `${rule} -f -a ${part} -d ${quoted(summaryOf(part))}`),
      ...(choices.length === 0 ? [] : [`${rule} -f -a ${quoted(choices.join(' '))}`]),
      ...options.map(({ names, description, takesValue, choices: values }) => {
        const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
        const value = values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : takesValue ? ' -r' : ''
        return `${rule} ${flags.join(' ')}${value} -d ${quoted(description)}`
      }),
    ]
  })
  return `# fish completion of windrow\n${lines.join('\n')}`
}

function powershellScript(steps: readonly Step[]): string {
  const list = (words: readonly string[]): string => `@(${words.map(powershellText).join(', ')})`
  const words = steps.map(({ path, parts, choices }) => `    ${powershellText(path)} = ${list([...parts, ...choices])}`)
  const options = steps.map(
    ({ path, options: all }) => `    ${powershellText(path)} = ${list(all.flatMap(({ names }) => names))}`,
  )
  const values = valuesOf(steps).map(([name, choices]) => `    ${powershellText(name)} = ${list(choices)}`)
  return `# PowerShell completion of windrow
Register-ArgumentCompleter -Native -CommandName windrow -ScriptBlock {
  param($current, $ast, $position)
  $words = @{
${words.join('\n')}
  }
  $options = @{
${options.join('\n')}
  }
  $values = @{
${values.join('\n')}
  }
  $typed = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | Select-Object -Skip 1 | ForEach-Object { "$_" })
  $command = ''
  foreach ($word in $typed) {
    $next = "$command $word".Trim()
    if ($words.ContainsKey($next)) { $command = $next }
  }
  $previous = "$command/" + ($typed | Select-Object -Last 1)
  $found = if ($values.ContainsKey($previous)) { $values[$previous] } elseif ($current -like '-*') { $options[$command] } else { $words[$command] }
  $found | Where-Object { $_ -like "$current*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}`
}

function powershellText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
