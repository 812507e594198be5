/** Defines the options for reading tables and sheets. */

/** The option `header`, the same for all grids. */
export const headerOption = {
  type: ['integer', 'string'],
  minimum: 1,
  pattern: '^(?:none|[1-9][0-9]*(?:-[1-9][0-9]*)?)$',
  description: 'The row with the column names: its number, a range such as 2-3, or "none".',
} as const

/** The options that name the columns with geometry, or state that there are none. */
export const geometryOptions = {
  geometry: { type: 'string', minLength: 1, description: 'The column with the boundary as text, or "none".' },
  x: { type: 'string', minLength: 1, description: 'The column with the longitude or easting.' },
  y: { type: 'string', minLength: 1, description: 'The column with the latitude or northing.' },
} as const

/** The options of all workbook readers. */
export const sheetOptions = {
  header: headerOption,
  hidden: { type: 'boolean', description: 'Read hidden sheets too.' },
  ...geometryOptions,
} as const
