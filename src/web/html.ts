/** Builds pages and escapes every value in them. */

/** A piece of a page that is already safe. */
export type Html = { readonly html: string }

/** Builds a piece of a page; values are escaped, pieces and lists of pieces are not, booleans, null and undefined give nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Html {
  let text = parts[0]!
  values.forEach((value, index) => {
    text += render(value) + parts[index + 1]!
  })
  return { html: text }
}

type Part = Html | string | number | boolean | null | undefined | readonly Part[]

function render(part: Part): string {
  if (part === undefined || part === null || typeof part === 'boolean') return ''
  if (typeof part !== 'object') return escape(String(part))
  return 'html' in part ? part.html : part.map(render).join('')
}

function escape(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[&<>"']/g, (character) => entities[character]!)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The head of a table: the titles of its columns, then of its columns of numbers. */
export function tableHead(titles: readonly string[], ofNumbers: readonly string[] = []): Html {
  const texts = titles.map((title) => html`<th scope="col">${title}</th>`)
  const numbers = ofNumbers.map((title) => html`<th scope="col" class="n">${title}</th>`)
  return html`<thead>
    <tr>
      ${texts}${numbers}
    </tr>
  </thead>`
}

/** A page that loads nothing. `scripts` is what its policy allows besides styles; `head` and `end` come beside its content. */
export function wholePage(
  about: {
    readonly title: string
    readonly style?: string
    readonly scripts?: string
    readonly head?: Html
    readonly end?: Html
  },
  content: Html,
): string {
  const { title, style = '', scripts = '', head, end } = about
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="${`default-src 'none'; style-src 'unsafe-inline'${scripts}`}"
        />
        <title>${title}</title>
        <style>
          ${{ html: pageStyle + style }}
        </style>
        ${head}
      </head>
      <body>
        <main>${content}</main>
        ${end}
      </body>
    </html> `
  return page.html
}

/** A moment as a clock in that zone shows it. */
export function timeIn(moment: string, zone: string): string {
  const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone })
  return time.format(new Date(moment))
}

/** The style of the report's page, for screens, phones and A4 paper, light and dark. */
const pageStyle = `
:root { color-scheme:light dark; --created:#2f7d3b; --updated:#2b6cb0; --unchanged:#8d9892; --rejected:#b83a22; --skipped:#a86e00; --ink:#1f2a24; --soft:#59645e; --paper:#fbfaf6; --line:#d5d1c4; --land:#eeeade; --halo:#fffc; --mark:#7a1fa2 }
@media screen and (prefers-color-scheme:dark) { :root { --created:#63b36d; --updated:#6ba6e0; --unchanged:#727d77; --rejected:#ee7a5f; --skipped:#dba032; --ink:#e8e6df; --soft:#aab2ad; --paper:#171b18; --line:#3a403b; --land:#2a302c; --halo:#000b; --mark:#d9a0f0 } }
* { box-sizing:border-box }
body { margin:0; background:var(--paper); color:var(--ink); font:16px/1.5 system-ui, sans-serif }
main { max-width:860px; margin:0 auto; padding:2rem 1.25rem 3rem }
h1 { margin:.2rem 0; font-size:1.7rem; line-height:1.2; overflow-wrap:anywhere } h2 { font-size:1.15rem; margin:2rem 0 .6rem; overflow-wrap:anywhere }
header p, .stop p, .stop li, code { overflow-wrap:anywhere }
a { color:inherit } a:focus-visible, summary:focus-visible, button:focus-visible, input:focus-visible { outline:3px solid var(--updated); outline-offset:2px }
.verdict { display:inline-block; margin:0; padding:.15rem .7rem; border-radius:1rem; color:#fff; font-weight:600 }
.verdict.good { background:#2f6d37 } .verdict.look { background:#a83520 }
.stop { border-left:4px solid var(--rejected); padding-left:1rem }
.book p { margin:.6rem 0 .2rem } .bar { display:flex; height:.8rem; border-radius:.4rem; overflow:hidden; background:var(--line) }
.bar i + i { border-left:2px solid var(--paper) }
i.created { background:var(--created) } i.updated { background:var(--updated) } i.unchanged { background:var(--unchanged) }
i.rejected { background:var(--rejected) } i.skipped { background:var(--skipped) }
.facts span { margin-right:1.5rem }
.soft, code, footer { color:var(--soft) } code { font-size:.85rem; overflow-wrap:anywhere } footer { margin-top:2.5rem; font-size:.85rem; overflow-wrap:anywhere }

.map { display:block; width:100%; max-height:660px; border:1px solid var(--line); border-radius:.5rem; scroll-margin:1rem; overflow:hidden }
.map a, .swatch { fill:var(--land); stroke:var(--ink); stroke-width:2 } .map path { fill-rule:evenodd } .map a { outline:none }
.map .unchanged, .swatch.unchanged { stroke:var(--unchanged); stroke-width:2 }
.map .created, .swatch.created { fill:var(--created); stroke:var(--paper) }
.map .updated, .swatch.updated { fill:url(#of-updated); stroke:var(--updated) }
.map .rejected, .swatch.rejected { fill:url(#of-rejected); stroke:var(--rejected); stroke-width:5 }
.map .refused, .swatch.refused { fill:url(#of-refused); stroke:var(--rejected); stroke-width:5; stroke-dasharray:4 6 }
.map .unsent, .swatch.unsent { fill:url(#of-unsent); stroke:var(--skipped); stroke-width:4 }
.map .deleted, .swatch.deleted { fill:url(#of-deleted); stroke:var(--rejected); stroke-width:4; stroke-dasharray:14 8 }
.map .kept, .swatch.kept { fill:none; stroke:var(--soft); stroke-width:3; stroke-dasharray:14 8 }
pattern .ground { fill:var(--land); stroke:none } pattern path { fill:none; stroke-width:3 }
#of-updated path { stroke:var(--updated) } #of-rejected path, #of-refused path, #of-deleted path { stroke:var(--rejected); stroke-width:2 } #of-unsent path { stroke:var(--skipped) }
.map a { cursor:pointer } .map a:hover { stroke:var(--ink); stroke-width:5 }
.map a:target, .map a.chosen, .map a:focus-visible { stroke:var(--ink); stroke-width:9; stroke-dasharray:none }
.mark { fill:var(--mark); stroke:var(--paper); stroke-width:2.5 }
.map text { fill:var(--ink); stroke:var(--halo); stroke-width:6; paint-order:stroke; stroke-linejoin:round; text-anchor:middle; pointer-events:none; font-family:system-ui, sans-serif }
.map text.left { text-anchor:start } .map text.right { text-anchor:end } .scale { fill:none; stroke:var(--ink); stroke-width:3 } .north { fill:var(--ink); stroke:none } .on-narrow { display:none }
#about { min-height:1.5rem; margin:.4rem 0 0; font-weight:600; overflow-wrap:anywhere }
.legend { display:flex; flex-wrap:wrap; gap:.2rem 1.2rem; list-style:none; margin:.5rem 0; padding:0 } .legend li { display:flex; align-items:center; gap:.4rem } .legend svg { flex:none }
.crops { display:none } main:has(#by-crop:checked) .crops { display:flex }
${cropStyle()}

details { border:1px solid var(--line); border-radius:.5rem; margin:.5rem 0; padding:.4rem .8rem } details.error { border-color:var(--rejected) }
summary { cursor:pointer; overflow-wrap:anywhere }
table { border-collapse:collapse; table-layout:fixed; width:100%; margin:.5rem 0; font-size:.92rem } td, th { text-align:left; vertical-align:top; padding:.3rem .6rem .3rem 0; border-top:1px solid var(--line); overflow-wrap:anywhere } td.n, th.n { text-align:right; font-variant-numeric:tabular-nums; white-space:nowrap }
ins { text-decoration:none; font-weight:600 } del { color:var(--soft) }
.paddocks th:nth-child(1) { width:22% } .paddocks th:nth-child(2) { width:13% } .paddocks th:nth-child(3) { width:17% } .paddocks th:nth-child(n+5) { width:6.2rem }
.findings th:nth-child(1) { width:10% } .findings th:nth-child(2) { width:17% } .findings th:nth-child(3), .findings th:nth-child(4) { width:15% } .changes thead th:nth-child(1) { width:18% } .changes thead th:nth-child(2) { width:22% } .decided thead th:nth-child(1) { width:24% } .decided thead th:nth-child(2) { width:32% }
th { font-weight:600 } tbody tr { scroll-margin:3rem } tr:target, tr.chosen { background:var(--land); box-shadow:-4px 0 0 var(--ink) }
.paddocks tbody tr { cursor:pointer } .paddocks tbody tr:hover { background:var(--land) } .in-pages tbody:not(.open) { display:none } td small { display:block; color:var(--soft) }
label { display:inline-flex; align-items:center; gap:.4rem } input, button { font:inherit; color:inherit; background:var(--paper); border:1px solid var(--soft); border-radius:.4rem; padding:.25rem .6rem } input[type=search] { width:19rem; max-width:100% } input[type=checkbox] { width:1.1rem; height:1.1rem }
.filter[hidden], #more[hidden] { display:none } .filter { display:flex; flex-wrap:wrap; gap:.4rem 1rem; align-items:center }

@media screen and (max-width:600px) {
  main { padding:1.25rem 1rem 2rem } .on-wide { display:none } .on-narrow { display:inline }
  .stack thead { position:absolute; width:1px; height:1px; overflow:hidden; clip-path:inset(50%) }
  .stack, .stack tbody, .stack tr, .stack td, .stack th { display:block; width:auto } .stack tr { border-top:1px solid var(--line); padding:.4rem 0 } .stack td, .stack th { border:0; padding:.05rem 0; text-align:left; white-space:normal } .stack td:empty { display:none }
  .stack td[data-label]::before, .paddocks td:nth-of-type(n+2)::before { color:var(--soft) } .stack td[data-label]::before { content:attr(data-label) " " }
  .paddocks td { display:inline-block; margin-right:1rem } .paddocks td:first-child { display:block; font-weight:600 } .paddocks td small { max-width:20rem } .mark { scale:1.8 }
  .paddocks td:nth-child(2)::before { content:"Key " } .paddocks td:nth-child(3)::before { content:"Crop " } .paddocks td:nth-child(5)::before { content:"Area, ha: " } .paddocks td:nth-child(6)::before { content:"Area before, ha: " }
  .in-pages tbody:not(.open) { display:none } .stack tr[hidden] { display:none }
}
@media print {
  @page { size:A4; margin:14mm } :root { --paper:#fff }
  body { font-size:10pt } main { max-width:none; padding:0 } .in-pages tbody:not(.open) { display:table-row-group } .filter, #more, #about, .on-request { display:none }
  section, svg, tr, details { break-inside:avoid } section.long { break-inside:auto } h2 { break-after:avoid } thead { display:table-header-group } .map { max-height:130mm } * { print-color-adjust:exact; -webkit-print-color-adjust:exact }
    .paddocks th:nth-child(n+5) { width:5rem; white-space:normal }
  details::details-content { content-visibility:visible; block-size:auto }
}
`

/** Eight colours that colour-blind people can tell apart; a paddock of another crop, or of none, is grey. */
function cropStyle(): string {
  const colours = ['#e69f00', '#56b4e9', '#009e73', '#f0e442', '#0072b2', '#d55e00', '#cc79a7', '#7f5539']
  const asked = 'main:has(#by-crop:checked) .map .land a'
  return [
    `${asked} { fill:var(--land) }`,
    ...colours.map((colour, index) => `${asked}.k${index}, .swatch.k${index} { fill:${colour} }`),
  ].join('\n')
}
