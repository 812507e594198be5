/** Lists the units of the service: their codes (UN/ECE Rec 20), their size in SI units, and the words people write. */

import { WindrowError } from '../core/error.ts'

export type UnitKind = 'area' | 'length' | 'mass' | 'volume' | 'speed' | 'temperature'

/**
 * In SI units (m², m, kg, m³, m/s, K) an amount is `(amount ** power + shift) * factor`; `sign` is for column titles,
 * `words` are what people write, in lower case and without spaces or dots.
 */
export type Unit = {
  readonly code: string
  readonly kind: UnitKind
  readonly title: string
  readonly sign: string
  readonly factor: number
  readonly shift?: number
  readonly power?: number
  readonly otherCodes?: readonly string[]
  readonly words: readonly string[]
}

/** Every unit that windrow knows. Codes of two characters are codes only in capitals: "hm" is not a mile per hour. */
export const units: readonly Unit[] = [
  unit('HAR', 'area', 'hectare', 'ha', 1e4, 'hectares hect hecs has hektar hectaren hectareas'),
  unit('MTK', 'area', 'square metre', 'm²', 1, 'm2 m^2 sqm squaremeter squaremetres squaremeters'),
  // Rec 20 has KMK; schemas of services like this one have KMTK.
  { ...unit('KMK', 'area', 'square kilometre', 'km²', 1e6, 'km2 km^2 sqkm squarekilometer'), otherCodes: ['KMTK'] },
  unit('ACR', 'area', 'acre', 'ac', 4046.8564224, 'acres acs'),
  unit('FTK', 'area', 'square foot', 'ft²', 0.09290304, 'ft2 ft^2 sqft squarefeet'),
  unit('YDK', 'area', 'square yard', 'yd²', 0.83612736, 'yd2 yd^2 sqyd squareyards'),
  unit('MIK', 'area', 'square mile', 'mi²', 2589988.110336, 'mi2 mi^2 sqmi squaremiles'),
  unit('MTR', 'length', 'metre', 'm', 1, 'metres meter meters mtrs'),
  unit('KMT', 'length', 'kilometre', 'km', 1e3, 'kilometres kilometer kilometers kms'),
  unit('CMT', 'length', 'centimetre', 'cm', 0.01, 'centimetres centimeter centimeters cms'),
  unit('MMT', 'length', 'millimetre', 'mm', 0.001, 'millimetres millimeter millimeters'),
  unit('SMI', 'length', 'mile', 'mi', 1609.344, 'miles'),
  unit('YRD', 'length', 'yard', 'yd', 0.9144, 'yards yds'),
  unit('FOT', 'length', 'foot', 'ft', 0.3048, 'feet'),
  unit('INH', 'length', 'inch', 'in', 0.0254, 'inches'),
  unit('LY', 'length', 'linear yard', 'lin yd', 0.9144, 'linearyards'),
  unit('KGM', 'mass', 'kilogram', 'kg', 1, 'kilograms kilogramme kilogrammes kilo kilos kgs'),
  unit('GRM', 'mass', 'gram', 'g', 0.001, 'grams gramme grammes gm gms'),
  unit('MGM', 'mass', 'milligram', 'mg', 1e-6, 'milligrams milligramme milligrammes'),
  unit('MC', 'mass', 'microgram', 'µg', 1e-9, 'micrograms ug μg mcg'),
  unit('TNE', 'mass', 'tonne', 't', 1e3, 'tonnes metricton metrictons'),
  unit('LTN', 'mass', 'long ton', 'long tn', 1016.0469088, 'longtons imperialton ukton'),
  unit('LBR', 'mass', 'pound', 'lb', 0.45359237, 'pounds lbs'),
  unit('PN', 'mass', 'pound net', 'lb net', 0.45359237, 'poundsnet'),
  unit('ONZ', 'mass', 'ounce', 'oz', 0.028349523125, 'ounces'),
  unit('LTR', 'volume', 'litre', 'L', 0.001, 'litres liter liters ltr ltrs lt lts'),
  unit('MLT', 'volume', 'millilitre', 'mL', 1e-6, 'millilitres milliliter milliliters mls cc'),
  unit('MTQ', 'volume', 'cubic metre', 'm³', 1, 'm3 m^3 cubicmetres cubicmeter cubicmeters cum'),
  unit('GLL', 'volume', 'gallon (US)', 'gal (US)', 0.003785411784, 'usgallon usgallons usgal gallonsus'),
  unit(
    'GLI',
    'volume',
    'gallon (imperial)',
    'gal (UK)',
    0.00454609,
    'ukgallon ukgallons ukgal imperialgallon imperialgallons impgal',
  ),
  unit('OZA', 'volume', 'fluid ounce (US)', 'fl oz (US)', 2.95735295625e-5, 'usfloz usfluidounce'),
  unit('OZI', 'volume', 'fluid ounce (imperial)', 'fl oz (UK)', 2.84130625e-5, 'ukfloz impfloz ukfluidounce'),
  unit('B4', 'volume', 'barrel (imperial)', 'bbl (UK)', 0.16365924, 'ukbarrel imperialbarrel'),
  unit('WW', 'volume', 'millilitre of water', 'mL water', 1e-6, 'millilitresofwater'),
  unit('MTS', 'speed', 'metre per second', 'm/s', 1, 'mps metrespersecond meterspersecond m/sec'),
  unit('KMH', 'speed', 'kilometre per hour', 'km/h', 1 / 3.6, 'kmph kph km/hr kmh kilometresperhour'),
  unit('KNT', 'speed', 'knot', 'kn', 1852 / 3600, 'knots kt kts'),
  unit('HM', 'speed', 'mile per hour', 'mph', 0.44704, 'mi/h milesperhour'),
  unit('FR', 'speed', 'foot per minute', 'ft/min', 0.00508, 'fpm feetperminute'),
  // The Beaufort scale is a scale of effects; this is the usual formula for the middle of each step.
  { ...unit('M19', 'speed', 'beaufort', 'Bft', 0.836, 'beauforts bf'), power: 1.5 },
  { ...unit('CEL', 'temperature', 'degree Celsius', '°C', 1, 'celsius c degc centigrade'), shift: 273.15 },
  { ...unit('FAH', 'temperature', 'degree Fahrenheit', '°F', 5 / 9, 'fahrenheit f degf'), shift: 459.67 },
  unit('KEL', 'temperature', 'kelvin', 'K', 1, 'kelvins'),
]

