import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programVersion } from '#installation/installation'
import {
  type BenchError,
  BenchError as BenchErrorClass,
  describeFileError,
  type ExitClass,
  exitCodes,
  findRemedy,
  isFileError,
  withoutUndefined,
} from '#prelude'
import type { CommandContext } from './command-context.ts'
import { cliErrors } from './errors.ts'

/**
 * Reports a failure: text for a user error, with the stack for a bug in transcribench.
 *
 * @param asJson whether stdout is one JSON document; then the error is printed as JSON, unless a result was printed
 * @returns the exit class
 */
export async function reportFailure(
  thrown: unknown,
  context: CommandContext,
  asJson = false,
): Promise<ExitClass> {
  const error = isFileError(thrown)
    ? cliErrors.make('FILE_SYSTEM_FAILED', {
        message: describeFileError(thrown),
        hint: findRemedy(thrown),
        cause: thrown,
      })
    : thrown instanceof BenchErrorClass
      ? showPaths(thrown, context)
      : thrown
  if (asJson && !context.hasPrinted) context.print(errorJson(error))
  if (error instanceof BenchErrorClass) {
    // The import is dynamic, because most commands end without an error.
    const { listProblems, renderError } = await import('#reports/help/help-texts')
    const allAt = await writeAll(listProblems(error.problems))
    const text = renderError(error satisfies BenchError, context.conversation, allAt)
    context.stderr.write(`${context.asTyped(text)}\n`)
    return error.exit
  }
  const { stack } = error as Error
  context.stderr.write(
    `This is a bug in transcribench ${programVersion()} (Node ${process.version}, ${process.platform}). ` +
      `Please report it with these lines:\n\n${stack ?? String(error)}\n`,
  )
  return 'bug'
}

/** The error with the files that the command removes named as they were typed. */
function showPaths({ code, exit, message, hint, problems, cause }: BenchError, { shown }: CommandContext) {
  return new BenchErrorClass(code, exit, {
    message: shown(message).replace(/^- /, 'standard input '),
    hint: shown(hint),
    problems: problems.map(({ where, what, hint: how }) =>
      withoutUndefined({ where: where && shown(where), what: shown(what), hint: how && shown(how) }),
    ),
    cause,
  })
}

/** @returns path of a file with all problems; null if the screen shows them all, or no file can be written */
async function writeAll(problems: string | null): Promise<string | null> {
  if (problems === null) return null
  try {
    const path = join(await mkdtemp(join(tmpdir(), 'transcribench-problems-')), 'problems.txt')
    await writeFile(path, problems)
    return path
  } catch (error) {
    // If the file cannot be written, the failure is still reported with its first problems.
    if (isFileError(error)) return null
    throw error
  }
}

/** The error as JSON, printed instead of a result: the same facts as in the text. */
export function errorJson(error: unknown): string {
  return JSON.stringify(errorDocument(error), null, 2)
}

function errorDocument(error: unknown): unknown {
  if (error instanceof BenchErrorClass) {
    const { code, message, hint, problems, exit } = error
    return { error: { code, message, hint, problems, exitCode: exitCodes[exit].code } }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { error: { code: 'BUG', message, hint: null, problems: [], exitCode: exitCodes.bug.code } }
}

/** The first of the applicable endings in the order of the exit codes; `done` without any. */
export function gravest(classes: readonly (ExitClass | false)[]): ExitClass {
  const order = Object.keys(exitCodes) as ExitClass[]
  return order.find((candidate) => classes.includes(candidate)) ?? 'done'
}
