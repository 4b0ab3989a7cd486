import { type ExitClass, exitCodes } from '#prelude'
import { reportFailure } from './failure.ts'
import { buildProgram, endingOfMisuse } from './program.ts'
import { theWorld } from './world.ts'

/** Runs the command that the process was started with, and sets its exit code. */
export async function runCommandLine(): Promise<void> {
  // A reader that has seen enough, such as `head`, is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  let ending: ExitClass = 'done'
  try {
    const program = buildProgram((exit) => {
      ending = exit
    })
    await program.parseAsync(process.argv)
  } catch (error) {
    ending = endingOfMisuse(error) ?? reportFailure(error, theWorld())
  }
  process.exitCode = exitCodes[ending].code
}
