/** Projects with Krüger's series for the transverse Mercator projection, exact within 3000 km of the central meridian. */

import type { Definition } from '../crs/crs-definition.ts'
import type { Datum } from '../crs/datums.ts'

/** The ellipsoid and the projection's numbers in degrees and metres; a scale below zero turns the axes. */
export type TransverseMercator = Pick<Datum, 'semiMajorM' | 'inverseFlattening'> &
  Pick<Definition, 'lat0' | 'lon0' | 'k' | 'x0' | 'y0' | 'unitM'>

type Series = ReturnType<typeof seriesOf>

const toDegrees = 180 / Math.PI

// Coefficients after Karney, "Transverse Mercator with an accuracy of a few nanometers" (2011), equations 12, 35, 36, and
// for the latitude after Krüger (1912), extended.
function seriesOf(inverseFlattening: number, semiMajorM: number) {
  const f = 1 / inverseFlattening
  const n = f / (2 - f)
  const sum = (...terms: readonly number[]): number => terms.reduceRight((total, each) => total * n + each, 0)
  return {
    rectifyingRadiusM: (semiMajorM / (1 + n)) * (1 + n ** 2 / 4 + n ** 4 / 64 + n ** 6 / 256),
    eccentricity: Math.sqrt(f * (2 - f)),
    forward: [
      sum(0, 1 / 2, -2 / 3, 5 / 16, 41 / 180, -127 / 288, 7891 / 37800),
      sum(0, 0, 13 / 48, -3 / 5, 557 / 1440, 281 / 630, -1983433 / 1935360),
      sum(0, 0, 0, 61 / 240, -103 / 140, 15061 / 26880, 167603 / 181440),
      sum(0, 0, 0, 0, 49561 / 161280, -179 / 168, 6601661 / 7257600),
      sum(0, 0, 0, 0, 0, 34729 / 80640, -3418889 / 1995840),
      sum(0, 0, 0, 0, 0, 0, 212378941 / 319334400),
    ],
    inverse: [
      sum(0, 1 / 2, -2 / 3, 37 / 96, -1 / 360, -81 / 512, 96199 / 604800),
      sum(0, 0, 1 / 48, 1 / 15, -437 / 1440, 46 / 105, -1118711 / 3870720),
      sum(0, 0, 0, 17 / 480, -37 / 840, -209 / 4480, 5569 / 90720),
      sum(0, 0, 0, 0, 4397 / 161280, -11 / 504, -830251 / 7257600),
      sum(0, 0, 0, 0, 0, 4583 / 161280, -108847 / 3991680),
      sum(0, 0, 0, 0, 0, 0, 20648693 / 638668800),
    ],
    toGeodetic: [
      sum(0, 2, -2 / 3, -2, 116 / 45, 26 / 45, -2854 / 675),
      sum(0, 0, 7 / 3, -8 / 5, -227 / 45, 2704 / 315, 2323 / 945),
      sum(0, 0, 0, 56 / 15, -136 / 35, -1262 / 105, 73814 / 2835),
      sum(0, 0, 0, 0, 4279 / 630, -332 / 35, -399572 / 14175),
      sum(0, 0, 0, 0, 0, 4174 / 315, -144838 / 6237),
      sum(0, 0, 0, 0, 0, 0, 601676 / 22275),
    ],
  }
}

// In earth radii from the central meridian, 84 degrees at the equator; beyond, the series gives arbitrary places.
const mostEasting = 3
// From the equator over the pole to the equator again; beyond, the same places repeat.
const mostNorthing = Math.PI

/**
 * Makes the function that turns pairs of easting and northing into degrees; longitude is not wrapped, and a pair that is not on
 * earth becomes NaN.
 */
