#!/usr/bin/env node
import { exitCodes } from '#prelude'
import { reportFailure } from './failure.ts'
import { buildProgram, endingOfMisuse } from './program.ts'
import { theWorld } from './world.ts'

// A reader that has seen enough, such as `head`, is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

const ending = { exit: exitCodes.done.code }
try {
  await buildProgram((exit) => {
    ending.exit = exitCodes[exit].code
  }).parseAsync(process.argv)
} catch (error) {
  ending.exit = exitCodes[endingOfMisuse(error) ?? reportFailure(error, theWorld())].code
}
process.exitCode = ending.exit
