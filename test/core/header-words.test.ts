import { expect, test } from 'vitest'
import { knownFields, wordRows } from '../../src/core/values/header-words.ts'

test('words.json is as a person must write it', () => {
  const seen = new Set<string>()
  const faults = wordRows.flatMap(({ field, language, words, order }, index) => {
    const row = `Row ${index + 1} of words.json, ${field} in ${language}:`
    const doubled = words.filter((word) => seen.has(`${field} ${language} ${word}`))
    for (const word of words) seen.add(`${field} ${language} ${word}`)
    return [
      ...(knownFields.has(field)
        ? []
        : [`${row} there is no field "${field}". Fields: ${[...knownFields].join(', ')}.`]),
      ...(/^[a-z]{2}$/.test(language) ? [] : [`${row} write the language as two letters, such as "fr".`]),
      ...(words.length > 0 ? [] : [`${row} there are no words.`]),
      ...(order === undefined || order > 0 ? [] : [`${row} the best words have the order 1.`]),
      ...doubled.map((word) => `${row} "${word}" is there twice.`),
      ...words
        .filter(
          (word) =>
            !/^(?:[\p{Ll}\d]+\*?|\*|\([\p{Ll}\d |]+\))(?: (?:[\p{Ll}\d]+\*?|\*|\([\p{Ll}\d |]+\)))*$/u.test(word),
        )
        .map(
          (word) =>
            `${row} "${word}" has signs that mean nothing. Write small letters, (what may be missing), (one|other) or *.`,
        ),
    ]
  })
  expect(faults).toEqual([])
})
