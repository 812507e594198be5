/** Names columns: member names in words that a person reads. */

/** Titles of members whose name is unclear. An empty title adds no word: the titles of its members are enough. */
const ownTitles: Readonly<Record<string, string>> = {
  additionalProperties: '',
  meta: '',
  environment: '',
  isDeleted: 'Deleted',
  isCross: 'Cross',
  isPrimary: 'Primary',
  sourceId: 'Source id',
  phenomenonStartTime: 'Start',
  phenomenonEndTime: 'End',
  operationName: 'Operation name',
  nonOverlapWorkedArea: 'Worked area without overlap',
  spatialMetric: 'Rate is per',
  loggedGeometry: 'Geometry',
  windDirectionCompass: 'Wind direction',
  classfication: 'Classification',
  feature: 'Plot',
  '@self': 'Self',
}

const singulars: Readonly<Record<string, string>> = {
  activities: 'Activity',
  speciesPresent: 'Species',
  species: 'Species',
  eligibility: 'Eligibility',
  identifiers: 'Identifier',
  sourceId: 'Source id',
}

/** A member's name as a column title: `totalArea` is "Total area". Names that are not in camel case stay unchanged. */
export function titleOf(name: string): string {
  if (Object.hasOwn(ownTitles, name)) return ownTitles[name]!
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) return name
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The title of one entry of a list: `crops` is "Crop". */
export function singularOf(name: string): string {
  if (Object.hasOwn(singulars, name)) return singulars[name]!
  const title = titleOf(name)
  if (/[^s]ies$/.test(title)) return `${title.slice(0, -3)}y`
  return /[^su]s$/.test(title) ? title.slice(0, -1) : title
}

/** A title under another: "Crop 1" and "Establishment date" are "Crop 1 establishment date". */
export function under(prefix: string, title: string): string {
  if (prefix === '' || title === '') return prefix + title
  const isWord = /^\p{Lu}\p{Ll}/u.test(title)
  return `${prefix} ${isWord ? title.charAt(0).toLowerCase() + title.slice(1) : title}`
}

/** A field as a column title: `/crops/0/name` is "Crop 1 name". */
export function titleOfField(path: string): string {
  const parts = path
    .replaceAll(/\/(\d+)/g, ' $1')
    .split('/')
    .slice(1)
  return parts.reduce((title, part) => {
    const [name = '', index] = part.split(' ')
    return under(title, index === undefined ? titleOf(name) : `${singularOf(name)} ${Number(index) + 1}`)
  }, '')
}
