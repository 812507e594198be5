/** Finds the programs of others that tests drive: Python with a module, GDAL, LibreOffice. Tests skip visibly without them. */

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A Python that has the modules: that of the system has its packages, the first on the path may be another. */
export function pythonWith(...modules: readonly string[]): string | undefined {
  // To look for them takes a tenth of the time to load them.
  const script = `import sys\nfrom importlib.util import find_spec\nsys.exit(not all(map(find_spec, sys.argv[1:])))`
  return ['/usr/bin/python3', 'python3', 'python'].find(
    (each) => spawnSync(each, ['-c', script, ...modules]).status === 0,
  )
}

/** Whether a program is on the path. */
export function hasProgram(name: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.some((folder) => existsSync(join(folder, name)) || existsSync(join(folder, `${name}.exe`)))
}

/** Runs LibreOffice with settings of its own in the folder. */
export function runOffice(folder: string, ...words: readonly string[]): void {
  const settings = `-env:UserInstallation=${pathToFileURL(join(folder, 'office')).href}`
  execFileSync('soffice', [settings, '--headless', ...words], { stdio: 'ignore' })
}

/** A text for a cell of a sheet. */
export type Typed = { readonly path: string; readonly sheet: number; readonly cell: string; readonly text: string }

/** Writes cells of sheets with LibreOffice, as a person does who types into them, and saves each file in its own format. */
export function typeInOffice(folder: string, cells: readonly Typed[]): void {
  const library = join(folder, 'office', 'user', 'basic', 'Standard')
  // The first start makes the library, without anything in it.
  if (!existsSync(library)) runOffice(folder, '--terminate_after_init')
  const xml = '<?xml version="1.0" encoding="UTF-8"?>\n'
  writeFileSync(
    join(library, 'script.xlb'),
    `${xml}<library:library xmlns:library="http://openoffice.org/2000/library" library:name="Standard"><library:element library:name="Module1"/></library:library>`,
  )
  const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`
  const steps = cells.map(
    ({ path, sheet, cell, text }) => `
  book = StarDesktop.loadComponentFromURL(${quoted(pathToFileURL(path).href)}, "_blank", 0, hidden())
  book.Sheets.getByIndex(${sheet}).getCellRangeByName(${quoted(cell)}).setFormula(${quoted(text)})
  book.store()
  book.close(True)`,
  )
  const macro = `Sub TypeCell
  Dim hidden(0) As New com.sun.star.beans.PropertyValue
  hidden(0).Name = "Hidden"
  hidden(0).Value = True${steps.join('')}
End Sub
`
  writeFileSync(
    join(library, 'Module1.xba'),
    `${xml}<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Module1" script:language="StarBasic">${macro.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</script:module>`,
  )
  runOffice(folder, 'macro:///Standard.Module1.TypeCell')
}
