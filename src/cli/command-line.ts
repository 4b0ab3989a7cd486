import { type ExitClass, exitCodes, firstError } from '#prelude'
import { processContext } from './command-context.ts'
import { gravest, reportFailure } from './failure.ts'
import { refuseFormerOptions } from './former-names.ts'
import { watchOutput } from './output/watch-output.ts'
import { buildProgram, endingOfMisuse, typesJson } from './program.ts'

/** Options that other scorers call otherwise: a profile is a normalizer to Whisper and the Open ASR Leaderboard. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['--normalizer', '--profile'],
  ['--for', '--format'],
])

function inOurWords(argument: string): string {
  const [name = '', ...value] = argument.split('=')
  return [otherNames.get(name) ?? name, ...value].join('=')
}

/** Runs the command that the process was started with, and sets its exit code. */
export async function runCommandLine(): Promise<void> {
  const output = watchOutput()
  const typed = process.argv.slice(2).map(inOurWords)
  let ending: ExitClass = 'done'
  try {
    refuseFormerOptions(typed)
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
