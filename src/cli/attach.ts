import type { Command } from 'commander'
import type { ExitClass } from '#prelude'
import type { CommandContext } from './command-context.ts'

/** Executes a command: receives its context and returns the exit class. */
export type Action<Options> = (
  context: CommandContext,
  options: Options,
  args: readonly string[],
) => Promise<ExitClass>

/** Adds an action to a command; what it throws is reported here, and its ending becomes the exit code. */
export type Attach = <Options>(command: Command, action: Action<Options>) => void
