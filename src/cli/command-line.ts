import { readFileSync, readlinkSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { Command, CommanderError, InvalidArgumentError, type Option } from 'commander'
import { programVersion } from '#installation/installation'
import { allOf, BenchError, type ExitClass, exitCodes, firstError, type Problem } from '#prelude'
import { catalogue } from './catalogue.ts'
import {
  type Action,
  type Attach,
  asTyped,
  type Check,
  type CommandContext,
  type GlobalOptions,
  processContext,
  typedProgram,
} from './command-context.ts'
import { cliErrors } from './errors.ts'
import { errorJson, gravest, reportFailure } from './failure.ts'
import { findRunsIn } from './options.ts'
import type { OptionsOf } from './typed-options.ts'

/** Runs the command that the process was started with, and sets its exit code. */
export async function runCommandLine(): Promise<void> {
  const output = watchOutput()
  const typed = process.argv.slice(2)
  let ending: ExitClass = 'done'
  try {
    const program = await buildProgram(typed, (exit) => {
      ending = exit
    })
    await program.parseAsync(typed, { from: 'user' })
  } catch (thrown) {
    const error = firstError(thrown)
    const context = processContext()
    ending = endingOfMisuse(error, typed, context) ?? (await reportFailure(error, context, typesJson(typed)))
  }
  const lost = await output.failure()
  if (lost !== null) ending = gravest([ending, await reportFailure(lost, processContext())])
  process.exitCode = exitCodes[ending].code
}

/**
 * Builds the command line. It has the names and summaries of all commands, but arguments, options and action only of
 * the typed one.
 *
 * @param typed the arguments of the command line
 * @param onEnding receives the exit class of the command
 */
export async function buildProgram(
  typed: readonly string[],
  onEnding: (exit: ExitClass) => void,
): Promise<Command> {
  const typedAs = typedProgram()
  const program = new Command('transcribench')
    .description('How accurate and how fast is speech transcription, here, under my load?')
    .version(programVersion())
    .option('-q, --quiet', 'print only results and errors')
    .option('--color', 'always print colour (default: on a terminal)')
    .option('--no-color', 'no colour (NO_COLOR does the same)')
    .addHelpCommand(
      new Command('help')
        .argument('[command]')
        .description('show the arguments and options of a command')
        .helpGroup('Look:'),
    )
    .showHelpAfterError('see: transcribench --help')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => process.stdout.write(asTyped(text, typedAs)),
      writeErr: (text) => process.stderr.write(asTyped(text, typedAs)),
    })
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .addHelpText('after', `\n${examplesHelp()}\n\n${exitCodeHelp()}`)

  const attach: Attach = <Make extends () => readonly Option[]>(
    command: Command,
    options: Make,
    action: Action<OptionsOf<Make>>,
    check?: Check<OptionsOf<Make>>,
  ) => {
    for (const option of options()) command.addOption(option)
    const badValues = collectBadValues(command)
    command
      .showHelpAfterError(`see: ${nameInFull(command)} --help`)
      .exitOverride()
      .action(async () => {
        const globals: GlobalOptions = program.opts()
        const context = processContext(globals)
        const bad = badValues()
        const { results } = command.opts()
        if (results !== undefined) findRunsIn(results, context)
        const parameters = [context, command.opts() as OptionsOf<Make>, command.args] as const
        const running =
          bad.length === 0 ? action(...parameters) : refuseAll(bad, async () => await check?.(...parameters))
        const exit = await running.catch((error) =>
          reportFailure(error, context, asksForJson(command.opts())),
        )
        await context.end()
        onEnding(exit)
      })
  }

  const [first, second] = typed.filter((word) => !word.startsWith('-'))
  const named = first === 'help' ? second : first
  for (const { title, commands } of catalogue) {
    for (const { name, summary, load } of commands) {
      const command = program.command(name).description(summary).helpGroup(`${title}:`)
      if (name !== named) continue
      const define = await load()
      define(command, attach)
    }
  }
  return program
}

/**
 * Makes a command continue after an invalid value of an option or argument, so that all of them are reported at once.
 * Commander would end at the first one.
 *
 * @returns a function that gives the errors after parsing, and leaves options without a usable value undefined
 */
