/**
 * The category of a failure, which decides the exit code; see `exitCodes`. `bug` is for the developers of
 * transcribench, the rest is for its user.
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

/** Process exit codes and their meanings. Where several apply, the one that is listed first wins. */
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
 * One fault in the input or the state.
 *
 * `where` is what the user can open: `file:line:column`, `manifest.jsonl:57`, or an utterance id.
 */
export interface Problem {
  readonly where: string | null
  readonly what: string
  /** Advice for this one problem, where it differs from the error's own hint. */
  readonly hint?: string
}

export interface ErrorDetails {
  /** What is wrong, in one sentence that names the object concerned. */
  readonly message: string
  /** What to do next, preferably a command to type. */
  readonly hint: string
  /** All problems, in reading order. Empty where the message says everything. */
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
 * Declares a module's errors, which `src/cli/meanings.yaml` explains for `transcribench explain CODE`.
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
 * Merges several errors into one, so that the user sees all of them at once. The code is that of the first.
 *
 * @param errors at least one
 */
export function asOneError(errors: readonly [BenchError, ...BenchError[]]): BenchError {
  const [first] = errors
  if (errors.length === 1) return first
  const isShared = errors.every(({ hint, problems }) => hint === first.hint && problems.length === 0)
  const problems = errors.flatMap(({ message, hint, problems: reported, cause }): readonly Problem[] => {
    if (isShared) return [{ where: null, what: message }]
    if (reported.length === 0) return [{ where: null, what: message, hint }]
    // Entries that list valid names are choices for the user, not problems, so only the message is kept.
    const areChoices = !(cause instanceof AggregateError) && reported.every(isChoice)
    if (areChoices) return [{ where: null, what: message, hint }]
    return reported.map((problem, index) => (index < reported.length - 1 ? problem : { hint, ...problem }))
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
 * Waits for all promises, then throws the errors of those that failed.
 *
 * @throws BenchError that merges all failures; any other error is thrown unchanged
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
 * The error that came first. Where releasing a resource fails after the work with it has failed, JavaScript
 * throws a `SuppressedError` of both, whose message describes neither.
 */
export function firstError(error: unknown): unknown {
  // The name is compared, not the class, because the compiler's substitute for `await using` is another class.
  const isPair = error instanceof Error && error.name === 'SuppressedError' && 'suppressed' in error
  return isPair ? firstError(error.suppressed) : error
}

/** Advice to the user by error code of the system, for file-system errors. */
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

/** The code of an error of the system or of a package, such as `ENOENT`; empty where it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Whether a write failed because the disk or the quota is full. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errorCode(error))
}

export interface FileError extends NodeJS.ErrnoException {
  readonly code: keyof typeof remedies
}

/** Whether an error is a failed file operation but no bug: a full disk, no permission, too many open files. */
export function isFileError(error: unknown): error is FileError {
  return error instanceof Error && !('port' in error) && Object.hasOwn(remedies, errorCode(error))
}

/** A file error as one line: `/srv/results cannot be read or written: read-only file system (EROFS)`. */
export function describeFileError({ code, path, message }: FileError): string {
  const reason = /^[A-Z]+: ([^,]+)/.exec(message)?.[1] ?? message
  return `${path ?? 'a file'} cannot be read or written: ${reason} (${code})`
}

/** The advice to the user for a file error. */
export function findRemedy({ code }: FileError): string {
  return remedies[code]
}

/** The value that a promise is rejected with; null where it is fulfilled. */
export function faultOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  )
}
