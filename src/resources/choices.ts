/** Reduces the faults of a failed choice (anyOf, oneOf) to those of the branch that was meant. */

/** A fault from the schema checker: the keyword that failed, its place and its value. */
export type SchemaFault = {
  readonly keyword: string
  readonly instancePath: string
  readonly schemaPath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly data?: unknown
  readonly parentSchema?: unknown
}

/**
 * Removes the faults of branches that were not meant. The meant branch is the one that got deepest into the value, then the one
 * with the fewest faults; where the value fits no branch at all, one fault lists the possible ones.
 */
export function settleChoices(faults: readonly SchemaFault[]): readonly SchemaFault[] {
  let left = faults
  // Inner choices come before outer ones, so one pass resolves nested choices from the inside out.
  for (const choice of faults.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')) {
    const branches = branchesOf(choice, left)
    const meant = [...branches.values()]
      .filter((branch) => !branch.some((fault) => saysOther(fault, choice)))
      .toSorted((one, other) => depthOf(other) - depthOf(one) || one.length - other.length)[0]
    const inBranches = new Set([...branches.values()].flat())
    left = left.flatMap((fault) => {
      if (fault === choice) return meant === undefined ? [whatIsPossible(choice, inBranches)] : []
      return !inBranches.has(fault) || meant?.includes(fault) === true ? [fault] : []
    })
  }
  return left
}

function branchesOf(choice: SchemaFault, faults: readonly SchemaFault[]): ReadonlyMap<string, readonly SchemaFault[]> {
  const inside = `${choice.schemaPath}/`
  const branches = new Map<string, SchemaFault[]>()
  for (const fault of faults) {
    const isInside =
      fault.instancePath === choice.instancePath || fault.instancePath.startsWith(`${choice.instancePath}/`)
    if (fault === choice || !isInside || !fault.schemaPath.startsWith(inside)) continue
    const branch = fault.schemaPath.slice(inside.length).split('/', 1)[0]!
    const known = branches.get(branch)
    if (known === undefined) branches.set(branch, [fault])
    else known.push(fault)
  }
  return branches
}

/** True when the value has another type than the branch, or another word in the member that distinguishes branches. */
function saysOther({ keyword, instancePath }: SchemaFault, choice: SchemaFault): boolean {
  if (keyword === 'type') return instancePath === choice.instancePath
  if (keyword !== 'const' && keyword !== 'enum') return false
  return !instancePath.slice(choice.instancePath.length + 1).includes('/')
}

function depthOf(branch: readonly SchemaFault[]): number {
  return Math.max(...branch.map(({ instancePath }) => instancePath.split('/').length))
}

function whatIsPossible(choice: SchemaFault, inBranches: ReadonlySet<SchemaFault>): SchemaFault {
  const others = [...inBranches].filter((fault) => saysOther(fault, choice))
  const words = others.filter(({ keyword }) => keyword !== 'type')
  const word = words[0]
  if (word !== undefined) {
    const same = words.filter(({ instancePath }) => instancePath === word.instancePath)
    const allowedValues = same.flatMap(
      ({ params }) => (params['allowedValues'] as unknown[] | undefined) ?? [params['allowedValue']],
    )
    return { ...word, keyword: 'enum', params: { allowedValues } }
  }
  const types = others.flatMap(({ params }) => params['type'] as string | string[])
  return types.length === 0 ? choice : { ...choice, keyword: 'type', params: { type: [...new Set(types)] } }
}
