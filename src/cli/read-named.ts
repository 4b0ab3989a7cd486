import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CommandContext } from './command-context.ts'
import { cliErrors } from './errors.ts'

/** How standard input and output are named on a command line. */
export const standardStream = '-'

/**
 * The content of a file that the command line names, or of standard input.
 *
 * @throws errors of the file system
 */
export async function readNamed({ cwd, stdin }: CommandContext, path: string): Promise<Buffer> {
  if (path !== standardStream) return await readFile(resolve(cwd, path))
  const chunks: Uint8Array[] = []
  for await (const chunk of stdin) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/**
 * Checks that standard input is named once at most.
 *
 * @throws BenchError COMMAND_LINE_INVALID
 */
export function checkStandardInput(paths: readonly (string | boolean | undefined)[]): void {
  const times = paths.filter((path) => path === standardStream).length
  if (times < 2) return
  throw cliErrors.make('COMMAND_LINE_INVALID', {
    message: `standard input (-) can be read once, and is named ${times} times`,
    hint: 'name a file in the other places',
  })
}

/** The same for code that reads it by itself; null where nothing is named. */
export function namedFile(
  context: CommandContext,
  path: string | undefined,
): { readonly name: string; read(): Promise<Buffer> } | null {
  return path === undefined ? null : { name: path, read: () => readNamed(context, path) }
}
