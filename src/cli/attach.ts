import type { Command } from 'commander'
import type { ExitClass } from '#prelude'
import type { World } from './world.ts'

/** Executes a command: receives its context and returns the exit class. */
export type Action<Options> = (world: World, options: Options, args: readonly string[]) => Promise<ExitClass>

/** Adds an action to a command; what it throws is reported here, and its ending becomes the exit code. */
export type Attach = <Options>(command: Command, action: Action<Options>) => void
