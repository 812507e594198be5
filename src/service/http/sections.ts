/** Finds the part of the service that a path belongs to. */

const forms = [
  ['sign-in', /\/protocol\/openid-connect\/token$/],
  ['control', /^\/data\/streaming\/control$/],
  ['datasets', /^\/data\/streaming\/datasets(\/[^/]+)?$/],
  ['changes', /^\/data\/streaming\/datasets\/[^/]+\/changes$/],
  ['publish', /^\/data\/streaming\/datasets?\/[^/]+\/resources$/],
  ['features', /^\/ogc(\/|$)/],
  ['crops', /^\/data\/(crops|holdings)\//],
  ['reference', /^\/reference\//],
  ['webhooks', /^\/ecosystem\//],
] as const

/** The parts of the service, by their paths. */
export const sections = forms.map(([section]) => section)

/** The part of the service that a path belongs to, undefined for any other path. */
export function sectionOf(path: string) {
  return forms.find(([, form]) => form.test(path))?.[0]
}
