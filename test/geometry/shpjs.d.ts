declare module 'shpjs' {
  /** The geometries of a .shp file as GeoJSON objects, coordinates as they are. */
  export function parseShp(bytes: ArrayBuffer): (object | null)[]
}
