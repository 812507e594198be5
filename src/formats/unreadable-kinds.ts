/** Recognises files that no format reads, by their first bytes, name or members, and suggests what to do. */

import type { Probe } from './format.ts'

/**
 * `what` fits into "seems to be ...". `head` is compared with the first bytes, one character each, without byte order mark and
 * the zeros of UTF-16; `name` with the file's name; `member` with each path in a zip or folder.
 */
type Likeness = {
  readonly what: string
  readonly hint: string
  readonly head?: RegExp
  readonly name?: RegExp
  readonly member?: RegExp
}

const asMap = 'Export it as GeoJSON, GeoPackage or shapefile from the program that made it.'
const fromGis = 'Open it in QGIS or another mapping program, and export the layer as GeoPackage, GeoJSON or shapefile.'
const asArea = 'A track around a paddock must become an area first: in QGIS, "Lines to polygons".'
const fromTerminal =
  'Open it in the software of the terminal or its maker, and export the fields as a shapefile, the work as CSV.'
const asTable = 'Export the table as CSV (UTF-8) or Excel.'
const fromArchive = 'Unpack it and choose the file inside, or zip it again as .zip.'

/** The first kind that fits is used: by how the file begins, else by its name; a zip or folder by its members. */
const kinds: readonly Likeness[] = [
  { what: 'a PDF document', hint: `A PDF contains a picture of a table or map. ${asTable}`, head: /^%PDF/ },
  {
    what: 'a photo or picture',
    hint: 'A picture contains no records. Ask for the data that it shows.',
    head: /^(?:\xff\xd8\xff|\x89PNG|GIF8|BM.{12}\(|RIFF.{4}WEBP|.{4}ftyp(?:hei|mif|avif))/s,
  },
  {
    what: 'a picture or raster of a map (TIFF, JPEG 2000 or ECW)',
    hint: 'A raster contains no records. Ask for the boundaries as shapefile or GeoPackage.',
    head: /^(?:II[*+]\0|MM\0[*+]|II\*|\0\0\0\x0cjP|\xff\x4f\xff\x51)/,
    name: /\.ecw$/i,
  },
  {
    what: 'an Excel 2003 XML table',
    hint: 'Open it in Excel, and save it as .xlsx.',
    head: /progid="Excel\.Sheet"|schemas-microsoft-com:office:spreadsheet/,
  },
  {
    what: 'a web page with a table',
    hint: 'If a browser shows your records in it, open it in Excel and save it as .xlsx. If it asks for a sign-in, the download failed.',
    head: /^\s*<(?:!doctype html|html|table|meta)\b[^]*(?:urn:schemas-microsoft-com:office:excel|<table\b)/i,
  },
  {
    what: 'a pipeline',
    hint: 'windrow run runs it, and windrow check checks it.',
    head: /^(?:\s*#[^\n]*\n)*\s*windrow:\s*1\b/,
  },
  {
    what: 'a web page',
    hint: 'The download may have failed or need a sign-in. Download it again.',
    head: /^\s*<(?:!doctype html|html)/i,
  },
  {
    what: 'an ISOXML task',
    hint: `ISOXML comes from a terminal. ${fromTerminal}`,
    head: /<ISO11783_TaskData\b/,
    name: /^TASKDATA\.XML$/i,
    member: /(?:^|\/)TASKDATA\.XML$/i,
  },
  { what: 'GML', hint: fromGis, head: /<(?:[\w.-]+:)?FeatureCollection\b|opengis\.net\/gml/, name: /\.gml$/i },
  { what: 'GPX tracks', hint: `${fromGis} ${asArea}`, head: /<gpx\b/i },
  {
    what: 'tracks or points of OziExplorer',
    hint: `Save them there as GPX. ${fromGis} ${asArea}`,
    head: /^OziExplorer /,
  },
  {
    what: 'a QGIS project',
    hint: 'A project contains no records, only links to them. Choose the files of its layers.',
    head: /<qgis\b/,
    name: /\.qg[sz]$/i,
    member: /^[^/]*\.qgs$/i,
  },
  {
    what: 'a flat OpenDocument sheet',
    hint: 'Open it in LibreOffice, and save it as .ods or .xlsx.',
    head: /urn:oasis:names:tc:opendocument/,
  },
  { what: 'XML', hint: asMap, head: /^\s*<(?:\?xml|\w)/ },
  {
    what: 'a CAD drawing',
    hint: fromGis,
    head: /^(?:\s*999\r?\n[^\n]*\n)*\s*0\s*\r?\n\s*SECTION|^AutoCAD Binary DXF|^AC10\d\d/,
    name: /\.(?:dxf|dgn)$/i,
    member: /\.(?:dxf|dwg)$/i,
  },
  { what: 'a MapInfo map (TAB)', hint: fromGis, head: /^!table\b/i },
  { what: 'a MapInfo map (MIF)', hint: fromGis, head: /^\s*version\s+\d+\s*\r?\n\s*(?:charset|delimiter|coordsys)\b/i },
  { what: 'a database (SQLite or SpatiaLite)', hint: `${fromGis} Tables: as CSV (UTF-8).`, head: /^SQLite format 3\0/ },
  {
    what: 'an Access database',
    hint: `In Access: External Data, Export. ${asTable}`,
    head: /^\0\x01\0\0Standard (?:Jet|ACE) DB/,
  },
  { what: 'a FlatGeobuf file', hint: fromGis, head: /^fgb[\x01-\x09]fgb/ },
  { what: 'a Parquet file', hint: `${asTable} Or, with boundaries, as GeoPackage.`, head: /^PAR1/ },
  { what: 'an Arrow file', hint: `${asTable} Or, with boundaries, as GeoPackage.`, head: /^ARROW1|^FEA1/ },
  { what: 'a point cloud of a laser scanner', hint: 'It contains heights of points and no records.', head: /^LASF/ },
  { what: 'an Office document from before 2007', hint: asTable, head: /^\xd0\xcf\x11\xe0/ },
  { what: 'a text document (RTF)', hint: asTable, head: /^\{\\rtf/ },
  {
    what: 'an error message of a server',
    hint: 'Read its text, and download the file again.',
    head: /^\s*\{\s*"(?:error|errors|message|detail|statusCode)"\s*:/,
  },
  {
    what: 'JSON, but not a map',
    hint: `${asTable} Or, with boundaries, as GeoJSON.`,
    head: /^\s*(?:\{\s*["}]|\[\s*[[{\]])/,
  },
  {
    what: 'a pointer to a file stored elsewhere (Git LFS)',
    hint: 'Download the file itself first (git lfs pull).',
    head: /^version https:\/\/git-lfs/,
  },
  {
    what: 'a shortcut to another file or page',
    hint: 'Open it, and save or choose the file it leads to.',
    head: /^L\0\0\0\x01\x14\x02\0|^\[InternetShortcut\]/,
    name: /\.(?:lnk|url|webloc|gsheet)$/i,
  },
  {
    what: 'an email',
    hint: 'Save its attachment, and choose that.',
    head: /^(?:Return-Path|Received|Delivered-To|MIME-Version): /,
    name: /\.(?:eml|msg)$/i,
  },
  {
    what: 'a program',
    hint: 'Do not open it unless you know where it comes from.',
    head: /^(?:MZ|\x7fELF|\xcf\xfa\xed\xfe)/,
  },
  {
    what: 'a packed archive that is not a zip',
    hint: fromArchive,
    head: /^(?:Rar!|7z\xbc\xaf|\x1f\x8b|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd|.{257}ustar)/s,
    name: /\.(?:rar|7z|tar|tgz|gz|bz2|xz|zst)$/i,
  },
  {
    what: 'one of the files of a shapefile',
    hint: 'Choose the .shp, or the zip with all of them.',
    name: /\.(?:dbf|shx|prj|cpg|qix|qpj|sbn|sbx|shp\.xml)$/i,
  },
  { what: 'the texts that belong to a .dbf table', hint: 'Choose the .dbf itself.', name: /\.(?:dbt|fpt)$/i },
  { what: 'one of the files of a MapInfo map', hint: fromGis, name: /\.(?:tab|mif|mid|map|id)$/i },
  {
    what: 'an ArcGIS project or style',
    hint: 'It contains no records, only links to them. Export the layer itself.',
    name: /\.(?:mxd|aprx|lyrx?|qlr|qml|sld|mpkx?|lpkx?)$/i,
  },
  {
    what: 'a download that is not finished',
    hint: 'Wait until it is complete, or download it again.',
    name: /\.(?:crdownload|part|partial|download|tmp)$/i,
  },
  { what: 'a file geodatabase', hint: fromGis, member: /\.gdbtable$|\.gdb\//i },
  {
    what: 'the data of a terminal or yield monitor',
    hint: fromTerminal,
    name: /\.(?:agdata|agsetup|yld|ilf|cn1|gsd|gsy|gsr|fmd|aft|jdl|jdp|isg|rcd|2020)$/i,
    member: /(?:^|\/)(?:RCD|GS[234]_\d+|GS\d{4}|AgData|\w+\.cn1)\/|\.(?:ilf|yld|gsd|jdl|fdshape\.bin)$/i,
  },
  { what: 'a MapInfo map', hint: fromGis, member: /\.(?:tab|mif)$/i },
  { what: 'a Word or PowerPoint document', hint: asTable, member: /^(?:word|ppt)\// },
  { what: 'a Numbers document', hint: 'In Numbers: File, Export To, CSV or Excel.', member: /^Index\/.*\.iwa$/ },
  { what: 'a text document (ODT)', hint: asTable, member: /^content\.xml$/ },
  { what: 'a GML map', hint: fromGis, member: /\.gml$/i },
  { what: 'a bundle of packed files', hint: fromArchive, member: /\.(?:rar|7z|tar|tgz|gz)$/i },
]

/** Describes a file that no format recognises. */
export function likenessOf({ name, head, members }: Probe): Pick<Likeness, 'what' | 'hint'> {
  if (members !== undefined) return likenessInside(members, head.length === 0)
  const text = plainText(head)
  const sign = kinds.find((each) => each.head?.test(text)) ?? kinds.find((each) => each.name?.test(name))
  if (sign !== undefined) return sign
  return text.includes('\0')
    ? {
        what: 'a binary file of an unknown kind',
        hint: 'Export the table as CSV (UTF-8) or, with boundaries, as GeoJSON from the program that made it.',
      }
    : { what: 'text of an unknown kind', hint: 'If it is a table, name it .csv or set the format.' }
}

/** One character per byte, except for UTF-16, whose zeros are removed. */
function plainText(head: Uint8Array): string {
  const text = Buffer.from(head).toString('latin1')
  const marked = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/.exec(text)?.[0]
  if (marked === undefined) return text
  return marked.length === 2 ? text.slice(2).replaceAll('\0', '') : text.slice(marked.length)
}

function likenessInside(members: readonly string[], isFolder: boolean): Pick<Likeness, 'what' | 'hint'> {
  const sign = kinds.find(({ member }) => member !== undefined && members.some((name) => member.test(name)))
  if (sign !== undefined) return sign
  const whole = isFolder ? 'folder' : 'zip file'
  const shown = members.slice(0, 5).join(', ')
  const what =
    members.length === 0
      ? `an empty ${whole}`
      : `a ${whole} with nothing in it that can be read (${shown}${members.length > 5 ? ', ...' : ''})`
  return { what, hint: `${isFolder ? 'Choose' : 'Unpack it, and choose'} the file that contains the records.` }
}
