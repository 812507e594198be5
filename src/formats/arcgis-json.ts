/** Recognises the JSON of ArcGIS. */

import { strictObject } from '../core/object-schema.ts'
import type { Format, Probe } from './format.ts'
import { headText } from './recognise.ts'

/** Sets of features as the REST interface of ArcGIS returns them. */
export const arcgisJson: Format = {
  name: 'arcgis-json',
  title: 'ArcGIS JSON',
  extensions: ['.esrijson'],
  options: strictObject([], {}),
  recognise,
  open: async (source) => (await import('./arcgis-json/open-arcgis-json.ts')).openArcGisJson(source),
}

function recognise({ name, head, members }: Probe): boolean {
  if (members !== undefined) return false
  const text = headText(head)
  if (!/^\s*\{/.test(text)) return false
  // Unlike GeoJSON, a service has no "type" before its features.
  return (
    /"esriGeometry(?:Point|Multipoint|Polyline|Polygon|Envelope)"|"esriFieldType/.test(text) ||
    (/"attributes"\s*:\s*\{/.test(text) && !/"type"\s*:\s*"Feature/.test(text)) ||
    /\.esrijson$/i.test(name)
  )
}