function unit(...[code, kind, title, sign, factor, words]: [string, UnitKind, string, string, number, string]): Unit {
  return { code, kind, title, sign, factor, words: words.split(' ') }
}

const unitsByCode = new Map<string, Unit>(
  units.flatMap((each) => [each.code, ...(each.otherCodes ?? [])].map((code): [string, Unit] => [code, each])),
)
const unitsByWord = new Map<string, Unit>(
  units.flatMap((each) =>
    [each.sign, each.title, ...each.words, ...longCodes(each)].flatMap((word): [string, Unit][] => [
      [wordKey(word), each],
      [wordKey(word).replace(/^square/, 'sq'), each],
    ]),
  ),
)

function longCodes(each: Unit): readonly string[] {
  return [each.code, ...(each.otherCodes ?? [])].filter((code) => code.length > 2)
}

function wordKey(word: string): string {
  return word.toLowerCase().replaceAll(/[\s.()]/g, '')
}

/** The unit with this code, exactly as the service writes codes. */
export function unitOfCode(code: string): Unit | undefined {
  return unitsByCode.get(code)
}

/** All units of one kind, the usual one first. */
export function unitsOfKind(kind: UnitKind): readonly Unit[] {
  return units.filter((each) => each.kind === kind)
}

/** The kind of unit that the format of a schema names, such as area-unit; undefined for any-unit. */
export function unitKindOf(format: string | undefined): UnitKind | undefined {
  return units.find(({ kind }) => format === `${kind}-unit`)?.kind
}

