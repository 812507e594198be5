/** Defines the errors that stop a run, and the exit status of each. */

/** The exit status of the command line, by kind of result. */
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

/** Each reason why a run stops, with its exit status and meaning. */
export const errorCodes = {
  'file-missing': { exit: exitCodes.cannotUse, meaning: 'The file or folder was not found.' },
  'file-unreadable': { exit: exitCodes.cannotUse, meaning: 'The file is there but cannot be read.' },
  'file-changed': { exit: exitCodes.cannotUse, meaning: 'The file changed while it was being read.' },
  'file-empty': { exit: exitCodes.cannotUse, meaning: 'The file is empty.' },
  'address-refused': {
    exit: exitCodes.cannotUse,
    meaning: 'windrow does not read from this web address.',
  },
  'address-unreachable': {
    exit: exitCodes.unreachable,
    meaning: 'The web address of the file does not answer, or answers with an error.',
  },
  'share-lost': {
    exit: exitCodes.unreachable,
    meaning: 'The network share or disk with the file went away or reports an error.',
  },
  'file-damaged': { exit: exitCodes.cannotUse, meaning: 'The file is damaged: it breaks the rules of its format.' },
  'file-too-large': { exit: exitCodes.cannotUse, meaning: 'The file, or a file inside the zip, is too large.' },
  'format-unknown': { exit: exitCodes.cannotUse, meaning: 'windrow cannot read this kind of file.' },
  'format-failed': { exit: exitCodes.cannotUse, meaning: 'A format module cannot be used, or failed.' },
  'format-cannot-write': { exit: exitCodes.cannotUse, meaning: 'This kind of file can be read but not written.' },
  'layer-unclear': { exit: exitCodes.cannotUse, meaning: 'The file has several layers, or no layer with this name.' },
  'archive-unsafe': { exit: exitCodes.cannotUse, meaning: 'The zip file contains something that could do harm.' },
  'encoding-unknown': { exit: exitCodes.cannotUse, meaning: 'windrow does not know this text encoding.' },
  'crs-unknown': { exit: exitCodes.cannotUse, meaning: 'The coordinate system is missing or not understood.' },
  'crs-differs': { exit: exitCodes.guard, meaning: 'The file and the pipeline name different coordinate systems.' },
  'target-busy': { exit: exitCodes.cannotUse, meaning: 'The output file is open in another program.' },
  'target-unwritable': { exit: exitCodes.cannotUse, meaning: 'The output file cannot be written.' },
  'target-exists': {
    exit: exitCodes.cannotUse,
    meaning: 'windrow did not write the file that is there, or it was changed since. It is not replaced.',
  },
  'nothing-matched': {
    exit: exitCodes.doneWithRejects,
    meaning: 'No record matches the filters of the export. No file was written.',
  },
  'option-invalid': { exit: exitCodes.cannotUse, meaning: 'An option or its value cannot be used.' },
  'pipeline-invalid': { exit: exitCodes.cannotUse, meaning: 'The pipeline file has a mistake.' },
  'notify-invalid': {
    exit: exitCodes.cannotUse,
    meaning: 'notify.yaml has a mistake, lacks a secret, or could be changed by other users.',
  },
  'tenants-invalid': {
    exit: exitCodes.cannotUse,
    meaning: 'tenants.yaml has a mistake, or could be changed by other users.',
  },
  'tenant-refused': {
    exit: exitCodes.cannotUse,
    meaning: 'The pipeline belongs to no tenant, or asks for what is not its own: another connection, another folder.',
  },
  'secret-missing': {
    exit: exitCodes.unreachable,
    meaning: 'A secret of a tenant is not there: no such variable or file, or its command failed.',
  },
  'column-missing': { exit: exitCodes.guard, meaning: 'A column that the pipeline needs is not in the file.' },
  'key-missing': {
    exit: exitCodes.cannotUse,
    meaning: 'No id column (key) is chosen. It must be different in every row.',
  },
  'holding-missing': { exit: exitCodes.cannotUse, meaning: 'No farm is named for the records.' },
  'choices-missing': {
    exit: exitCodes.cannotUse,
    meaning: 'Several choices about the file are missing, such as its layer, its key or the farm.',
  },
  'connection-missing': { exit: exitCodes.cannotUse, meaning: 'No service connection is configured.' },
  'state-unreadable': { exit: exitCodes.cannotUse, meaning: 'A file that windrow keeps between runs cannot be read.' },
  'state-damaged': { exit: exitCodes.cannotUse, meaning: 'A file that windrow keeps between runs is damaged.' },
  'store-refused': {
    exit: exitCodes.cannotUse,
    meaning: 'The PostgreSQL database refuses the user, the password or the database name.',
  },
  'store-unreachable': { exit: exitCodes.unreachable, meaning: 'The PostgreSQL database does not answer.' },
  'disk-full': { exit: exitCodes.cannotUse, meaning: 'The disk is full.' },
  'disk-read-only': { exit: exitCodes.cannotUse, meaning: 'The disk, folder or file is read-only.' },
  'disk-failed': { exit: exitCodes.cannotUse, meaning: 'The disk reports an error.' },
  'file-locked': {
    exit: exitCodes.cannotUse,
    meaning: 'Another program is using the file, or one that windrow keeps between runs.',
  },
  'run-unreported': {
    exit: exitCodes.doneWithRejects,
    meaning: 'Records were sent, but no report of the run could be made. The next run checks all of them again.',
  },
  'part-missing': { exit: exitCodes.cannotUse, meaning: 'A part of windrow is missing. Install it again.' },
  'type-unclear': {
    exit: exitCodes.cannotUse,
    meaning: 'The file may not be a list of plots. Name what its rows become with --to.',
  },
  'run-unknown': { exit: exitCodes.cannotUse, meaning: 'No run has this name.' },
  'plan-unusable': {
    exit: exitCodes.cannotUse,
    meaning: 'The plan cannot be applied: it was stopped, was made without a service, or is no plan.',
  },
  'plan-outdated': {
    exit: exitCodes.guard,
    meaning: 'The file, the pipeline or the records in the service have changed since the plan was made.',
  },
  'run-unusable': {
    exit: exitCodes.cannotUse,
    meaning: 'The run cannot be undone or retried: it sent nothing, rejected nothing, or belongs to another account.',
  },
  'run-busy': { exit: exitCodes.guard, meaning: 'Another process is running this pipeline.' },
  'service-unreachable': { exit: exitCodes.unreachable, meaning: 'The service does not answer.' },
  'service-failing': { exit: exitCodes.unreachable, meaning: 'The service answers with an internal error.' },
  'service-confused': {
    exit: exitCodes.unreachable,
    meaning: 'The answer of the service cannot be understood.',
  },
  'sign-in-refused': {
    exit: exitCodes.refused,
    meaning: 'The service does not accept the user name, password or client.',
  },
  'rights-missing': { exit: exitCodes.refused, meaning: 'The account has no right to do this.' },
  'request-refused': {
    exit: exitCodes.refused,
    meaning: 'The service refuses the request. Sending it again would not help.',
  },
  'guard-stopped': { exit: exitCodes.guard, meaning: 'A limit was exceeded. Nothing was sent.' },
  'after-failed': {
    exit: exitCodes.guard,
    meaning: 'A pipeline that this one waits for (after) had no good run. Nothing was sent.',
  },
  'duplicates-found': {
    exit: exitCodes.guard,
    meaning: 'Many new records are in the service already, under other keys. Nothing was sent.',
  },
  'far-from-farm': {
    exit: exitCodes.guard,
    meaning: 'Most boundaries lie more than 50 km from those that the farm has. Nothing was sent.',
  },
  'records-renamed': {
    exit: exitCodes.guard,
    meaning: 'Most known records would get another name and other values at once. Nothing was sent.',
  },
  interrupted: { exit: exitCodes.interrupted, meaning: 'The run was stopped before its end.' },
} as const satisfies Record<string, { exit: number; meaning: string }>

export type ErrorCode = keyof typeof errorCodes

/** Stops a run. The message says what and where, the hint what to do next; `data` is safe to write as JSON. */
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

/** The failure, with the name of its file where the message lacks it: one night may read ten files. */
export function naming<Cause>(file: string, cause: Cause): Cause | WindrowError {
  if (!(cause instanceof WindrowError) || namesOtherFile.has(cause.code) || cause.message.includes(file)) return cause
  const { code, message, hint, data } = cause
  return new WindrowError(code, `${file}: ${message}`, { ...(hint === undefined ? {} : { hint }), data, cause })
}
