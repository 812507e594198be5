import { posix, win32 } from 'node:path'
import { expect, test } from 'vitest'
import { relativePath } from '../../src/core/sources/relative-path.ts'

test.each([
  ['C:\\farm\\.windrow', 'C:\\farm\\nightly.yaml', '../nightly.yaml'],
  ['C:\\farm', 'c:\\Farm\\in\\a.csv', 'in/a.csv'],
  ['C:\\farm', 'D:\\in\\a.csv', 'D:/in/a.csv'],
  ['C:\\farm', '\\\\server\\in\\a.csv', '//server/in/a.csv'],
])('from %s to %s on Windows is %s', (folder, file, expected) => {
  expect(relativePath(folder, file, win32)).toBe(expected)
  expect(win32.resolve(folder, expected).toLowerCase()).toBe(file.toLowerCase())
})

test('a backslash in a name stays elsewhere', () => {
  expect(relativePath('/farm', '/farm/in/a\\b.csv', posix)).toBe('in/a\\b.csv')
})
