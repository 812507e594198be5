/** The script of the report's page: links the map with the table, filters rows, and shows more of them. Without it the page still shows everything. */

/** A plain script: it runs in the browser, and nothing of it is compiled. */
export const pageScript = String.raw`
'use strict'
const table = document.querySelector('table.paddocks')
const map = document.querySelector('svg.map')
const about = document.getElementById('about')
const filter = document.getElementById('filter')
const more = document.getElementById('more')
const rows = table ? [...table.querySelectorAll('tbody tr')] : []
const paddocks = map ? [...map.querySelectorAll('.land a')].sort((a, b) => a.id.slice(1) - b.id.slice(1)) : []

const rowOf = (paddock) => document.getElementById('r' + paddock.id.slice(1))
const paddockOf = (row) => document.getElementById('p' + row.id.slice(1))

const describe = (row) => {
  const [name, key, crop, what, area, before] = [...row.cells].map((cell) => cell.textContent)
  const more = row.querySelector('small')?.textContent
  const happened = more ? what.slice(0, -more.length) + ': ' + more : what
  const parts = [name, key && 'key ' + key, crop, happened, area && area + ' ha', before && 'before ' + before + ' ha']
  return parts.filter(Boolean).join(' · ')
}

let chosen
const show = (row) => {
  about.textContent = row ? describe(row) : chosen ? describe(chosen) : 'Point at or tap a paddock for its details.'
}

// A row that is not on the page yet is brought there.
const bringUp = (row) => {
  row.hidden = false
  row.parentElement.classList.add('open')
  if (more) more.hidden = table.querySelector('tbody:not(.open)') === null
}

const choose = (hash) => {
  const found = /^#([pr])(\d+)$/.exec(hash)
  const row = found && document.getElementById('r' + found[2])
  if (!row) return
  document.querySelectorAll('.chosen').forEach((each) => each.classList.remove('chosen'))
  chosen = row
  row.classList.add('chosen')
  bringUp(row)
  const paddock = paddockOf(row)
  if (paddock) {
    paddock.classList.add('chosen')
    // The outline of a later paddock must not cover it.
    paddock.parentElement.append(paddock)
    reach(paddock)
  }
  show()
  const target = found[1] === 'p' && paddock ? map : row
  target.scrollIntoView({ block: found[1] === 'p' ? 'nearest' : 'center' })
  if (found[1] === 'r') row.querySelector('a')?.focus({ preventScroll: true })
  else paddock?.focus({ preventScroll: true })
}

// One paddock is in the order of the Tab key; arrow keys move to the others.
let reached
const reach = (paddock) => {
  reached?.setAttribute('tabindex', '-1')
  reached = paddock
  paddock.setAttribute('tabindex', '0')
}

addEventListener('hashchange', () => choose(location.hash))
const goTo = (hash) => {
  if (location.hash === hash) choose(hash)
  else location.hash = hash
}

if (table) {
  table.addEventListener('click', (event) => {
    const row = event.target.closest('tbody tr')
    if (!row || event.target.closest('a') || String(getSelection()) !== '') return
    goTo(paddockOf(row) ? '#p' + row.id.slice(1) : '#' + row.id)
  })
  if (more) more.hidden = table.tBodies.length < 2
  more?.querySelector('button').addEventListener('click', () => {
    table.querySelector('tbody:not(.open)')?.classList.add('open')
    more.hidden = table.querySelector('tbody:not(.open)') === null
  })
}

if (filter) {
  filter.parentElement.hidden = false
  const found = document.getElementById('found')
  let texts
  filter.addEventListener('input', () => {
    texts ??= rows.map((row) => row.textContent.toLowerCase())
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean)
    let shown = 0
    rows.forEach((row, index) => {
      row.hidden = !words.every((word) => texts[index].includes(word))
      if (!row.hidden) shown += 1
    })
    // With few matches there is no need for pages.
    table.classList.toggle('in-pages', shown > 250)
    more.hidden = shown <= 250 || table.querySelector('tbody:not(.open)') === null
    found.textContent = words.length === 0 ? '' : shown + (shown === 1 ? ' row matches' : ' rows match')
  })
}

if (map && about) {
  show()
  if (paddocks.length > 0) reach(paddocks[0])
  const over = (event) => {
    const paddock = event.target.closest('.land a')
    show(paddock ? rowOf(paddock) : undefined)
  }
  map.addEventListener('pointerover', over)
  map.addEventListener('pointerleave', () => show())
  map.addEventListener('focusin', over)
  let tapped
  map.addEventListener('click', (event) => {
    const paddock = event.target.closest('.land a')
    if (!paddock) return
    event.preventDefault()
    // A first tap shows the details, as the mouse does before it clicks.
    if (event.pointerType === 'touch' && tapped !== paddock) {
      tapped = paddock
      goTo('#' + paddock.id)
    } else goTo('#r' + paddock.id.slice(1))
  })
  map.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (!step || !reached) return
    event.preventDefault()
    const next = paddocks.at((paddocks.indexOf(reached) + step) % paddocks.length)
    reach(next)
    next.focus({ preventScroll: true })
  })
}

choose(location.hash)
`
