/**
 * Which exit code a failure maps to. The numbers live in one table, `exitCodes`.
 *
 * `bug` is for us, the rest is for the person at the terminal.
 */
export type ExitClass =
  | 'done'
  | 'bug'
  | 'badInput'
  | 'thresholdFailed'
  | 'targetNotReady'
  | 'runNotValid'
  | 'unresolved'
  | 'interrupted'

/** Process exit codes, and their meaning for a script. The order is the order of precedence. */
export const exitCodes: Readonly<Record<ExitClass, { readonly code: number; readonly meaning: string }>> = {
  bug: { code: 1, meaning: 'a bug in transcribench' },
  interrupted: { code: 130, meaning: 'interrupted; what was measured is kept' },
  badInput: { code: 2, meaning: 'bad input, or runs that cannot be compared' },
  targetNotReady: { code: 4, meaning: 'the target is missing, or lacks a model' },
  runNotValid: { code: 5, meaning: 'the run is not valid, or a contender was abandoned after failures' },
  thresholdFailed: { code: 3, meaning: 'a threshold failed' },
  unresolved: {
    code: 6,
    meaning: 'too short or unresolved, under --strict; or nothing that was asked for is known',
  },
  done: { code: 0, meaning: 'done' },
}

/**
 * One concrete thing that is wrong, at one place.
 *
 * `where` is what a person can open: `file:line:column`, `manifest.jsonl:57`, or an utterance id.
 */
export interface Problem {
  readonly where: string | null
  readonly what: string
  /** What to do about this one problem, when that differs from the error's own hint. */
  readonly hint?: string
}

export interface ErrorDetails {
  /** What is wrong, in one sentence, with the name of the thing. */
  readonly message: string
  /** What to do next, preferably a command to type. */
  readonly hint: string
  /** All problems at once, in reading order. Empty when the message says it all. */
  readonly problems?: readonly Problem[]
  readonly cause?: unknown
}

/**
 * A user's mistake, or a state that the user can change. Shown as prose, never as a stack.
 * Anything else that is thrown is a bug in transcribench.
 */
export class BenchError extends Error {
  override readonly name = 'BenchError'
  readonly code: string
  readonly exit: ExitClass
  readonly hint: string
  readonly problems: readonly Problem[]

  constructor(code: string, exit: ExitClass, details: ErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.exit = exit
    this.hint = details.hint
    this.problems = details.problems ?? []
  }
}

/** The errors of a module: the exit class of each code, and the way to make one of them. */
export interface ErrorTable<Code extends string> {
  readonly exits: Readonly<Record<Code, ExitClass>>
  make(code: Code, details: ErrorDetails): BenchError
}

/**
 * Declares the errors of a module. What each means is in `src/cli/meanings.yaml`, for `transcribench explain CODE`.
 *
 * @example
 * const corpusErrors = defineErrors({ CORPUS_UNUSABLE: 'badInput' })
 * throw corpusErrors.make('CORPUS_UNUSABLE', { message: '3 of 240 utterances …', hint: 'transcribench corpus verify' })
 */
export function defineErrors<Code extends string>(
  exits: Readonly<Record<Code, ExitClass>>,
): ErrorTable<Code> {
  return { exits, make: (code, details) => new BenchError(code, exits[code], details) }
}

/**
 * Several errors as one, so that the user sees all of them at once. The code is that of the first.
 *
 * @param errors at least one
 */
export function asOneError(errors: readonly [BenchError, ...BenchError[]]): BenchError {
  const [first] = errors
  if (errors.length === 1) return first
  const isShared = errors.every(({ hint, problems }) => hint === first.hint && problems.length === 0)
  const problems = errors.flatMap(({ message, hint, problems: own, cause }): readonly Problem[] => {
    if (isShared) return [{ where: null, what: message }]
    if (own.length === 0) return [{ where: null, what: message, hint }]
    // What could be named instead is no problem.
    const areChoices = !(cause instanceof AggregateError) && own.every(isChoice)
    if (areChoices) return [{ where: null, what: message, hint }]
    return own.map((problem, index) => (index < own.length - 1 ? problem : { hint, ...problem }))
  })
  return new BenchError(first.code, first.exit, {
    message: `${problems.length} problems; nothing was run`,
    hint: isShared ? first.hint : 'correct all of them, then run the same command again',
    problems,
    cause: new AggregateError(errors),
  })
}

function isChoice({ where, hint }: Problem): boolean {
  return where === null && hint === undefined
}

/**
 * Waits for all of them, and throws what kept any from its value.
 *
 * @throws BenchError of all that failed at once; anything else that was thrown as it is
 */
export async function allOf<const Values extends readonly unknown[]>(
  promises: { readonly [Index in keyof Values]: Promise<Values[Index]> },
): Promise<Values> {
  const settled = await Promise.allSettled(promises)
  const reasons = settled.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  const bug = reasons.find((reason) => !(reason instanceof BenchError))
  if (bug !== undefined) throw bug
  const [first, ...others] = reasons
  if (first !== undefined) throw asOneError([first, ...others])
  return Promise.all(promises)
}

/**
 * What went wrong first. Where a resource cannot be released after the work with it has failed, the language throws a
 * `SuppressedError` of both failures, whose message is about neither.
 */
export function firstError(error: unknown): unknown {
  // By its name: where the language does not know `await using` yet, the compiler's substitute is thrown.
  const isPair = error instanceof Error && error.name === 'SuppressedError' && 'suppressed' in error
  return isPair ? firstError(error.suppressed) : error
}

/** What each kind of refusal of the file system asks of the person, by the code of the system. */
const remedies = {
  ENOSPC: 'make room on this disk, then give the command again; TMPDIR moves temporary files to another one',
  EDQUOT: 'make room within your quota of this disk, then give the command again',
  EACCES: 'allow this user to read and write there, or name another folder',
  EPERM: 'allow this user to read and write there, or name another folder',
  EROFS: 'name a folder on a disk that can be written; TMPDIR names the one of temporary files',
  EIO: 'the disk or the network drive fails: look into the log of the system',
  EMFILE: 'allow more open files, then give the command again: ulimit -n 4096',
  ENFILE: 'close programs that hold many files open, then give the command again',
  EFBIG: 'name a folder on a disk that holds files of this size',
  ENOTDIR: 'name a folder where a file is named now; TMPDIR names the one of temporary files',
  EISDIR: 'name a file where a folder is named now',
} as const

/** Whether the system had no room for what was to be written. */
export function isDiskFull(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown }
  return code === 'ENOSPC' || code === 'EDQUOT'
}

export interface FileError extends NodeJS.ErrnoException {
  readonly code: keyof typeof remedies
}

/** A full disk, a folder without permission, too many open files: errors of system calls on files that are no bug. */
export function isFileError(error: unknown): error is FileError {
  return (
    error instanceof Error &&
    'code' in error &&
    !('port' in error) &&
    Object.hasOwn(remedies, String(error.code))
  )
}

/** `/srv/results cannot be read or written: read-only file system (EROFS)`. */
export function describeFileError({ code, path, message }: FileError): string {
  const reason = /^[A-Z]+: ([^,]+)/.exec(message)?.[1] ?? message
  return `${path ?? 'a file'} cannot be read or written: ${reason} (${code})`
}

/** What can be done about it. */
export function findRemedy({ code }: FileError): string {
  return remedies[code]
}

/** What a promise is rejected with; null where it is not. */
export function faultOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  )
}
