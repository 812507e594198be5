import { expect, test } from 'vitest'
import { quoted } from '../../src/core/shell-word.ts'

test.each([
  ['pipelines/Rāhui.yaml', 'pipelines/Rāhui.yaml'],
  ['Ra\u0304hui.yaml', 'Ra\u0304hui.yaml'],
  ['C:\\farm\\.windrow', 'C:\\farm\\.windrow'],
  ['\\\\server\\farm', '\\\\server\\farm'],
  ['EPSG:2193', 'EPSG:2193'],
  ['my farm.zip', '"my farm.zip"'],
  ['Block,Paddock', '"Block,Paddock"'],
  [',', '","'],
  ['@old', '"@old"'],
  ['C:\\my farm\\', '"C:\\my farm"'],
  ['', '""'],
])('the word %s is typed as %s in every shell', (word, typed) => {
  expect(quoted(word)).toBe(typed)
})
