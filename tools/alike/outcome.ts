/** Compares what two builds made of the same files. */

/** What one run of one file gave. */
export type Outcome = {
  readonly file: string
  /** Which run of this file: dry, sent, again, or the number of a night. */
  readonly run: string
  readonly exit: number
  readonly counts: Readonly<Record<string, number>>
  /** How often each finding came, and what stopped the run. */
  readonly codes: Readonly<Record<string, number>>
  /** The lines of ready.ndjson, without what differs from run to run. */
  readonly bodies: readonly string[]
}

/** One way in which runs differ; `where` names all the runs that differ in this way. */
export type Difference = { readonly what: string; readonly where: string; readonly runs: number }

export function differencesOf(olds: readonly Outcome[], youngs: readonly Outcome[]): readonly Difference[] {
  const nameOf = ({ file, run }: Outcome): string => `${file} (${run})`
  const [oldByName, youngByName] = [olds, youngs].map((each) => new Map(each.map((one) => [nameOf(one), one])))
  const differing = [...olds, ...youngs.filter((each) => !oldByName!.has(nameOf(each)))].flatMap((outcome) => {
    const [old, young] = [oldByName!, youngByName!].map((each) => each.get(nameOf(outcome)))
    const what = old === undefined ? 'was not run' : young === undefined ? 'is not run' : differenceOf(old, young)
    return what === '' ? [] : [{ ...outcome, what }]
  })
  return [...Map.groupBy(differing, ({ what }) => what)].map(([what, outcomes]) => ({
    what,
    where: [...Map.groupBy(outcomes, ({ file }) => file)]
      .map(([file, each]) => `${file} (${each.map(({ run }) => run).join(', ')})`)
      .join(', '),
    runs: outcomes.length,
  }))
}

function differenceOf(old: Outcome, young: Outcome): string {
  return [
    ...(old.exit === young.exit ? [] : [`exit ${old.exit} -> ${young.exit}`]),
    ...changesOf(old.counts, young.counts),
    ...changesOf(old.codes, young.codes).map((change) => `code ${change}`),
    ...bodyChanges(old.bodies, young.bodies),
  ].join('; ')
}

function changesOf(old: Readonly<Record<string, number>>, young: Readonly<Record<string, number>>): readonly string[] {
  return [...new Set([...Object.keys(old), ...Object.keys(young)])]
    .filter((name) => (old[name] ?? 0) !== (young[name] ?? 0))
    .map((name) => `${name} ${old[name] ?? 0} -> ${young[name] ?? 0}`)
}

/** One text for each member that differs, with its first body and how many more bodies differ in it. */
function bodyChanges(old: readonly string[], young: readonly string[]): readonly string[] {
  const [olds, youngs] = [byKey(old), byKey(young)]
  const missing = [...olds.keys()].filter((key) => !youngs.has(key))
  const added = [...youngs.keys()].filter((key) => !olds.has(key))
  const changes = Map.groupBy(
    [...olds].flatMap(([key, line]) => (youngs.has(key) ? memberChanges(key, line, youngs.get(key)!) : [])),
    ({ member }) => member,
  )
  return [
    ...(missing.length === 0 ? [] : [`${missing.length} bodies less: ${missing[0]}`]),
    ...(added.length === 0 ? [] : [`${added.length} bodies more: ${added[0]}`]),
    ...[...changes].map(([member, [first, ...more]]) => {
      const others = more.length === 0 ? '' : ` and ${more.length} more`
      return `body ${first!.key}${others}: ${member} ${first!.old} -> ${first!.young}`
    }),
    ...(changes.size === 0 && missing.length + added.length === 0 && old.join('\n') !== young.join('\n')
      ? ['the order of the bodies']
      : []),
  ]
}

/** Bodies by the key of their record; without one, or where it comes again, by their number. */
function byKey(lines: readonly string[]): ReadonlyMap<string, string> {
  const bodies = new Map<string, string>()
  for (const [index, line] of lines.entries()) {
    const { dataPointKey } = JSON.parse(line) as { readonly dataPointKey?: string }
    const isFirst = dataPointKey !== undefined && !bodies.has(dataPointKey)
    bodies.set(isFirst ? dataPointKey : String(index + 1), line)
  }
  return bodies
}

type MemberChange = { readonly key: string; readonly member: string; readonly old: string; readonly young: string }

function memberChanges(key: string, oldLine: string, youngLine: string): readonly MemberChange[] {
  if (oldLine === youngLine) return []
  const [olds, youngs] = [membersOf(JSON.parse(oldLine)), membersOf(JSON.parse(youngLine))]
  const changes = [...new Set([...olds.keys(), ...youngs.keys()])]
    .map((member) => ({ key, member, old: olds.get(member) ?? '-', young: youngs.get(member) ?? '-' }))
    .filter(({ old, young }) => old !== young)
  const found = changes.length > 0 ? changes : [{ key, member: 'bytes', old: oldLine, young: youngLine }]
  return found.map((each) => ({ ...each, ...around(each.old, each.young) }))
}

/** The values in a body by where they are, such as crops[0].name; coordinates are one value. */
function membersOf(body: unknown, path = ''): ReadonlyMap<string, string> {
  if (typeof body !== 'object' || body === null || path.endsWith('.coordinates'))
    return new Map([[path, JSON.stringify(body)]])
  const steps: [string, unknown][] = Array.isArray(body)
    ? body.map((each, index) => [`[${index}]`, each])
    : Object.entries(body).map(([name, each]) => [path === '' ? name : `.${name}`, each])
  return new Map(steps.flatMap(([step, each]) => [...membersOf(each, path + step)]))
}

/** Long texts only around the place where they begin to differ. */
function around(old: string, young: string): { readonly old: string; readonly young: string } {
  const most = 60
  if (old.length <= most && young.length <= most) return { old, young }
  let same = 0
  while (old[same] === young[same]) same += 1
  const from = Math.max(0, same - most / 2)
  const cut = (text: string): string =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + most)}${text.length > from + most ? '…' : ''}`
  return { old: cut(old), young: cut(young) }
}
