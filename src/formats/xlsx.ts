/** Recognises Excel workbooks and defines their options. */

import { strictObject } from '../core/object-schema.ts'
import type { Format, Probe } from './format.ts'
import { sheetOptions } from './grid/options.ts'

/** Excel workbooks: several sheets, typed cells, ids and codes as text. */
export const xlsx: Format = {
  name: 'xlsx',
  title: 'Excel workbook (.xlsx)',
  extensions: ['.xlsx'],
  isWorkbook: true,
  options: strictObject([], {
    ...sheetOptions,
    level: {
      type: 'integer',
      minimum: 1,
      maximum: 9,
      writeOnly: true,
      description: 'When writing: compression level, from 1 (fast) to 9 (small).',
    },
  }),
  recognise,
  open: async (source, options) => (await import('./xlsx/read.ts')).openXlsx(source, options, false),
  look: async (source, options) => (await import('./xlsx/read.ts')).openXlsx(source, options, true),
  write: async (tables, target, options) => (await import('./xlsx/write-xlsx.ts')).writeXlsx(tables, target, options),
}

function recognise({ name, members }: Probe): boolean {
  if (members === undefined) return false
  return members.includes('xl/workbook.xml') || (/\.xls[xm]$/i.test(name) && members.includes('[Content_Types].xml'))
}
