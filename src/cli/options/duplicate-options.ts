/** The options about a file of records that the service has already, or that are probably those of another farm. */

import { matchOption } from '../../pipeline/definition/match-policy.ts'
import { choice, text, type Input, type OptionSpec } from './command.ts'

/** import and run share these. */
export const duplicateOptions: readonly OptionSpec[] = [
  {
    flags: '--match <HOW>',
    description:
      'find records that the service has under other keys and update those: boundary, name, or COLUMN=identifier where the column has ids that the service knows',
  },
  {
    flags: '--duplicates <POLICY>',
    description:
      'allow: publish new records even if the service has many of them already, under other keys (default: stop)',
  },
  {
    flags: '--far <POLICY>',
    description: 'allow: publish boundaries even if most lie more than 50 km from those of the farm (default: stop)',
  },
  {
    flags: '--renamed <POLICY>',
    description:
      'allow: publish even if most known records get another name and other values at once, or names or boundaries of other records, as from the file of another farm (default: stop)',
  },
]

const policies = ['stop', 'allow'] as const

/** The values of these options; undefined where not given. */
export function duplicatesOf(input: Input) {
  return {
    match: matchOption(text(input, 'match')),
    duplicates: choice(input, 'duplicates', policies),
    far: choice(input, 'far', policies),
    renamed: choice(input, 'renamed', policies),
  }
}
