import { Command, CommanderError } from 'commander'
import { type ExitClass, exitCodes } from '#prelude'
import { asrbenchVersion } from '#session'
import { addBaselineCommands } from './commands/baseline.ts'
import { addCalibrateCommand } from './commands/calibrate.ts'
import { addCapacityCommand } from './commands/capacity.ts'
import { addCompareCommand } from './commands/compare.ts'
import { addConformanceCommand } from './commands/conformance.ts'
import { addCorpusCommands } from './commands/corpus.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addExperimentCommand } from './commands/experiment.ts'
import { addExplainCommand } from './commands/explain.ts'
import { addHistoryCommand } from './commands/history.ts'
import { addInitCommand } from './commands/init.ts'
import { addModelsCommands } from './commands/models.ts'
import { addModesCommands } from './commands/modes.ts'
import { addReplayCommand } from './commands/replay.ts'
import { addReportCommand } from './commands/report.ts'
import { addReviewCommand } from './commands/review.ts'
import { addRunCommand } from './commands/run.ts'
import { addScoreCommand } from './commands/score.ts'
import { addServeCommand } from './commands/serve.ts'
import { addViewCommand } from './commands/view.ts'
import { addWerCommand } from './commands/wer.ts'
import { cliErrors } from './errors.ts'
import { errorJson, reportFailure } from './failure.ts'
import { type GlobalOptions, theWorld, type World } from './world.ts'

/** How a command is carried out: it is handed the world and says how it ended. */
type Action<Options> = (world: World, options: Options, args: readonly string[]) => Promise<ExitClass>

/** Adds an action to a command; what it throws is reported here, and its ending becomes the exit code. */
export type Attach = <Options>(command: Command, action: Action<Options>) => void

/**
 * Builds the command line.
 *
 * @param onEnding hears how the command ended
 */
export function buildProgram(onEnding: (exit: ExitClass) => void): Command {
  const program = new Command('asrbench')
    .description('How accurate and how fast is speech transcription, here, under my load?')
    .version(asrbenchVersion())
    .option('-q, --quiet', 'say nothing but the result and errors')
    .option('--color', 'colour, also where the output is no terminal')
    .option('--no-color', 'no colour (NO_COLOR does the same)')
    .showHelpAfterError('see: asrbench --help')
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

  addInitCommand(program, attach)
  addDoctorCommand(program, attach)
  addRunCommand(program, attach)
  addReplayCommand(program, attach)
  addWerCommand(program, attach)
  addCompareCommand(program, attach)
  addExperimentCommand(program, attach)
  addCalibrateCommand(program, attach)
  addBaselineCommands(program, attach)
  addHistoryCommand(program, attach)
  addCapacityCommand(program, attach)
  addScoreCommand(program, attach)
  addReportCommand(program, attach)
  addReviewCommand(program, attach)
  addViewCommand(program, attach)
  addConformanceCommand(program, attach)
  addCorpusCommands(program, attach)
  addModelsCommands(program, attach)
  addModesCommands(program, attach)
  addServeCommand(program, attach)
  addExplainCommand(program, attach)
  return program
}

/** As it is typed: `asrbench serve token rotate`. */
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
    hint: [...hints.map((hint) => hint.replace(/^\((.+)\)$/u, '$1')), 'see: asrbench --help'].join(' '),
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
