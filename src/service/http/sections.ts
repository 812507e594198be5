/** Finds the part of the service that a path belongs to. */

/** The parts of the service, by their paths. */
export const sections = [
  'sign-in',
  'control',
  'datasets',
  'changes',
  'publish',
  'features',
  'crops',
  'reference',
  'webhooks',
] as const

export type Section = (typeof sections)[number]

const forms: readonly (readonly [Section, RegExp])[] = [
  ['sign-in', /\/protocol\/openid-connect\/token$/],
  ['control', /^\/data\/streaming\/control$/],
  ['publish', /^\/data\/streaming\/datasets?\/[^/]+\/resources$/],
  ['changes', /^\/data\/streaming\/datasets\/[^/]+\/changes$/],
  ['datasets', /^\/data\/streaming\/datasets(\/[^/]+)?$/],
  ['features', /^\/ogc(\/|$)/],
  ['crops', /^\/data\/(crops|holdings)\//],
  ['reference', /^\/reference\//],
  ['webhooks', /^\/ecosystem\//],
]

/** The part of the service that a path belongs to, undefined for any other path. */
export function sectionOf(path: string): Section | undefined {
  return forms.find(([, form]) => form.test(path))?.[0]
}
