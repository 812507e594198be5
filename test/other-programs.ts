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

/** A file that is opened and saved as another, each with its filter; `options` are those of the filter that opens it. */
export type Saved = {
  readonly from: string
  readonly opens: string
  readonly options?: string
  readonly to: string
  readonly saves: string
}

/**
 * Writes cells of sheets with LibreOffice, as a person does who types into them, and saves each file in its own format. Saves others
 * in another format. All in one start, which takes longer than the work.
 */
export function workInOffice(folder: string, typed: readonly Typed[], saved: readonly Saved[]): void {
  const library = join(folder, 'office', 'user', 'basic', 'Standard')
  // The first start makes the library, without anything in it.
  if (!existsSync(library)) runOffice(folder, '--terminate_after_init')
  const xml = '<?xml version="1.0" encoding="UTF-8"?>\n'
  writeFileSync(
    join(library, 'script.xlb'),
    `${xml}<library:library xmlns:library="http://openoffice.org/2000/library" library:name="Standard"><library:element library:name="Module1"/></library:library>`,
  )
  const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`
  const address = (path: string): string => quoted(pathToFileURL(path).href)
  const typing = typed.map(
    ({ path, sheet, cell, text }) => `
  book = StarDesktop.loadComponentFromURL(${address(path)}, "_blank", 0, Using("", ""))
  book.Sheets.getByIndex(${sheet}).getCellRangeByName(${quoted(cell)}).setFormula(${quoted(text)})
  book.store()
  book.close(True)`,
  )
  const saving = saved.map(
    ({ from, opens, options = '', to, saves }) => `
  book = StarDesktop.loadComponentFromURL(${address(from)}, "_blank", 0, Using(${quoted(opens)}, ${quoted(options)}))
  book.storeToURL(${address(to)}, Using(${quoted(saves)}, ""))
  book.close(True)`,
  )
  const macro = `Function Using(filter As String, options As String)
  Dim all(2) As New com.sun.star.beans.PropertyValue
  all(0).Name = "Hidden"
  all(0).Value = True
  all(1).Name = "FilterName"
  all(1).Value = filter
  all(2).Name = "FilterOptions"
  all(2).Value = options
  Using = all()
End Function

Sub Work${[...typing, ...saving].join('')}
End Sub
`
  writeFileSync(
    join(library, 'Module1.xba'),
    `${xml}<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Module1" script:language="StarBasic">${macro.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</script:module>`,
  )
  runOffice(folder, 'macro:///Standard.Module1.Work')
}
