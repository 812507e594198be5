/** Defines the errors that stop a run, and the exit status of each. */

/** The exit status of the command line, by kind of result. */
export const exitCodes = {
  done: 0,
  bug: 1,
  cannotUse: 2,
  doneWithRejects: 3,
  unreachable: 4,
  refused: 5,
  stopped: 6,
  interrupted: 130,
  terminated: 143,
} as const

const endingWith = (exit: number) => (meaning: string) => ({ exit, meaning })
const cannotUse = endingWith(exitCodes.cannotUse)
const doneWithRejects = endingWith(exitCodes.doneWithRejects)
const unreachable = endingWith(exitCodes.unreachable)
const refused = endingWith(exitCodes.refused)
const stopped = endingWith(exitCodes.stopped)
const interrupted = endingWith(exitCodes.interrupted)

/** Each reason why a run stops, with its exit status and meaning. */
export const errorCodes = {
  'file-missing': cannotUse('The file or folder was not found.'),
  'file-unreadable': cannotUse('The file is there but cannot be read.'),
  'source-changed': cannotUse('The file changed after it was looked at, or while it was being read.'),
  'file-empty': cannotUse('The file is empty.'),
  'address-refused': cannotUse('windrow does not read from this web address.'),
  'address-unreachable': unreachable('The web address of the file does not answer, or answers with an error.'),
  'share-lost': unreachable('The network share or disk with the file went away or reports an error.'),
  'file-damaged': cannotUse('The file is damaged: it breaks the rules of its format.'),
  'file-too-large': cannotUse('The file, or a file inside the zip, is too large.'),
  'format-unknown': cannotUse('windrow cannot read this kind of file.'),
  'format-failed': cannotUse('A format module cannot be used, or failed.'),
  'format-cannot-write': cannotUse('This kind of file can be read but not written.'),
  'two-tables': cannotUse('The sheet or file has two tables.'),
  'layer-unclear': cannotUse('The file has several layers, or no layer with this name.'),
  'archive-unsafe': cannotUse('The zip file contains something that could do harm.'),
  'encoding-unknown': cannotUse('The text encoding is not known.'),
  'crs-unknown': cannotUse('The coordinate system is missing or not understood.'),
  'crs-differs': stopped('The file and the pipeline name different coordinate systems.'),
  'target-busy': cannotUse('The output file is open in another program.'),
  'target-unwritable': cannotUse('The output file cannot be written.'),
  'target-exists': cannotUse(
    'A file is there that windrow did not write, that was changed since, or that the run reads. It is not replaced.',
  ),
  'nothing-matched': doneWithRejects(
    'No record matches the filters of the export, or one of their words. No file was written.',
  ),
  'option-invalid': cannotUse('An option or its value cannot be used.'),
  'name-taken': cannotUse('Another pipeline of this name uses the same state folder.'),
  'pipeline-invalid': cannotUse('The pipeline file has a mistake.'),
  'notify-invalid': cannotUse('notify.yaml has a mistake, lacks a secret, or could be changed by other users.'),
  'columns-differ': stopped('The file has a column that the pipeline does not allow, or two of one name.'),
  'column-missing': stopped('A column that the pipeline needs is not in the file.'),
  'key-missing': cannotUse('No id column (key) is chosen. It must be different in every row.'),
  'holding-missing': cannotUse('No farm is named for the records.'),
  'choices-missing': cannotUse('Choices about the file are missing, such as its layer, its key or the farm.'),
  'connection-missing': cannotUse('No service connection is configured.'),
  'state-unreadable': cannotUse('A file that windrow keeps between runs cannot be read.'),
  'state-damaged': cannotUse('A file that windrow keeps between runs is damaged.'),
  'store-refused': cannotUse('The PostgreSQL database refuses the user, the password or the database name.'),
  'store-unreachable': unreachable('The PostgreSQL database does not answer.'),
  'disk-full': cannotUse('The disk is full.'),
  'disk-read-only': cannotUse('The disk, folder or file is read-only.'),
  'disk-failed': cannotUse('The disk reports an error.'),
  'file-locked': cannotUse('Another program is using the file, or one that windrow keeps between runs.'),
  'run-unreported': doneWithRejects(
    'Records were sent, but no report of the run could be made. The next run checks all of them again.',
  ),
  'part-missing': cannotUse('A part of windrow is missing. Install it again.'),
  'run-unknown': cannotUse('No run has this name, or it was deleted.'),
  'plan-unusable': cannotUse('The plan cannot be applied: it was stopped, was made without a service, or is no plan.'),
  'plan-outdated': stopped(
    'The file, the pipeline or the records in the service have changed since the plan was made.',
  ),
  'run-unusable': cannotUse(
    'The run cannot be undone or retried: it sent nothing, rejected nothing, or belongs to another account.',
  ),
  'run-busy': stopped('Another process is running this pipeline.'),
  'service-unreachable': unreachable('The service does not answer.'),
  'service-failing': unreachable('The service answers with an internal error.'),
  'service-confused': unreachable('The answer of the service cannot be understood.'),
  'sign-in-refused': refused('The service does not accept the user name, password or client.'),
  'rights-missing': refused('The account has no right to do this.'),
  'request-refused': refused('The service refuses the request. Sending it again would not help.'),
  'rule-stopped': stopped('A rule stopped the run before sending. Nothing was sent.'),
  'after-failed': stopped('A pipeline that this one waits for (after) had no good run. Nothing was sent.'),
  interrupted: interrupted('The run was stopped before its end.'),
} satisfies Record<string, { readonly exit: number; readonly meaning: string }>

export type ErrorCode = keyof typeof errorCodes

/** Stops a run. The message says what and where, the hint what to do next; `data` is safe to write as JSON. */
export class WindrowError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly data: Readonly<Record<string, unknown>>

  constructor(
    code: ErrorCode,
    message: string,
    more: { hint?: string | undefined; cause?: unknown; data?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'WindrowError'
    this.code = code
    this.hint = more.hint
    this.data = more.data ?? {}
  }

  /** The exit status for this failure. */
  get exit(): number {
    return errorCodes[this.code].exit
  }
}

const namesOtherFile: ReadonlySet<ErrorCode> = new Set(['interrupted', 'target-busy', 'target-unwritable'])

/** The failure, with the name of its file where the message lacks it: one night may read ten files. */
export function naming<Cause>(file: string, cause: Cause): Cause | WindrowError {
  if (!(cause instanceof WindrowError) || namesOtherFile.has(cause.code) || cause.message.includes(file)) return cause
  const { code, message, hint, data } = cause
  return new WindrowError(code, `${file}: ${message}`, { hint, data, cause })
}
