/** Hides what files that nobody here reads look like, so that the refusal can say it and name the way out. */

import type { Probe } from './format.ts'

/** What a file seems to be, as it fits into "This is ...", and what to do about it. */
export type Likeness = { readonly what: string; readonly hint: string }

type Sign = Likeness & { fits(probe: Probe, text: string): boolean }

const asGeoJson = 'Export it as GeoJSON or as a shapefile from the program that made it.'
const asTable = 'Export the table as CSV (UTF-8).'

const signs: readonly Sign[] = [
  {
    what: 'a PDF document',
    hint: `A PDF holds a picture of a table or map. ${asTable}`,
    fits: (_, text) => text.startsWith('%PDF'),
  },
  {
    what: 'a photo or picture',
    hint: 'A picture holds no records. Ask for the data that it shows.',
    fits: (_, text) => /^(?:\xff\xd8\xff|\x89PNG|GIF8|BM.{12}\(|RIFF.{4}WEBP|.{4}ftyphei)/s.test(text),
  },
  {
    what: 'a GeoTIFF or other TIFF picture',
    hint: 'A raster holds no records.',
    fits: (_, text) => /^(?:II\*\0|MM\0\*)/.test(text),
  },
  {
    what: 'a web page',
    hint: 'The download may have failed or need a sign-in. Download it again.',
    fits: (_, text) => /^\s*<(?:!doctype html|html)/i.test(text),
  },
  { what: 'GML', hint: asGeoJson, fits: (_, text) => /<(?:\w+:)?FeatureCollection\b|opengis\.net\/gml/.test(text) },
  { what: 'GPX tracks', hint: asGeoJson, fits: (_, text) => /<gpx\b/i.test(text) },
  {
    what: 'an ISOXML task file',
    hint: `Open it in the software of the terminal. ${asGeoJson}`,
    fits: (_, text) => /<ISO11783_TaskData\b/.test(text),
  },
  { what: 'XML', hint: asGeoJson, fits: (_, text) => /^\s*(?:\xef\xbb\xbf)?<(?:\?xml|\w)/.test(text) },
  {
    what: 'a CAD drawing (DXF)',
    hint: asGeoJson,
    fits: ({ name }, text) => /\.dxf$/i.test(name) || /^\s*0\s*\r?\n\s*SECTION/.test(text),
  },
  { what: 'a CAD drawing (DWG)', hint: asGeoJson, fits: (_, text) => /^AC10\d\d/.test(text) },
  {
    what: 'a database (SQLite or SpatiaLite)',
    hint: 'Save its layers as a GeoPackage, or its tables as CSV (UTF-8).',
    fits: (_, text) => text.startsWith('SQLite format 3'),
  },
  { what: 'an Access database', hint: asTable, fits: (_, text) => /^\0\x01\0\0Standard (?:Jet|ACE) DB/.test(text) },
  { what: 'a FlatGeobuf file', hint: asGeoJson, fits: (_, text) => text.startsWith('fgb') },
  {
    what: 'a Parquet file',
    hint: `${asTable} Or, with boundaries, as GeoJSON.`,
    fits: (_, text) => text.startsWith('PAR1'),
  },
  { what: 'a document of Office before 2007', hint: asTable, fits: (_, text) => text.startsWith('\xd0\xcf\x11\xe0') },
  {
    what: 'a program',
    hint: 'Do not open it unless you know where it comes from.',
    fits: (_, text) => /^(?:MZ|\x7fELF|\xcf\xfa\xed\xfe)/.test(text),
  },
  {
    what: 'a packed archive that is no zip',
    hint: 'Unpack it, and name the file inside, or pack it as .zip.',
    fits: (_, text) => /^(?:Rar!|7z\xbc\xaf|\x1f\x8b|BZh|\xfd7zXZ|.{257}ustar)/s.test(text),
  },
]

const zipSigns: readonly (Likeness & { readonly member: RegExp })[] = [
  { member: /\.gdbtable$|\.gdb\//i, what: 'a file geodatabase', hint: asGeoJson },
  {
    member: /(?:^|\/)TASKDATA\.XML$/i,
    what: 'an ISOXML task folder',
    hint: `Open it in the software of the terminal. ${asGeoJson}`,
  },
  { member: /^word\//, what: 'a Word document', hint: asTable },
  { member: /^ppt\//, what: 'a PowerPoint file', hint: asTable },
  { member: /^Index\/.*\.iwa$/, what: 'a Numbers document', hint: 'In Numbers: File, Export To, CSV.' },
]

/** Says what a file seems to be that no format recognises. */
export function likenessOf(probe: Probe): Likeness {
  if (probe.members !== undefined) return likenessInside(probe.members, probe.head.length === 0)
  const text = Buffer.from(probe.head).toString('latin1')
  const sign = signs.find((each) => each.fits(probe, text))
  if (sign !== undefined) return { what: sign.what, hint: sign.hint }
  if (/\.(?:dbf|shx|prj|cpg|qix|sbn|sbx)$/i.test(probe.name))
    return { what: 'one of the files of a shapefile', hint: 'Name the .shp, or the zip with all of them.' }
  return probe.head.includes(0)
    ? { what: 'a binary file of an unknown kind', hint: `${asTable} Or, with boundaries, as GeoJSON.` }
    : { what: 'text of an unknown kind', hint: 'If it is a table, say so: name it .csv, or set the format.' }
}

function likenessInside(members: readonly string[], isFolder: boolean): Likeness {
  const sign = zipSigns.find(({ member }) => members.some((name) => member.test(name)))
  if (sign !== undefined) return { what: sign.what, hint: sign.hint }
  const whole = isFolder ? 'folder' : 'zip file'
  const shown = members.slice(0, 5).join(', ')
  const what =
    members.length === 0
      ? `an empty ${whole}`
      : `a ${whole} with nothing in it that can be read (${shown}${members.length > 5 ? ', ...' : ''})`
  return { what, hint: `${isFolder ? 'Name' : 'Unpack it, and name'} the file that holds the records.` }
}
