import { type ExitClass, exitCodes } from '#prelude'
import { reportFailure } from './failure.ts'
import { buildProgram, endingOfMisuse } from './program.ts'
import { theWorld } from './world.ts'

/** Runs the command that the process was started with, and sets its exit code. */
export async function runCommandLine(): Promise<void> {
  // A reader that has seen enough, such as `head`, is not an error, and does not end a run half-way.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
  let ending: ExitClass = 'done'
  try {
    const program = buildProgram((exit) => {
      ending = exit
    })
    await program.parseAsync(process.argv)
  } catch (error) {
    const world = theWorld()
    ending = endingOfMisuse(error, process.argv.slice(2), world) ?? reportFailure(error, world)
  }
  process.exitCode = exitCodes[ending].code
}
