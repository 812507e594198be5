/** Hides what a failure of a whole run looks like: one class, one table from code to exit status. */

/** What the command line answers with, by kind of failure. */
export const exitCodes = {
  done: 0,
  bug: 1,
  cannotUse: 2,
  doneWithRejects: 3,
  unreachable: 4,
  refused: 5,
  guard: 6,
  interrupted: 130,
  terminated: 143,
} as const

/** Each reason for which a run cannot go on, the exit status it gives, and what it means. */
export const errorCodes = {
  'file-missing': { exit: exitCodes.cannotUse, meaning: 'The file or folder is not there.' },
  'file-unreadable': { exit: exitCodes.cannotUse, meaning: 'The file is there but cannot be read.' },
  'file-changed': { exit: exitCodes.cannotUse, meaning: 'The file changed while it was being read.' },
  'file-empty': { exit: exitCodes.cannotUse, meaning: 'The file holds nothing to read.' },
  'address-refused': {
    exit: exitCodes.cannotUse,
    meaning: 'The web address of the file is not one that windrow reads from.',
  },
  'address-unreachable': {
    exit: exitCodes.unreachable,
    meaning: 'The web address of the file does not answer, or with an error of its own.',
  },
  'file-damaged': { exit: exitCodes.cannotUse, meaning: 'The file breaks the rules of its own format.' },
  'file-too-large': { exit: exitCodes.cannotUse, meaning: 'The file, or what is packed in it, is beyond a limit.' },
  'format-unknown': { exit: exitCodes.cannotUse, meaning: 'No reader knows this kind of file.' },
  'format-failed': { exit: exitCodes.cannotUse, meaning: 'A format module from outside is none, or failed.' },
  'format-cannot-write': { exit: exitCodes.cannotUse, meaning: 'This kind of file can be read but not written.' },
  'layer-unclear': { exit: exitCodes.cannotUse, meaning: 'The file has several layers, or not the one asked for.' },
  'archive-unsafe': { exit: exitCodes.cannotUse, meaning: 'The zip file holds something that could do harm.' },
  'encoding-unknown': { exit: exitCodes.cannotUse, meaning: 'The text encoding is not one that windrow knows.' },
  'crs-unknown': { exit: exitCodes.cannotUse, meaning: 'The coordinate system is missing or not understood.' },
  'crs-differs': { exit: exitCodes.guard, meaning: 'The file and the pipeline name different coordinate systems.' },
  'target-busy': { exit: exitCodes.cannotUse, meaning: 'The output file is open in another program.' },
  'target-unwritable': { exit: exitCodes.cannotUse, meaning: 'The output file cannot be written.' },
  'option-invalid': { exit: exitCodes.cannotUse, meaning: 'An option or its value cannot be used.' },
  'pipeline-invalid': { exit: exitCodes.cannotUse, meaning: 'The pipeline file has a mistake.' },
  'column-missing': { exit: exitCodes.guard, meaning: 'A column that the pipeline needs is not in the file.' },
  'key-missing': { exit: exitCodes.cannotUse, meaning: 'There is no rule that tells one record from another.' },
  'holding-missing': { exit: exitCodes.cannotUse, meaning: 'No farm is named for the records.' },
  'connection-missing': { exit: exitCodes.cannotUse, meaning: 'It is not said which service to talk to.' },
  'state-unreadable': { exit: exitCodes.cannotUse, meaning: 'What windrow keeps between runs cannot be read.' },
  'state-damaged': { exit: exitCodes.cannotUse, meaning: 'A file that windrow keeps between runs is damaged.' },
  'disk-full': { exit: exitCodes.cannotUse, meaning: 'There is no room left on the disk.' },
  'disk-read-only': { exit: exitCodes.cannotUse, meaning: 'The disk, folder or file may not be written.' },
  'disk-failed': { exit: exitCodes.cannotUse, meaning: 'The disk reports an error.' },
  'file-locked': { exit: exitCodes.cannotUse, meaning: 'Another program holds a file that windrow keeps.' },
  'run-unreported': {
    exit: exitCodes.doneWithRejects,
    meaning: 'Records were sent, but the disk gives no report of the run; the next run looks at all of them again.',
  },
  'part-missing': { exit: exitCodes.cannotUse, meaning: 'A part of windrow is not where it was installed.' },
  'run-unknown': { exit: exitCodes.cannotUse, meaning: 'There is no such run.' },
  'run-busy': { exit: exitCodes.guard, meaning: 'Another process is running this pipeline.' },
  'service-unreachable': { exit: exitCodes.unreachable, meaning: 'The service does not answer.' },
  'service-failing': { exit: exitCodes.unreachable, meaning: 'The service answers with an error of its own.' },
  'service-confused': {
    exit: exitCodes.unreachable,
    meaning: 'The service answered with something that cannot be right.',
  },
  'sign-in-refused': { exit: exitCodes.refused, meaning: 'The service does not accept the credentials.' },
  'rights-missing': { exit: exitCodes.refused, meaning: 'The account may not do this.' },
  'request-refused': { exit: exitCodes.refused, meaning: 'The service refuses the request and would refuse it again.' },
  'guard-stopped': { exit: exitCodes.guard, meaning: 'A limit of the pipeline was passed; nothing was sent.' },
  interrupted: { exit: exitCodes.interrupted, meaning: 'The run was stopped from outside.' },
} as const satisfies Record<string, { exit: number; meaning: string }>

export type ErrorCode = keyof typeof errorCodes

/** A run cannot go on. The message says what and where, the hint what to do next; `data` is safe to write as JSON. */
export class WindrowError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly data: Readonly<Record<string, unknown>>

  constructor(
    code: ErrorCode,
    message: string,
    more: { hint?: string; cause?: unknown; data?: Readonly<Record<string, unknown>> } = {},
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

/** The failure with the name of the file it is about, where its message lacks it: a night reads ten of them. */
export function naming<Cause>(file: string, cause: Cause): Cause | WindrowError {
  if (!(cause instanceof WindrowError) || namesOtherFile.has(cause.code) || cause.message.includes(file)) return cause
  const { code, message, hint, data } = cause
  return new WindrowError(code, `${file}: ${message}`, { ...(hint === undefined ? {} : { hint }), data, cause })
}
