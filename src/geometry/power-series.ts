/**
 * Hides arithmetic with complex power series that end with the fourth power, and those of the functions that conformal projections
 * are made of. A series is ten numbers: real and imaginary part of what stands before each power in turn. Numbers are not put into
 * pairs or lists here, because these would take longer than all the arithmetic.
 */

export type PowerSeries = Float64Array<ArrayBuffer>

/** z plus the sum of b[j] sin(2 j z), j from one on, about z = re + i im. */
export function sineSeries(b: readonly number[], re: number, im: number): PowerSeries {
  const series = Float64Array.of(re, im, 1, 0, 0, 0, 0, 0, 0, 0)
  const sin = Math.sin(2 * re)
  const cos = Math.cos(2 * re)
  const sinh = Math.sinh(2 * im)
  const cosh = Math.cosh(2 * im)
  const sin1Re = sin * cosh
  const sin1Im = cos * sinh
  const cos1Re = cos * cosh
  const cos1Im = -sin * sinh
  let sinRe = sin1Re
  let sinIm = sin1Im
  let cosRe = cos1Re
  let cosIm = cos1Im
  for (let index = 0; index < b.length; index += 1) {
    const by = 2 * (index + 1)
    // Each derivative turns the sine a quarter on: cosine, minus sine, minus cosine, sine.
    let factor = b[index]!
    series[0]! += factor * sinRe
    series[1]! += factor * sinIm
    factor *= by
    series[2]! += factor * cosRe
    series[3]! += factor * cosIm
    factor *= by / 2
    series[4]! -= factor * sinRe
    series[5]! -= factor * sinIm
    factor *= by / 3
    series[6]! -= factor * cosRe
    series[7]! -= factor * cosIm
    factor *= by / 4
    series[8]! += factor * sinRe
    series[9]! += factor * sinIm
    const nextSinRe = sinRe * cos1Re - sinIm * cos1Im + cosRe * sin1Re - cosIm * sin1Im
    const nextSinIm = sinRe * cos1Im + sinIm * cos1Re + cosRe * sin1Im + cosIm * sin1Re
    const nextCosRe = cosRe * cos1Re - cosIm * cos1Im - sinRe * sin1Re + sinIm * sin1Im
    cosIm = cosRe * cos1Im + cosIm * cos1Re - sinRe * sin1Im - sinIm * sin1Re
    cosRe = nextCosRe
    sinRe = nextSinRe
    sinIm = nextSinIm
  }
  return series
}

/** The inverse Gudermannian, the integral of the secant, about re + i im; it begins with nought, whatever it is there. */
export function inverseGudermannian(re: number, im: number): PowerSeries {
  const sin = Math.sin(re)
  const cos = Math.cos(re)
  const sinh = Math.sinh(im)
  const cosh = Math.cosh(im)
  const size = cos * cos + sinh * sinh
  const secRe = (cos * cosh) / size
  const secIm = (sin * sinh) / size
  const tanRe = (sin * cos) / size
  const tanIm = (sinh * cosh) / size
  const tan2Re = tanRe * tanRe - tanIm * tanIm
  const tan2Im = 2 * tanRe * tanIm
  const bothRe = secRe * tanRe - secIm * tanIm
  const bothIm = secRe * tanIm + secIm * tanRe
  // The derivatives of the secant: sec tan, sec (2 tan² + 1), sec tan (6 tan² + 5).
  const thirdRe = 2 * tan2Re + 1
  const thirdIm = 2 * tan2Im
  const fourthRe = 6 * tan2Re + 5
  const fourthIm = 6 * tan2Im
  return Float64Array.of(
    0,
    0,
    secRe,
    secIm,
    bothRe / 2,
    bothIm / 2,
    (secRe * thirdRe - secIm * thirdIm) / 6,
    (secRe * thirdIm + secIm * thirdRe) / 6,
    (bothRe * fourthRe - bothIm * fourthIm) / 24,
    (bothRe * fourthIm + bothIm * fourthRe) / 24,
  )
}

/** The Gudermannian by powers of its argument, about where it is x. */
export function gudermannian(x: number): PowerSeries {
  const sin = Math.sin(x)
  const cos = Math.cos(x)
  const sin2 = Math.sin(2 * x)
  const cos2 = Math.cos(2 * x)
  const fourth = cos * (sin * cos2 + 2 * cos * sin2)
  return Float64Array.of(x, 0, cos, 0, (-sin * cos) / 2, 0, (-cos * cos2) / 6, 0, fourth / 24, 0)
}

/** The series of outer(inner - what inner begins with). */
export function compose(outer: PowerSeries, inner: PowerSeries): PowerSeries {
  const result = new Float64Array(10)
  // Horner's rule: times the inner series without its beginning, and the next of the outer.
  for (let power = 4; power >= 0; power -= 1) {
    for (let to = 4; to > 0; to -= 1) {
      let re = 0
      let im = 0
      for (let from = 0; from < to; from += 1) {
        const byRe = inner[(to - from) * 2]!
        const byIm = inner[(to - from) * 2 + 1]!
        re += result[from * 2]! * byRe - result[from * 2 + 1]! * byIm
        im += result[from * 2]! * byIm + result[from * 2 + 1]! * byRe
      }
      result[to * 2] = re
      result[to * 2 + 1] = im
    }
    result[0] = outer[power * 2]!
    result[1] = outer[power * 2 + 1]!
  }
  return result
}
