/** Writes in a hint what a person types: a setting in the pipeline, an option of `windrow import`, or a word in a shell. */

/** Where the settings of a run are. */
export type SettingsIn = 'pipeline' | 'import'

/** A setting as the person writes it: the pipeline's `line`, or the `option` of import; some settings are only in pipelines. */
export function settingText(settingsIn: SettingsIn | undefined, line: string, option?: string): string {
  if (settingsIn !== 'import') return line
  return option ?? `${line}  in a pipeline, which windrow init starts`
}

/** A word as a shell takes it. PowerShell makes a list of a,b; Windows takes \" at the end of a folder for a quote inside the word. */
export function quoted(word: string): string {
  return /^[\p{L}\p{M}\p{N}_.:/\\=%+-]+$/u.test(word) ? word : `"${word.replace(/(?<!:)\\+$/, '')}"`
}
