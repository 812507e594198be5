declare module 'shpjs' {
  export function parseShp(shp: Uint8Array): readonly object[]
}
