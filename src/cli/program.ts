import { Command, CommanderError } from 'commander'
import { programVersion } from '#installation'
import { type ExitClass, exitCodes } from '#prelude'
import type { Action, Attach } from './attach.ts'
import { cliErrors } from './errors.ts'
import { errorJson, reportFailure } from './failure.ts'
import { type GlobalOptions, theWorld, type World } from './world.ts'

/** Adds one command, with what is below it, to the program. */
type AddCommand = (program: Command, attach: Attach) => void

/**
 * Every command, in the order of the help. Each is loaded when it is asked for: all of them together are more than a
 * thousand modules, and most of a second.
 */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  init: async () => (await import('./commands/init.ts')).addInitCommand,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  run: async () => (await import('./commands/run.ts')).addRunCommand,
  replay: async () => (await import('./commands/replay.ts')).addReplayCommand,
  wer: async () => (await import('./commands/wer.ts')).addWerCommand,
  compare: async () => (await import('./commands/compare.ts')).addCompareCommand,
  experiment: async () => (await import('./commands/experiment.ts')).addExperimentCommand,
  calibrate: async () => (await import('./commands/calibrate.ts')).addCalibrateCommand,
  baseline: async () => (await import('./commands/baseline.ts')).addBaselineCommands,
  history: async () => (await import('./commands/history.ts')).addHistoryCommand,
  capacity: async () => (await import('./commands/capacity.ts')).addCapacityCommand,
  score: async () => (await import('./commands/score.ts')).addScoreCommand,
  report: async () => (await import('./commands/report.ts')).addReportCommand,
  review: async () => (await import('./commands/review.ts')).addReviewCommand,
  view: async () => (await import('./commands/view.ts')).addViewCommand,
  conformance: async () => (await import('./commands/conformance.ts')).addConformanceCommand,
  corpus: async () => (await import('./commands/corpus.ts')).addCorpusCommands,
  models: async () => (await import('./commands/models.ts')).addModelsCommands,
  modes: async () => (await import('./commands/modes.ts')).addModesCommands,
  serve: async () => (await import('./commands/serve.ts')).addServeCommand,
  explain: async () => (await import('./commands/explain.ts')).addExplainCommand,
}

/**
 * Builds the command line, with the command that is typed alone, or with all of them where none of them is.
 *
 * @param typed the arguments of the command line
 * @param onEnding hears how the command ended
 */
export async function buildProgram(
  typed: readonly string[],
  onEnding: (exit: ExitClass) => void,
): Promise<Command> {
  const program = new Command('transcribench')
    .description('How accurate and how fast is speech transcription, here, under my load?')
    .version(programVersion())
    .option('-q, --quiet', 'say nothing but the result and errors')
    .option('--color', 'colour, also where the output is no terminal')
    .option('--no-color', 'no colour (NO_COLOR does the same)')
    .showHelpAfterError('see: transcribench --help')
    .showSuggestionAfterError()
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', `\n${exitCodeHelp()}`)

  const attach: Attach = <Options>(command: Command, action: Action<Options>) => {
    command
      .showHelpAfterError(`see: ${fullNameOf(command)} --help`)
      .exitOverride()
      .action(async () => {
        const globals: GlobalOptions = program.opts()
        const world = theWorld(globals)
        onEnding(
          await action(world, command.opts() as Options, command.args).catch((error) =>
            reportFailure(error, world, asksForJson(command.opts())),
          ),
        )
      })
  }

  for (const load of neededFor(typed)) {
    const add = await load()
    add(program, attach)
  }
  return program
}

/** The typed command alone; all of them for the help, and none for the version. */
function neededFor(typed: readonly string[]): readonly (() => Promise<AddCommand>)[] {
  const named = commands[typed.find((word) => !word.startsWith('-')) ?? '']
  if (named !== undefined) return [named]
  const asksForVersion = typed.length === 1 && (typed[0] === '--version' || typed[0] === '-V')
  return asksForVersion ? [] : Object.values(commands)
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
export function endingOfMisuse(error: unknown, typed: readonly string[], world: World): ExitClass | null {
  if (!(error instanceof CommanderError)) return null
  if (error.exitCode === 0) return 'done'
  const [message = '', ...hints] = error.message.replace(/^error: /u, '').split('\n')
  const misuse = cliErrors.make('COMMAND_LINE_INVALID', {
    message,
    hint: [...hints.map((hint) => hint.replace(/^\((.+)\)$/u, '$1')), 'see: transcribench --help'].join(' '),
  })
  if (typesJson(typed)) world.print(errorJson(misuse))
  return misuse.exit
}

/** Whether JSON was asked for, as far as a line tells that could not be read. */
function typesJson(typed: readonly string[]): boolean {
  const options = typed.includes('--') ? typed.slice(0, typed.indexOf('--')) : typed
  return options.some(
    (option, index) =>
      option === '--json' ||
      option === '--format=json' ||
      (option === '--format' && options[index + 1] === 'json'),
  )
}

function exitCodeHelp(): string {
  const lines = Object.values(exitCodes)
    .toSorted((left, right) => left.code - right.code)
    .map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`)
  return `Exit codes:\n${lines.join('\n')}`
}
