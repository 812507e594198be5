/**
 * A program that uses the package, compiled by tools/build.mjs against the emitted types with every strict flag and without
 * skipLibCheck. It is never run.
 */

import {
  adoptFormat,
  exportFile,
  fileSource,
  formats,
  importPipeline,
  openFile,
  plan,
  problem,
  readPipeline,
  resourceTypes,
  WindrowError,
  type Client,
  type Column,
  type FormatOptions,
  type ImportSettings,
  type OwnFormat,
  type OwnTable,
  type Plot,
  type Probe,
  type Report,
  type Row,
  type Source,
} from 'windrow'
import { identifyCrs, projectorFor } from 'windrow/files'

export { createService, serve, type Service, type ServiceOptions } from 'windrow/service'

export const toLonLat = projectorFor(identifyCrs({ from: 'option', text: 'EPSG:2193' }))

const plot: Plot = {
  resourceType: 'plotResource',
  name: 'Rāhui',
  meta: { modified: '2026-11-20T00:00:00Z', sourceId: { scheme: 'nz.example.rimu.paddock', id: '007' } },
}
// @ts-expect-error: a name is text
export const wrong: Plot = { ...plot, name: 7 }

/** A format as its author would write it. */
export const lines: OwnFormat = {
  name: 'lines',
  title: 'Lines',
  extensions: ['.lines'],
  options: { type: 'object', properties: {}, additionalProperties: false },
  recognise: ({ name, members }: Probe) => name.endsWith('.lines') && members === undefined,
  async open(source: Source, options: FormatOptions): Promise<readonly OwnTable[]> {
    const column: Column = { name: String(options['column'] ?? 'line'), type: 'text' }
    async function* batches(): AsyncGenerator<readonly Row[]> {
      for await (const chunk of source.stream()) {
        const at = { source: source.name, row: 0 }
        const found = problem('encoding-guessed', at, { message: 'Every line was read unchanged.' })
        yield [{ at, values: { [column.name]: Buffer.from(chunk).toString() }, problems: [found] }]
      }
    }
    return [{ name: 'lines', columns: [column], batches }]
  },
}

export async function count(path: string, own: OwnFormat): Promise<number> {
  const { tables } = await openFile(await fileSource(path), { formats: [adoptFormat(own, 'lines'), ...formats] })
  let rows = 0
  for (const table of tables) for await (const batch of table.batches()) rows += batch.length
  return rows
}

export async function rehearse(path: string, client: Client): Promise<Report['rows']> {
  const pipeline = await readPipeline(path)
  if (pipeline.kind !== 'import') throw new WindrowError('pipeline-invalid', 'not an import')
  const settings: ImportSettings = {
    import: 'plots',
    from: { file: 'paddocks.csv', delimiter: ';' },
    holding: { scheme: 'nz.example.farm-number', id: client.account },
    key: '<No>',
    record: { name: '<Name>' },
    rules: { far: 'allow' },
  }
  const planned = await plan(settings, { connection: 'farms', name: pipeline.name, formats: [lines] })
  for (const change of planned.changes('updated')) if (change.kind === 'updated') console.log(change.fields)
  await exportFile('plots.xlsx', { export: 'plots', only: { holding: 'Rimu Farm' }, to: { columns: ['Name'] } })
  return (await importPipeline(path, { connection: 'farms', dryRun: resourceTypes.length > 0 })).rows
}

// @ts-expect-error: there is no such export
void exportFile('a.csv', { export: 'cows' })
