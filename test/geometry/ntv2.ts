/** Makes small NTv2 files, so that tests know every shift in them. */

/** A grid: its extent and step in degrees, and the shift in seconds (northward, eastward) at each node. */
export type GridDrawn = {
  readonly name: string
  readonly parent?: string
  readonly extent: readonly [west: number, south: number, east: number, north: number]
  readonly stepDegrees: number
  shift(lon: number, lat: number): readonly [northward: number, eastward: number]
}

type Whole = { readonly isLittle: boolean; readonly semiMajorM: number; readonly unit?: string }

/** The bytes of an NTv2 file of these grids. */
export function ntv2(grids: readonly GridDrawn[], { isLittle, semiMajorM, unit = 'SECONDS' }: Whole): Uint8Array {
  const word = (text: string): Buffer => Buffer.from(text.padEnd(8).slice(0, 8), 'latin1')
  const whole = (value: number): Buffer => {
    const bytes = Buffer.alloc(8)
    if (isLittle) bytes.writeInt32LE(value)
    else bytes.writeInt32BE(value)
    return bytes
  }
  const real = (value: number): Buffer => {
    const bytes = Buffer.alloc(8)
    if (isLittle) bytes.writeDoubleLE(value)
    else bytes.writeDoubleBE(value)
    return bytes
  }
  const head = [
    [word('NUM_OREC'), whole(11)],
    [word('NUM_SREC'), whole(11)],
    [word('NUM_FILE'), whole(grids.length)],
    [word('GS_TYPE'), word(unit)],
    [word('VERSION'), word('TEST')],
    [word('SYSTEM_F'), word('OLD')],
    [word('SYSTEM_T'), word('NEW')],
    [word('MAJOR_F'), real(semiMajorM)],
    [word('MINOR_F'), real(6356911.946)],
    [word('MAJOR_T'), real(6378137)],
    [word('MINOR_T'), real(6356752.314)],
  ].flat()
  const parts = grids.flatMap(({ name, parent = 'NONE', extent: [west, south, east, north], stepDegrees, shift }) => {
    const columns = Math.round((east - west) / stepDegrees) + 1
    const rows = Math.round((north - south) / stepDegrees) + 1
    const nodes = Buffer.alloc(columns * rows * 16)
    for (let row = 0; row < rows; row += 1)
      for (let column = 0; column < columns; column += 1) {
        const [northward, eastward] = shift(east - column * stepDegrees, south + row * stepDegrees)
        const at = (row * columns + column) * 16
        for (const [index, value] of [northward, -eastward, 0.1, 0.1].entries())
          if (isLittle) nodes.writeFloatLE(value, at + index * 4)
          else nodes.writeFloatBE(value, at + index * 4)
      }
    const texts = { SUB_NAME: name, PARENT: parent, CREATED: '20260101', UPDATED: '20260101' }
    const degrees = {
      S_LAT: south,
      N_LAT: north,
      E_LONG: -east,
      W_LONG: -west,
      LAT_INC: stepDegrees,
      LONG_INC: stepDegrees,
    }
    return [
      ...Object.entries(texts).map((pair) => pair.map(word)),
      ...Object.entries(degrees).map(([key, value]) => [word(key), real(value * 3600)]),
      [word('GS_COUNT'), whole(columns * rows), nodes],
    ].flat()
  })
  return Buffer.concat([...head, ...parts, word('END'), Buffer.alloc(8)])
}
