/** Runs a pipeline for the files that arrived in its folder, each once. */

import { relative } from 'node:path'
import { WindrowError } from '../../core/error.ts'
import type { ImportPipeline, WatchFolder } from '../../pipeline/definition/definition.ts'
import { settle } from '../../pipeline/prepare/prepare.ts'
import { chooseFiles, finishFile, listArrived, openTakenFiles } from '../../pipeline/prepare/watch-folder.ts'
import { timing, type Surroundings } from '../options/command.ts'
import { inform } from '../screen/terminal.ts'

export type Arriving = {
  readonly watch: WatchFolder
  readonly state: string
  /** A dry run moves and remembers nothing. */
  readonly isDry: boolean
  /** Runs the pipeline for one file; `isLatest`: no later one follows. */
  runFile(pipeline: ImportPipeline, isLatest: boolean): Promise<{ readonly exit: number; readonly isGood: boolean }>
}

/** Runs the pipeline for each new file. Returns the worst exit status; a file that fails stops those after it. */
export async function runArrived(
  pipeline: ImportPipeline,
  { watch, state, isDry, runFile }: Arriving,
  surroundings: Surroundings,
): Promise<number> {
  const { terminal, folder } = surroundings
  const note = (sentence: string): void => inform(terminal, sentence)
  const waiting = { ...timing(surroundings), onWait: note }
  const paths = await listArrived(watch)
  for (const path of paths) await settle(path, pipeline.from.settledMs, waiting)
  using taken = openTakenFiles(state, pipeline.name)
  const { toRead, passedOver } = await chooseFiles(watch, paths, taken)
  for (const { file, why } of passedOver) {
    if (why !== '') note(`"${file.name}" ${why} and is not read.`)
    const left = isDry ? undefined : await finishFile(file, watch, { taken, wasRead: false })
    if (left !== undefined && why !== '') note(left)
  }
  let worst = 0
  for (const file of toRead) {
    const chosen = { ...pipeline, from: { ...pipeline.from, file: file.path } }
    const { exit, isGood } = await runFile(chosen, file === toRead.at(-1))
    worst = Math.max(worst, exit)
    if (!isGood) return exit
    const left = isDry ? undefined : await finishFile(file, watch, { taken, wasRead: true })
    if (left !== undefined) note(left)
  }
  if (toRead.length > 0) return worst
  const nothing = `"${relative(folder, watch.folder) || watch.folder}" has no new file that fits "${watch.pattern}".`
  if (!watch.allowsNone && !passedOver.some(({ why }) => why !== ''))
    throw new WindrowError('file-missing', nothing, {
      hint: 'Check the program that puts files there. If there is not always a new one, write empty: allow under "from".',
    })
  note(`${nothing} Nothing to do.`)
  return 0
}