function collectBadValues(command: Command): () => readonly BenchError[] {
  const problems: Problem[] = []
  const errors: BenchError[] = []
  const collecting =
    (where: string, read: (value: string, previous: unknown) => unknown) =>
    (value: string, previous: unknown): unknown => {
      try {
        // After a refused first value, commander passes an empty text instead of undefined.
        return read(value, previous === '' ? undefined : previous)
      } catch (error) {
        if (error instanceof BenchError) errors.push(error)
        else if (!(error instanceof InvalidArgumentError)) throw error
        else problems.push({ where, what: `“${value}” cannot be used. ${error.message}` })
        return previous
      }
    }
  for (const option of command.options) {
    if (option.parseArg !== undefined)
      option.argParser(collecting(option.long ?? option.flags, option.parseArg))
  }
  for (const argument of command.registeredArguments) {
    if (argument.parseArg !== undefined)
      argument.argParser(collecting(`<${argument.name()}>`, argument.parseArg))
  }
  return () => {
    for (const option of problems.length + errors.length === 0 ? [] : command.options) {
      // Commander sets an empty text where the only value was refused, which checks would refuse again.
      const name = option.attributeName()
      if (option.parseArg !== undefined && command.getOptionValue(name) === '')
        command.setOptionValue(name, undefined)
    }
    if (problems.length === 0) return errors
    const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`
    const message = `the command line cannot be used: ${count}; nothing was run`
    const hint = `see what each flag takes: ${nameInFull(command)} --help`
    return [cliErrors.make('COMMAND_LINE_INVALID', { message, hint, problems }), ...errors]
  }
}

/** @throws BenchError of all bad values, and of other problems of the command line */
async function refuseAll(badValues: readonly BenchError[], check: () => Promise<unknown>): Promise<never> {
  await allOf([...badValues.map((error) => Promise.reject(error)), check()])
  throw badValues[0]
}

/** Full name of a command: `transcribench serve token rotate`. */
function nameInFull(command: Command): string {
  return command.parent === null ? command.name() : `${nameInFull(command.parent)} ${command.name()}`
}

function asksForJson({ json, format }: { readonly json?: unknown; readonly format?: unknown }): boolean {
  return json === true || format === 'json'
}

/**
 * The ending of a misused command line, which commander has already explained. If a JSON document was requested, the
 * error is printed as JSON.
 *
 * @param typed the arguments of the command line
 */
export function endingOfMisuse(
  error: unknown,
  typed: readonly string[],
  context: CommandContext,
): ExitClass | null {
  if (!(error instanceof CommanderError)) return null
  if (error.exitCode === 0) return 'done'
  const [message = '', ...hints] = error.message.replace(/^error: /u, '').split('\n')
  const misuse = cliErrors.make('COMMAND_LINE_INVALID', {
    message,
    hint: [...hints.map((hint) => hint.replace(/^\((.+)\)$/u, '$1')), 'see: transcribench --help'].join(' '),
  })
  if (typesJson(typed)) context.print(errorJson(misuse))
  return misuse.exit
}

/** Whether JSON was requested, judging by a command line that could not be parsed. */
function typesJson(typed: readonly string[]): boolean {
  const options = typed.includes('--') ? typed.slice(0, typed.indexOf('--')) : typed
  return options.some(
    (option, index) =>
      option === '--json' ||
      option === '--format=json' ||
      (option === '--format' && options[index + 1] === 'json'),
  )
}

function examplesHelp(): string {
  return ['Examples:', ...catalogue.map(({ example }) => `  ${example}`)].join('\n')
}

function exitCodeHelp(): string {
  const lines = Object.values(exitCodes)
    .toSorted((left, right) => left.code - right.code)
    .map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`)
  return `Exit codes:\n${lines.join('\n')}`
}

/**
 * Watches stdout for errors until the process ends. A reader that stops early, such as `head`, is not an error, and
 * does not end a run. Errors of stderr are ignored, because they could not be reported anywhere.
 */
function watchOutput() {
  let failure = isClosedStdout() ? unwritable('stdout is closed', null) : null
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failure ??= unwritable(explainReason(error), error)
  })
  process.stderr.on('error', () => {})
  return {
    /** Why written output did not arrive; null if it did, or if the reader stopped early. */
    async failure(): Promise<BenchError | null> {
      // The error of a failed write is emitted after the current turn.
      await setImmediate()
      return failure
    },
  }
}

function explainReason({ code, message }: NodeJS.ErrnoException): string {
  // Format of the message: “ENOSPC: no space left on device, write”
  return `${/^\w+: ([^,]+)/.exec(message)?.[1] ?? message} (${code})`
}

function unwritable(reason: string, cause: unknown): BenchError {
  return cliErrors.make('OUTPUT_UNWRITABLE', {
    message: `the result could not be written to stdout: ${reason}`,
    hint: 'write it to a file on a disk with free space: transcribench … > result.txt',
    cause,
  })
}

const shells = /^(?:ba|da|z|k|fi|a)?sh$/

/**
 * Whether a shell closed stdout (`>&-`). Node then opens /dev/null for reading and writing before any code of
 * transcribench runs, whereas `> /dev/null` is write-only. The parent must be a shell, because other programs open it
 * for both on purpose to ignore the output. It is always false without /proc.
 */
function isClosedStdout(): boolean {
  try {
    const isNull = (process: string): boolean => readlinkSync(`/proc/${process}/fd/1`) === '/dev/null'
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/fdinfo/1', 'utf8'))?.[1] ?? '0'
    const isReadWrite = (Number.parseInt(flags, 8) & 3) === 2
    if (!isNull('self') || !isReadWrite) return false
    const parent = String(process.ppid)
    return shells.test(readFileSync(`/proc/${parent}/comm`, 'utf8').trim()) && !isNullOrGone(isNull, parent)
  } catch {
    // Without /proc, or with an exited parent, it cannot be determined.
    return false
  }
}

/** Whether the shell's own stdout is /dev/null. A shell may have closed its own for the command; then it has none. */
function isNullOrGone(isNull: (process: string) => boolean, parent: string): boolean {
  try {
    return isNull(parent)
  } catch {
    return false
  }
}
