/** Reads the text of a coordinate system, as WKT or as PROJJSON, into one tree of keywords and values. */

import { isObject, jsonValue } from '../../core/values/exact-json.ts'

/** A keyword of WKT with the content of its brackets; PROJJSON gets the same form. */
export type Node = {
  readonly keyword: string
  readonly values: readonly (string | number)[]
  readonly nodes: readonly Node[]
}

/** The first node inside another that has one of these keywords. */
export function nodeIn(node: Node | undefined, ...keywords: readonly string[]): Node | undefined {
  return node?.nodes.find((each) => keywords.includes(each.keyword))
}

export const degree = Math.PI / 180
const depthLimit = 40

// A sticky pattern reads even a hostile text in one pass.
const token =
  /\s*(?:([A-Za-z_][A-Za-z0-9_]*)\s*([[(])?|"((?:[^"]|"")*)"|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|([\])])|(,))/y

export function nodeOfText(text: string): Node | string {
  type Open = { keyword: string; values: (string | number)[]; nodes: Node[] }
  const stack: Open[] = []
  let at = 0
  while (at < text.length) {
    token.lastIndex = at
    const match = token.exec(text)
    if (match === null) return `The description breaks off at character ${at + 1}.`
    at = token.lastIndex
    const [, word, opens, quoted, number, closes] = match
    const top = stack.at(-1)
    if (word !== undefined && opens !== undefined) {
      if (stack.length >= depthLimit) return 'The description is nested too deeply.'
      stack.push({ keyword: word.toUpperCase(), values: [], nodes: [] })
    } else if (word !== undefined) top?.values.push(word)
    else if (quoted !== undefined) top?.values.push(quoted.replaceAll('""', '"'))
    else if (number !== undefined) top?.values.push(Number(number))
    else if (closes !== undefined) {
      const done = stack.pop()
      if (done === undefined) return 'The description closes a bracket that was never opened.'
      // ESRI writes a vertical system after the horizontal one; it is not read.
      if (stack.length === 0) return done
      stack.at(-1)!.nodes.push(done)
    }
    if (stack.length === 0) return 'The description does not begin with a keyword and a bracket.'
  }
  return 'The description ends before its brackets are closed.'
}

type Json = { readonly [key: string]: unknown }

export function nodeOfJson(text: string): Node | string {
  const value = jsonValue(text)
  if (value === undefined) return 'The description is not valid JSON.'
  const root = asObject(value)
  return root === undefined ? 'The description is not an object.' : nodeOfProjJson(root, 0)
}

const jsonKeywords: Readonly<Record<string, string>> = {
  ProjectedCRS: 'PROJCRS',
  GeographicCRS: 'GEOGCRS',
  GeodeticCRS: 'GEODCRS',
  CompoundCRS: 'COMPOUNDCRS',
  BoundCRS: 'BOUNDCRS',
}

function leaf(keyword: string, ...values: readonly (string | number)[]): Node {
  return { keyword, values, nodes: [] }
}

function nodeOfProjJson(crs: Json, depth: number): Node | string {
  // PROJ writes no type for the base of a projected system.
  const isBase = depth > 0 && crs['type'] === undefined
  const keyword = isBase ? 'GEOGCRS' : jsonKeywords[textOf(crs['type'])]
  if (keyword === undefined || depth > depthLimit)
    return `windrow cannot read a coordinate system of the kind "${textOf(crs['type'])}".`
  const nodes: Node[] = []
  const inner = asObject(crs['base_crs']) ?? asObject(crs['source_crs']) ?? asObject(asList(crs['components'])[0])
  const transformation = asObject(crs['transformation'])
  if (inner !== undefined) {
    const base = nodeOfProjJson(inner, depth + 1)
    if (typeof base === 'string') return base
    nodes.push(base)
  }
  const datum = asObject(crs['datum']) ?? asObject(crs['datum_ensemble'])
  if (datum !== undefined) nodes.push(...datumOfJson(datum))
  const conversion = asObject(crs['conversion'])
  if (conversion !== undefined) nodes.push(conversionOfJson(conversion, 'CONVERSION'))
  if (transformation !== undefined) nodes.push(...boundOfJson(crs, transformation))
  const system = asObject(crs['coordinate_system'])
  if (system !== undefined) nodes.push(leaf('CS', textOf(system['subtype'])))
  const axis = asObject(asList(system?.['axis'])[0])
  if (axis !== undefined) nodes.push(...unitOfJson(axis['unit']))
  const id = asObject(crs['id'])
  if (id !== undefined) nodes.push(leaf('ID', textOf(id['authority']), textOf(id['code'])))
  return { keyword, values: [textOf(crs['name'])], nodes }
}

function datumOfJson(datum: Json): readonly Node[] {
  const ellipsoid = asObject(datum['ellipsoid'])
  const semiMajor = numberOf(ellipsoid?.['semi_major_axis'])
  const semiMinor = numberOf(ellipsoid?.['semi_minor_axis'])
  const flattening =
    numberOf(ellipsoid?.['inverse_flattening']) ||
    (semiMinor > 0 && semiMinor < semiMajor ? semiMajor / (semiMajor - semiMinor) : 0)
  const spheroid = leaf('ELLIPSOID', textOf(ellipsoid?.['name']), semiMajor, flattening)
  const meridian = asObject(datum['prime_meridian'])
  return [
    { keyword: 'DATUM', values: [textOf(datum['name'])], nodes: [spheroid] },
    ...(meridian === undefined ? [] : [meridianOfJson(meridian)]),
  ]
}

function meridianOfJson(meridian: Json): Node {
  const { longitude } = meridian
  const described = asObject(longitude)
  return {
    keyword: 'PRIMEM',
    values: [textOf(meridian['name']), numberOf(described?.['value'] ?? longitude)],
    nodes: unitOfJson(described === undefined ? 'degree' : described['unit']),
  }
}

function boundOfJson(crs: Json, transformation: Json): readonly Node[] {
  const target = leaf('GEOGCRS', textOf(asObject(crs['target_crs'])?.['name']))
  return [
    { keyword: 'TARGETCRS', values: [], nodes: [target] },
    conversionOfJson(transformation, 'ABRIDGEDTRANSFORMATION'),
  ]
}

function conversionOfJson(conversion: Json, keyword: string): Node {
  const parameters = asList(conversion['parameters']).map((each): Node => {
    const parameter = asObject(each) ?? {}
    return {
      keyword: 'PARAMETER',
      values: [textOf(parameter['name']), numberOf(parameter['value'])],
      nodes: unitOfJson(parameter['unit']),
    }
  })
  const method = leaf('METHOD', textOf(asObject(conversion['method'])?.['name']))
  return { keyword, values: [textOf(conversion['name'])], nodes: [method, ...parameters] }
}

const unitKeywords = new Map([
  ['AngularUnit', 'ANGLEUNIT'],
  ['LinearUnit', 'LENGTHUNIT'],
])

function unitOfJson(unit: unknown): readonly Node[] {
  if (unit === 'degree') return [leaf('ANGLEUNIT', 'degree', degree)]
  if (unit === 'metre') return [leaf('LENGTHUNIT', 'metre', 1)]
  const described = asObject(unit)
  const factor = numberOf(described?.['conversion_factor'])
  if (described === undefined || factor === 0) return []
  return [leaf(unitKeywords.get(textOf(described['type'])) ?? 'SCALEUNIT', textOf(described['name']), factor)]
}

function asObject(value: unknown): Json | undefined {
  return isObject(value) ? value : undefined
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
