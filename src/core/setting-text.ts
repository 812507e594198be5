/** Writes in a hint how a setting is changed: in the pipeline, or by the options of `windrow import`. */

/** Where the settings of a run are. */
export type SettingsIn = 'pipeline' | 'import'

/** A setting as the person writes it: the pipeline's `line`, or the `option` of import; some settings are only in pipelines. */
export function settingText(settingsIn: SettingsIn | undefined, line: string, option?: string): string {
  if (settingsIn !== 'import') return line
  return option ?? `${line}  in a pipeline, which windrow init starts`
}
