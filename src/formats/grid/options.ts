/** Hides nothing: what may be said of tables and sheets when they are opened. */

/** The option `header` as all grids have it. */
export const headerOption = {
  type: ['integer', 'string'],
  minimum: 1,
  pattern: '^(?:none|[1-9][0-9]*(?:-[1-9][0-9]*)?)$',
  description: 'The row with the column names: its number, several such as 2-3, or none.',
} as const

/** The options with which a person names the columns, or says that there are none. */
export const geometryOptions = {
  geometry: { type: 'string', minLength: 1, description: 'The column with the boundary as text, or none.' },
  x: { type: 'string', minLength: 1, description: 'The column with the longitude or easting.' },
  y: { type: 'string', minLength: 1, description: 'The column with the latitude or northing.' },
} as const

/** What each reader of workbooks can be told. */
export const sheetOptions = {
  header: headerOption,
  hidden: { type: 'boolean', description: 'Read hidden sheets too.' },
  ...geometryOptions,
} as const
