import { Command, CommanderError } from 'commander'
import { programVersion } from '#installation'
import { type ExitClass, exitCodes } from '#prelude'
import type { Action, Attach } from './attach.ts'
import { catalogue } from './catalogue.ts'
import { type CommandContext, type GlobalOptions, processContext } from './command-context.ts'
import { cliErrors } from './errors.ts'
import { errorJson, reportFailure } from './failure.ts'
import { asTyped, typedProgram } from './options/typed-command.ts'

/**
 * Builds the command line. Of all commands it knows the name and the summary; only the one that is typed has its arguments,
 * options and action.
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

  const attach: Attach = <Options>(command: Command, action: Action<Options>) => {
    command
      .showHelpAfterError(`see: ${fullNameOf(command)} --help`)
      .exitOverride()
      .action(async () => {
        const globals: GlobalOptions = program.opts()
        const context = processContext(globals)
        const exit = await action(context, command.opts() as Options, command.args).catch((error) =>
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

/** As it is typed: `transcribench serve token rotate`. */
function fullNameOf(command: Command): string {
  return command.parent === null ? command.name() : `${fullNameOf(command.parent)} ${command.name()}`
}

function asksForJson({ json, format }: { readonly json?: unknown; readonly format?: unknown }): boolean {
  return json === true || format === 'json'
}

/**
 * How a misuse of the command line ends: commander has already said what is wrong. Where one JSON document was
 * asked for, that is what went wrong.
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

/** Whether JSON was asked for, judging by a command line that could not be parsed. */
export function typesJson(typed: readonly string[]): boolean {
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
