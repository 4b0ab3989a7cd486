import { type ExitClass, exitCodes } from '#prelude'
import { processContext } from './command-context.ts'
import { gravest, reportFailure } from './failure.ts'
import { buildProgram, endingOfMisuse } from './program.ts'
import { watchOutput } from './watch-output.ts'

/** Runs the command that the process was started with, and sets its exit code. */
export async function runCommandLine(): Promise<void> {
  const output = watchOutput()
  const typed = process.argv.slice(2)
  let ending: ExitClass = 'done'
  try {
    const program = await buildProgram(typed, (exit) => {
      ending = exit
    })
    await program.parseAsync(process.argv)
  } catch (error) {
    const context = processContext()
    ending = endingOfMisuse(error, typed, context) ?? (await reportFailure(error, context))
  }
  const lost = await output.failure()
  if (lost !== null) ending = gravest([ending, await reportFailure(lost, processContext())])
  process.exitCode = exitCodes[ending].code
}