export function inverseTransverseMercator(system: TransverseMercator): (from: Float64Array, to: Float64Array) => void {
  const { lon0 } = system
  const series = seriesOf(system.inverseFlattening, system.semiMajorM)
  const scale = system.k * series.rectifyingRadiusM
  // Plane coordinates become the series' northing xi and easting eta by a factor and a shift.
  const unit = system.unitM / scale
  const [eta0, xi0] = [system.x0 / scale, system.y0 / scale - originOf(series, system.lat0)]
  const [b1, b2, b3, b4, b5, b6] = series.inverse as [number, number, number, number, number, number]
  const [d1, d2, d3, d4, d5, d6] = series.toGeodetic as [number, number, number, number, number, number]
  const invert = (from: Float64Array, to: Float64Array, index: number): void => {
    const xi = from[index + 1]! * unit - xi0
    const eta = from[index]! * unit - eta0
    // Written so that NaN fails too.
    if (!(Math.abs(xi) <= mostNorthing && Math.abs(eta) <= mostEasting)) {
      to[index] = NaN
      to[index + 1] = NaN
      return
    }
    const sinXi = Math.sin(xi)
    const cosXi = Math.cos(xi)
    const exp = Math.exp(eta)
    const coshEta = (exp + 1 / exp) / 2
    const sinhEta = (exp - 1 / exp) / 2
    // Clenshaw's sum of b[j] sin(2 j (xi + i eta)) in complex numbers.
    const sin = 2 * sinXi * cosXi
    const cos = 1 - 2 * sinXi * sinXi
    const cosh = 1 + 2 * sinhEta * sinhEta
    const sinh = 2 * sinhEta * coshEta
    const real = 2 * cos * cosh
    const imaginary = -2 * sin * sinh
    const r5 = b5 + real * b6
    const i5 = imaginary * b6
    const r4 = b4 - b6 + real * r5 - imaginary * i5
    const i4 = real * i5 + imaginary * r5
    const r3 = b3 - r5 + real * r4 - imaginary * i4
    const i3 = -i5 + real * i4 + imaginary * r4
    const r2 = b2 - r4 + real * r3 - imaginary * i3
    const i2 = -i4 + real * i3 + imaginary * r3
    const r1 = b1 - r3 + real * r2 - imaginary * i2
    const i1 = -i3 + real * i2 + imaginary * r2
    const dXi = r1 * sin * cosh - i1 * cos * sinh
    const dEta = r1 * cos * sinh + i1 * sin * cosh
    // The corrections are below a thousandth, so short series are exact.
    const dXi2 = dXi * dXi
    const sinD = dXi * (1 - dXi2 * (1 / 6 - dXi2 / 120))
    const cosD = 1 - dXi2 * (1 / 2 - dXi2 / 24)
    const dEta2 = dEta * dEta
    const sinhD = dEta * (1 + dEta2 * (1 / 6 + dEta2 / 120))
    const coshD = 1 + dEta2 * (1 / 2 + dEta2 / 24)
    const sinhPrime = sinhEta * coshD - coshEta * sinhD
    const coshPrime = coshEta * coshD - sinhEta * sinhD
    const cosXiPrime = cosXi * cosD + sinXi * sinD
    const sinConformal = (sinXi * cosD - cosXi * sinD) / coshPrime
    const chi = Math.asin(sinConformal)
    const sin2 = 2 * sinConformal * Math.sqrt(1 - sinConformal * sinConformal)
    const twice = 2 - 4 * sinConformal * sinConformal
    const e5 = d5 + twice * d6
    const e4 = d4 - d6 + twice * e5
    const e3 = d3 - e5 + twice * e4
    const e2 = d2 - e4 + twice * e3
    to[index] = lon0 + Math.atan2(sinhPrime, cosXiPrime) * toDegrees
    to[index + 1] = (chi + sin2 * (d1 - e3 + twice * e2)) * toDegrees
  }
  return (from, to) => {
    for (let index = 0; index < from.length; index += 2) invert(from, to, index)
  }
}

function conformalLatitude(eccentricity: number, phi: number): number {
  return Math.atan(Math.sinh(Math.asinh(Math.tan(phi)) - eccentricity * Math.atanh(eccentricity * Math.sin(phi))))
}

// The rectifying latitude of the origin; the tangent of a pole is finite in floating point, so -90 needs no special case.
function originOf(series: Series, lat0: number): number {
  const chi = conformalLatitude(series.eccentricity, lat0 / toDegrees)
  return series.forward.reduce((total, each, index) => total + each * Math.sin(2 * (index + 1) * chi), chi)
}
