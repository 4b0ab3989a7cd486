import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CommandContext } from '../command-context.ts'
import { cliErrors } from '../errors.ts'

/** How standard input and output are named on a command line. */
export const standardStream = '-'

/**
 * The text of a file that the command line names, or of standard input.
 *
 * @param what the file is, as problems name it: `the rules`
 * @param hint what to do where it cannot be read
 * @throws BenchError FILE_UNREADABLE, COMMAND_LINE_INVALID for standard input that something else has read
 */
export async function readNamed(
  context: CommandContext,
  path: string,
  { what, hint }: { readonly what: string; readonly hint: string },
): Promise<string> {
  const content = await (path === standardStream
    ? readStandardInput(context, what)
    : readNamedFile(context, path, { what, hint }))
  // In another encoding every word is another one: rules would apply to nothing, and no word of a vocabulary be found.
  if (!isUtf8(content) || content.includes(0)) {
    throw cliErrors.make('FILE_UNREADABLE', {
      message: `${what} ${path} cannot be read: it is not UTF-8`,
      hint: 'save it as UTF-8',
    })
  }
  return content.toString()
}

async function readNamedFile(
  context: CommandContext,
  path: string,
  { what, hint }: { readonly what: string; readonly hint: string },
): Promise<Buffer> {
  return await readFile(resolve(context.cwd, path)).catch((cause: NodeJS.ErrnoException) => {
    throw cliErrors.make('FILE_UNREADABLE', {
      message: `${what} ${path} cannot be read (${cause.code})`,
      hint,
      cause,
    })
  })
}

/** @throws BenchError COMMAND_LINE_INVALID where something else has read it */
export async function readStandardInput(context: CommandContext, what: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of context.openStandardInput(what)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The same for code that reads it by itself; null where nothing is named. */
export function namedFile(
  context: CommandContext,
  path: string | undefined,
  what: string,
): { readonly name: string; read(): Promise<Buffer> } | null {
  if (path === undefined) return null
  return {
    name: path,
    read: () =>
      path === standardStream ? readStandardInput(context, what) : readFile(resolve(context.cwd, path)),
  }
}
