/** Stops a run that would take the boundaries from records that the service has, but does not show in its feed of changes. */

import { WindrowError } from '../../core/error.ts'
import { identifierText, type Identifier } from '../../resources/resource-type.ts'
import { sourceIds } from '../../resources/spellings.ts'
import { unlessSlow } from '../export/find-holding.ts'
import { datasetOf } from '../stage/import-job.ts'
import type { RowTotals } from '../stage/row-totals.ts'
import type { Judging } from '../settle/judging.ts'

/** One page is enough: a feed that lags or was lost hides the whole farm. */
const limit = 1000

/**
 * Stops the run for a farm that seems to have no records yet, where the features of the service show those that this run
 * would create without a boundary. Asks only then, and passes a service that does not answer. The next run reads the feed from
 * its start.
 */
export async function judgeUnseen(
  { job: { type }, stage, ledger, client, signal }: Judging,
  { newWithoutBoundary }: RowTotals,
): Promise<void> {
  const { plural } = type
  const [holding, ...others] = stage.recall('holdings') ?? []
  if (client === undefined || newWithoutBoundary === 0 || holding === undefined || others.length > 0) return
  if (plural !== 'plots' && plural !== 'land-covers') return
  const shown = await unlessSlow(signal, async (patience) => {
    const ids = (await client.control(patience)).find(({ identifiers }) =>
      identifiers.some((each) => identifierText(each) === identifierText(holding)),
    )
    if (ids?.holdingId === undefined) return undefined
    for await (const page of client.features(plural, { holdingId: ids.holdingId, limit }, patience)) return page
    return undefined
  })
  const bounded = (shown ?? []).filter(({ geometry }) =>
    (geometry as { type?: string } | null)?.type?.endsWith('Polygon'),
  )
  if (bounded.length === 0) return
  const created = new Set(
    stage
      .query<Identifier>(`SELECT source_scheme AS scheme, source_id AS id FROM records WHERE action = 'create'`)
      .map(identifierText),
  )
  const count = bounded.filter(({ properties }) =>
    sourceIds((properties['agriculture'] as { meta?: unknown } | undefined)?.meta).some((each) =>
      created.has(identifierText(each)),
    ),
  ).length
  if (count === 0) return
  ledger.readAnew(datasetOf({ type }))
  throw new WindrowError(
    'service-confused',
    `The service has ${count} of these ${plural} with a boundary, but does not show them in its feed of changes. This run would take their boundaries away. Nothing was sent.`,
    {
      hint: 'Run it again later: it then reads the whole feed. If it lasts, report it to the operator of the service.',
    },
  )
}