const ouncesOfAnything: ReadonlySet<string> = new Set(['oz', 'ounce', 'ounces'])

/**
 * The code for a word ("ha", "Hectares", "m²") or a code; undefined when it is unknown, of another kind, or ambiguous (an ounce
 * without a kind, a ton, a gallon).
 */
export function unitCode(word: string, kind?: UnitKind): string | undefined {
  const written = word.trim()
  // Millilitre and megalitre differ only in the capital, and by a factor of 10⁹.
  if (written === 'ML' || (kind === undefined && ouncesOfAnything.has(wordKey(written)))) return undefined
  const found = unitsByCode.get(written) ?? unitsByWord.get(wordKey(written))
  return found === undefined || (kind !== undefined && found.kind !== kind) ? undefined : found.code
}

/** The unit of a rate: an amount of mass or volume per area, as codes. */
export type RateUnit = { readonly amount: string; readonly per: string }

/** The code of a unit that a person chose by a word. Throws 'option-invalid' when no unit of this kind is called so. */
export function chosenUnit(word: string, kind: UnitKind): string {
  const code = unitCode(word, kind)
  if (code !== undefined) return code
  const known = unitsOfKind(kind).map(({ sign }) => sign)
  throw new WindrowError('option-invalid', `"${word}" is not a unit of ${kind}.`, {
    hint: `Units of ${kind}: ${known.join(', ')}.`,
  })
}

/** The units of rates in words such as "L/ha, lb/ac". Throws 'option-invalid' when one of them is unknown or ambiguous. */
export function chosenRates(words: string): readonly RateUnit[] {
  const found = words.split(',').map((word): RateUnit | undefined => {
    const [amount = '', area = '', ...more] = word.split('/')
    const code = unitCode(amount, 'volume') ?? unitCode(amount, 'mass')
    const per = unitCode(area, 'area')
    return code === undefined || per === undefined || more.length > 0 ? undefined : { amount: code, per }
  })
  if (found.every((each) => each !== undefined)) return found
  throw new WindrowError('option-invalid', `"${words}" is not a unit of rates.`, {
    hint: 'Write an amount and an area: L/ha, kg/ha, lb/ac, gal (US)/ac or gal (UK)/ac; with a comma between two of them.',
  })
}

/** The amount in another unit of the same kind; NaN when the codes are unknown or measure different things. */
export function convert(amount: number, from: string, to: string): number {
  const source = unitsByCode.get(from)
  const target = unitsByCode.get(to)
  if (source === undefined || target === undefined || source.kind !== target.kind) return Number.NaN
  if (source === target) return amount
  const { shift = 0, power = 1 } = source
  const inSi = ((power === 1 ? amount : amount ** power) + shift) * source.factor
  const inTarget = inSi / target.factor - (target.shift ?? 0)
  return target.power === undefined ? inTarget : inTarget ** (1 / target.power)
}

/** Rounds to twelve digits: more than any measurement has, few enough to hide binary rounding. */
export function roundAmount(amount: number): number {
  return Number(amount.toPrecision(12))
}

/** A measured area or length, as records have it. Two decimals are enough; more would make every run differ in the last digits. */
export function measuredAs(amount: number, units: 'MTK' | 'MTR') {
  return { measurement: Math.round(amount * 100) / 100, units }
}

export type Measure = { readonly measurement: number; readonly units: unknown }

/** A measure greater than zero, or not smaller than `least`, as records have it. */
export function measureOf(value: unknown, least = Number.MIN_VALUE): Measure | undefined {
  if (typeof value !== 'object' || value === null || !('measurement' in value)) return undefined
  const { measurement, units } = value as { readonly measurement: unknown; readonly units?: unknown }
  return typeof measurement === 'number' && measurement >= least ? { measurement, units } : undefined
}
