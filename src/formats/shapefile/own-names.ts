/** Gives the columns of windrow's own exports names of at most ten letters that a person can read in a mapping program. */

/**
 * Titles without their number and without the note in brackets; `*` is replaced by the unit in the brackets. "Source id" fits, and is
 * the name by which a shapefile without its list of full names is recognised.
 */
const names: Readonly<Record<string, string>> = {
  'Total area': 'TOTAL_*',
  'Total area resolution': 'STEP_*',
  'Total length': 'LENGTH_*',
  'Crop name': 'CROP',
  'Crop variety': 'VARIETY',
  'Crop identifier': 'CROP_ID',
  'Crop establishment date': 'SOWN',
  'Crop maturity date': 'MATURE',
  'Crop harvest date': 'HARVESTED',
  'Historic crops': 'PAST_CROPS',
  'Classification scheme': 'CLASS_BY',
  'Classification primary': 'CLASS',
  'Classification secondary': 'SUBCLASS',
  'Activity name': 'ACTIVITY',
  'Activity id': 'ACTIV_ID',
  'Activity primary': 'MAIN_USE',
  'Activity productive area': 'PROD_*',
  'Land cover class scheme': 'COVER_BY',
  'Land cover class primary': 'COVER',
  'Land cover class secondary': 'SUBCOVER',
  'Species name': 'SPECIES',
  'Species taxonomic name': 'TAXON',
  'Species abundance': 'ABUNDANCE',
  'Eligibility scheme': 'ELIG_BY',
  'Eligibility primary': 'ELIG_CLASS',
  'Eligibility eligible': 'ELIGIBLE',
  Identifier: 'IDENT',
  'Link relationship': 'LINK_ROLE',
  'Link content type': 'LINK_TYPE',
  'Link related': 'LINK',
  Modified: 'MODIFIED',
  Created: 'CREATED',
  'Valid from': 'VALID_FROM',
  'Data point key': 'DATA_KEY',
  'Operation name': 'OPERATION',
  'Operation type': 'OPER_TYPE',
  Start: 'START',
  End: 'END',
}

/** The readable name of a column that is too long for a shapefile; undefined for columns that are not windrow's own. */
export function ownName(title: string): string | undefined {
  const [, words = '', number, rest = '', note = ''] =
    /^(.*?)(?: (\d+)( [^()]*?)?)?(?: \(([^()]*)\))?$/.exec(title) ?? []
  const known = words + rest
  if (!Object.hasOwn(names, known)) return undefined
  const unit = note.replaceAll('²', '2').toUpperCase()
  const name = names[known]!.replace('*', /^[A-Z0-9]{1,3}$/.test(unit) ? unit : '')
  const plain = name.replace(/_$/, '')
  return number === undefined || number === '1' ? plain : `${plain.slice(0, 9 - number.length)}_${number}`
}
