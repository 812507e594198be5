/** Finds where the farm of a pipeline lies, from records in the ledger or in the service. */

import type { Value } from '../../core/row.ts'
import { storageFailure } from '../../core/storage-failure.ts'
import { median } from '../../core/values/median.ts'
import type { Client } from '../../client/connection.ts'
import type { Near, Position } from '../../geometry/crs/area.ts'
import { placeIn } from '../../ledger/content.ts'
import { doubtLedger } from '../../ledger/damage.ts'
import { isLedger } from '../../ledger/known-records.ts'
import { ledgerIn, openLedger, type Ledger, type StatePlace } from '../../ledger/ledger.ts'
import { publishedTypes } from '../../resources/index.ts'
import { startOfKeys } from '../../resources/keys.ts'
import { identifierText, type Identifier } from '../../resources/resource-type.ts'
import type { ImportPipeline } from '../definition/definition.ts'
import { findHolding, unlessSlow } from '../export/find-holding.ts'
import type { Connection, PreparedImport } from '../report/course.ts'
import { prepareImport, type Preparation } from './prepare.ts'

/** What has the farm of its records. */
type Farming = { readonly mapping: { readonly holding: { readonly scheme: Value; readonly id: Value } } }

const enough = 50

/** Prepares a pipeline whose ledger is in this place, with the place of its farm. */
export function prepareNear(
  pipeline: ImportPipeline,
  { place, connection }: { readonly place: StatePlace; readonly connection: Connection | undefined },
  preparation: Omit<Preparation, 'findNear'>,
): Promise<PreparedImport> {
  return prepareImport(pipeline, {
    ...preparation,
    findNear: placeOfFarm(pipeline, place, connection, preparation.signal),
  })
}

/** Finds where the farm of a pipeline lies: by the ledger, and, only if it `isNeeded`, by the service. */
export function placeOfFarm(
  pipeline: Farming,
  place: StatePlace,
  connection: Pick<Connection, 'client'> | undefined,
  signal: AbortSignal | undefined,
): (isNeeded: boolean) => Promise<Near | undefined> {
  const holding = holdingOf(pipeline)
  return async (isNeeded) =>
    placeOfHolding(pipeline, { ...place, account: connection?.client.account }) ??
    (isNeeded && connection && holding ? placeInService(holding, connection.client, signal) : undefined)
}

/** The middle of the holding's records in the ledger; undefined without a holding or records. */
export function placeOfHolding(
  pipeline: Farming,
  { account, ...place }: StatePlace & { readonly account: string | undefined },
): Near | undefined {
  const holding = holdingOf(pipeline)
  const file = ledgerIn(place)
  if (holding === undefined || !isLedger(file)) return undefined
  try {
    using ledger = openLedger(file, account ?? 'no connection')
    return middleIn(ledger, holding)
  } catch (cause) {
    const failure = storageFailure(cause, file)
    if (failure?.code !== 'state-damaged') throw failure ?? cause
    // The place is only a help; the run itself sets a damaged ledger aside.
    doubtLedger(file)
    return undefined
  }
}

/** Where the farm of a run lies, by its own ledger, else by the service; undefined for a file of several farms. */
export async function placeOfRun(
  pipeline: Farming,
  { ledger, client, signal }: { ledger: Ledger; client: Client; signal: AbortSignal | undefined },
): Promise<Near | undefined> {
  const holding = holdingOf(pipeline)
  if (holding === undefined) return undefined
  return middleIn(ledger, holding) ?? (await placeInService(holding, client, signal))
}

function middleIn(ledger: Pick<Ledger, 'startingWith'>, holding: Identifier): Near | undefined {
  const places = publishedTypes
    .flatMap((type) => ledger.startingWith(startOfKeys({ type, holding }), enough).map(placeIn))
    .filter((place) => place !== undefined)
  return middleOf(places, `the records of holding ${holding.id}`)
}

/** The place of a holding in the service, or of its first plots; undefined without either, or if the service does not answer soon. */
async function placeInService(holding: Identifier, client: Client, signal: AbortSignal | undefined) {
  return unlessSlow(signal, async (patience) => {
    const { id } = await findHolding(client, identifierText(holding), patience)
    const own = placeIn(JSON.stringify((await client.feature('holdings', id, {}, patience)) ?? {}))
    if (own !== undefined) return middleOf([own], `holding ${holding.id} in the service`)
    for await (const page of client.features('plots', { holdingId: id, limit: enough }, patience)) {
      const places = page.map((each) => placeIn(JSON.stringify(each))).filter((place) => place !== undefined)
      return middleOf(places, `the plots of holding ${holding.id} in the service`)
    }
    return undefined
  })
}

function middleOf(places: readonly Position[], name: string): Near | undefined {
  if (places.length === 0) return undefined
  return { lon: median(places.map(({ lon }) => lon)), lat: median(places.map(({ lat }) => lat)), name }
}

/** The holding of all rows; undefined where a column has it. */
function holdingOf({ mapping }: Farming): Identifier | undefined {
  const { scheme, id } = mapping.holding
  const isConstant = (value: Value): value is string => typeof value === 'string' && value !== '' && !/[<>]/.test(value)
  return isConstant(scheme) && isConstant(id) ? { scheme, id } : undefined
}
