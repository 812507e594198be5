/** Decides which farm the records of a file belong to, and finds rows of other farms. */

import { WindrowError } from '../../core/error.ts'
import type { TableProfile } from '../../core/profile/profile-table.ts'
import { asks, chosen, chosenByPerson, type Choice, type Other } from '../../core/row.ts'
import { judge, usualPolicy } from '../../core/rule.ts'
import { hasLostZeros, zerosLost } from '../../core/values/same-name.ts'
import { choiceOf, columnsTaken } from '../../mapping/choice.ts'
import { saysName } from '../../core/values/header-words.ts'
import type { Columns } from '../../rules/columns.ts'
import { identifierText, type Identifier, type ResourceType } from '../../resources/resource-type.ts'
import { otherFarmNamed } from '../../rules/file.ts'
import type { Group } from '../definition/yaml-source.ts'
import { farmColumns, farmSaid, farmsNamedIn, farmsToChoose, farmsToWrite, type Farm } from '../export/find-holding.ts'
import type { Connection } from '../report/course.ts'
import { wholeFile } from '../stage/stage-store.ts'
import type { TableFacts } from './look.ts'

/** What is asked about farms: the file's own name, and the service. */
type FarmsAround = {
  readonly fileName: string
  readonly connection: Connection | undefined
  readonly signal: AbortSignal
}

type ForHolding = {
  readonly profile: TableProfile
  readonly type: ResourceType
  readonly key: Choice
}

/** The farm that a person names, that the export or a column names, or the only one; else a question. */
export async function decideHolding(
  said: Group,
  decided: Columns,
  { profile, type, key }: ForHolding,
  { fileName, connection, signal }: FarmsAround,
): Promise<Choice> {
  const written = said['holding']
  const given =
    typeof written === 'string'
      ? await farmSaid(written, { type, connection, signal })
      : (written as Identifier | undefined)
  const ofRows = choiceOf(decided.choices, 'holding')
  const own = decided.given && (ofRows?.value as Identifier | undefined)
  if (own !== undefined) {
    if (given !== undefined && given.id !== '') refuseMove(own, given, { fileName, profile })
    return chosen('holding', identifierText(own), 'the column of the export that names it')
  }
  if (given !== undefined && profile.columns.some(({ name }) => name === given.id))
    throw new WindrowError('option-invalid', `holding: "${given.id}" is a column of the file, not the id of a farm.`, {
      hint: `To take the farm of each row from it:  holding: "${given.scheme}:<${given.id}>"`,
    })
  if (given !== undefined && given.id !== '') return chosenByPerson('holding', identifierText(given))
  const isFarms = type.plural === 'holdings'
  // A name never becomes an official number by itself.
  const [keyColumn, ...others] = columnsTaken(key.value)
  const isNumber = isFarms && keyColumn !== undefined && others.length === 0 && !saysName(keyColumn)
  const column = columnsTaken(ofRows?.value)[0] ?? (isNumber ? keyColumn : undefined)
  if (given !== undefined) {
    if (column !== undefined)
      return {
        ...chosenByPerson('holding', `${given.scheme}:<${column}>`),
        evidence: ofRows?.evidence ?? 'the key',
      }
    throw new WindrowError('holding-missing', `"${given.scheme}" names no farm, and no column of the file does.`, {
      hint: 'Write SCHEME:ID, such as nz.example.farm-number:00412876.',
    })
  }
  if (isFarms)
    return asks('holding', 'Which column contains the farm number?', {
      evidence: `Write SCHEME:<COLUMN>, such as nz.example.farm-number:<${column ?? 'FARM_NO'}>; the scheme is the register of the numbers, as the service calls it`,
    })
  const farms = connection === undefined ? [] : await farmsToChoose(connection.client, profile, signal)
  const only = farms.length === 1 ? farms[0]!.identifiers[0] : undefined
  if (only !== undefined) return chosen('holding', identifierText(only), 'the only farm that you may write')
  return asks('holding', 'Which farm do the records belong to?', {
    evidence:
      farms.length === 0
        ? 'Write SCHEME:ID, such as nz.example.farm-number:00412876; "windrow service control" lists your farms'
        : '',
    others: [
      ...farmOfEachRow(farms, ofRows, profile),
      ...farms.flatMap(({ identifiers: [first], name }) =>
        first === undefined ? [] : [{ value: identifierText(first), evidence: name }],
      ),
    ],
  })
}

/** Where a column has the numbers of several farms, the farm of each row, by the scheme of the first of these farms. */
function farmOfEachRow([first]: readonly Farm[], holding: Choice | undefined, profile: TableProfile): readonly Other[] {
  const [named] = columnsTaken(holding?.value)
  const column = profile.columns.find(({ name }) => name === named)
  const scheme = first?.identifiers[0]?.scheme
  if (column === undefined || column.distinct < 2 || scheme === undefined) return []
  return [{ value: `${scheme}:<${column.name}>`, evidence: 'the farm of each row' }]
}

/** Throws a WindrowError if a person named one farm for an export of several: the records of the others would move there. */
function refuseMove(
  own: Identifier,
  said: Identifier,
  { fileName, profile }: { fileName: string; profile: TableProfile },
): void {
  const { distinct, examples } = profile.columns.find(({ name }) => own.id === `<${name}>`)!
  const isSame = said.id === own.id || (distinct === 1 && said.id === examples[0])
  if (isSame && said.scheme === own.scheme) return
  const message = `"${fileName}" is an export in which ${own.id} names the farm of each record: ${examples.slice(0, 3).join(', ')}. The records cannot move to ${identifierText(said)}.`
  const hint = examples.some((each) => hasLostZeros(each, said.id)) ? zerosLost : 'Leave out the holding.'
  throw new WindrowError('option-invalid', message, { hint })
}

/** What to check if a column names another farm of the account than the chosen one. */
export async function otherFarms(
  chosenOne: Identifier | undefined,
  type: ResourceType,
  { profile }: TableFacts,
  { fileName, connection, signal }: FarmsAround,
): Promise<readonly string[]> {
  if (connection === undefined || chosenOne === undefined || String(chosenOne.id).includes('<')) return []
  const words = type.plural === 'holdings' ? [] : farmColumns(profile.columns)
  if (words.length === 0) return []
  const columns = farmsNamedIn(words, { chosen: chosenOne, farms: await farmsToWrite(connection.client, signal) })
  const facts = { file: fileName, chosen: chosenOne, columns }
  const found = judge([otherFarmNamed], facts, { policy: usualPolicy, place: wholeFile(fileName) })
  return found.flatMap(({ message, hint, setting }) => [`please check: ${message}`, `${setting}. ${hint}`])
}
