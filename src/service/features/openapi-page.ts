/** Hides the description of the features API for people: one plain page without script, which OGC asks for beside the JSON. */

import type { ApiDocument } from './openapi.ts'

/** Writes the page from the document that machines read. */
export function apiPage({ info, servers, paths, components }: ApiDocument): string {
  const root = servers[0]!.url
  const rows = Object.entries(paths).map(([path, { get }]) => {
    const names = get.parameters.map(({ $ref }) => $ref.slice($ref.lastIndexOf('/') + 1))
    const parameters = names.map((name) => components.parameters[name]!.name).join(', ')
    return `<tr><td><code>${escaped(path)}</code></td><td>${escaped(get.summary)}</td><td>${escaped(parameters)}</td></tr>`
  })
  const described = Object.values(components.parameters).map(
    ({ name, description }) => `<dt><code>${escaped(name)}</code></dt><dd>${escaped(description)}</dd>`,
  )
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${escaped(info.title)}</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
td, th { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0 }</style>
<h1>${escaped(info.title)}</h1>
<p>${escaped(info.description)} All addresses stand below <code>${escaped(root)}</code> and are read with GET. Send an access token as
<code>Authorization: Bearer ...</code>; without one the collections are empty. The same for machines: <a href="api">OpenAPI 3.0</a>.</p>
<table><tr><th>Address</th><th>What it gives</th><th>Parameters</th></tr>
${rows.join('\n')}
</table>
<dl>${described.join('\n')}</dl>
</html>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
