/** Types for @mapbox/geojson-rewind, which has none. */

declare module '@mapbox/geojson-rewind' {
  /** Winds the rings of a geometry in place: shells clockwise when `outer` is true, counterclockwise when it is false. */
  export default function rewind<T extends { readonly type: string }>(geometry: T, outer: boolean): T
}
