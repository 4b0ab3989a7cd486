import { isUtf8 } from 'node:buffer'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { dataDirectory } from '#installation/installation'
import type { Problem } from '#prelude'
import type { CommandContext } from './command-context.ts'
import { cliErrors } from './errors.ts'

/** Name of standard input and output on a command line. */
export const standardStream = '-'

/**
 * The text of a file named on the command line, or of standard input.
 *
 * @param what the file is, as problems name it: `the rules`
 * @param hint advice if it cannot be read
 * @throws BenchError FILE_UNREADABLE, COMMAND_LINE_INVALID for standard input that was already read
 */
export async function readNamed(
  context: CommandContext,
  path: string,
  { what, hint }: { readonly what: string; readonly hint: string },
): Promise<string> {
  const content = await (path === standardStream
    ? readStandardInput(context, what)
    : readFile(resolve(context.cwd, path)).catch((cause: NodeJS.ErrnoException) => {
        const message = `${what} ${path} cannot be read (${cause.code})`
        throw cliErrors.make('FILE_UNREADABLE', { message, hint, cause })
      }))
  // In another encoding words would differ silently, so that rules and vocabularies would not match.
  if (!isUtf8(content) || content.includes(0)) {
    throw cliErrors.make('FILE_UNREADABLE', {
      message: `${what} ${path} cannot be read: it is not UTF-8`,
      hint: 'save it as UTF-8',
    })
  }
  return content.toString()
}

/** @throws BenchError COMMAND_LINE_INVALID if it was already read */
export async function readStandardInput(context: CommandContext, what: string): Promise<Buffer> {
  return await buffer(context.openStandardInput(what))
}

/** A named file for code that reads it itself; null if none is named. */
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

/** Extension of a manifest. Recordings in a manifest from standard input are relative to the working directory. */
const manifestEnding = '.jsonl'

interface KeptFile {
  /** File extension; `.jsonl` for a manifest, whose first line identifies it. */
  readonly ending: string
  /** Name of the file in messages: `--engines`. */
  readonly what: string
}

/**
 * The path of a file for code that needs a path. Standard input is stored in a temporary folder, which is removed at
 * the end of the command.
 *
 * @param path as typed
 * @throws BenchError COMMAND_LINE_INVALID for standard input that was already read
 */
export async function namedPath(context: CommandContext, path: string, file: KeptFile): Promise<string> {
  if (path !== standardStream) return path
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-stdin-'))
  context.atEnd(() => rm(folder, { recursive: true, force: true }))
  const { name, content } = await readInput(context, file)
  const copy = join(folder, name)
  await writeFile(copy, content, { mode: 0o600 })
  return showAsTyped(context, copy, file)
}

/** The path of a corpus's manifest, or its name. */
export function namedManifest(context: CommandContext, corpus: string): Promise<string> {
  return namedPath(context, corpus, { ending: manifestEnding, what: 'the corpus' })
}

/**
 * Stores standard input that a run refers to in the data directory, because `--resume`, `replay` and the recordings
 * of a report read it later. At the end of the command it is removed, or, if a run refers to it, shared with later
 * commands of the same input. Concurrent commands have their own copies, so that none removes the file of another.
 *
 * @param resultsFolder folder in which the command writes its runs
 * @throws BenchError COMMAND_LINE_INVALID as above
 */
export async function keptInput(
  context: CommandContext,
  file: KeptFile & { readonly resultsFolder: string },
): Promise<string> {
  const { name, hash, content } = await readInput(context, file)
  const copies = join(dataDirectory(context.env), 'stdin')
  const shared = join(copies, hash)
  const sharedPath = await realpath(join(shared, name)).catch(() => null)
  if (sharedPath !== null) return showAsTyped(context, sharedPath, file)
  // Each copy has its own folder, because corrections of a corpus are stored next to its manifest.
  const folderName = `${hash}-${randomUUID()}`
  const folder = join(copies, folderName)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, name)
  const since = new Date()
  await writeFile(path, content, { mode: 0o600 })
  context.atEnd(async () => {
    if (await isNamedByRun(path, { resultsFolder: file.resultsFolder, since }))
      // Another command with the same input may have shared its copy first.
      await symlink(folderName, shared, 'dir').catch(() => undefined)
    else await rm(folder, { recursive: true, force: true })
  })
  return showAsTyped(context, path, file)
}

/**
 * Shows a copy of standard input as it was typed, and its name, as in `stdin-….jsonl:1`, in words. The paths in a
 * manifest are relative to the working directory.
 *
 * @returns the copy
 */
function showAsTyped(context: CommandContext, copy: string, { ending }: KeptFile): string {
  context.showAs(copy, standardStream)
  if (ending === manifestEnding) context.showAs(dirname(copy), context.cwd)
  context.showAs(basename(copy), 'standard input')
  return copy
}

async function readInput(
  context: CommandContext,
  { ending: usualEnding, what }: KeptFile,
): Promise<{ readonly name: string; readonly hash: string; readonly content: string | Buffer }> {
  const read = await readStandardInput(context, what)
  const manifest =
    usualEnding === manifestEnding
      ? (await import('#corpus/manifest/foreign-manifest')).withAbsolutePaths(read, context.cwd)
      : null
  const content = manifest?.content ?? read
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
  return { name: `stdin-${hash}${manifest?.ending ?? usualEnding}`, hash, content }
}

/**
 * Whether a run that was written since a time refers to a file in its record.
 *
 * @param path absolute
 */
async function isNamedByRun(
  path: string,
  { resultsFolder, since }: { readonly resultsFolder: string; readonly since: Date },
): Promise<boolean> {
  const { listRuns } = await import('#journal/find-run')
  const { runFiles } = await import('#journal/run-writer')
  for (const folder of (await listRuns(resultsFolder)).toReversed()) {
    const record = join(folder, runFiles.record)
    const { mtime } = await stat(record)
    if (mtime >= since && (await readFile(record, 'utf8')).includes(JSON.stringify(path))) return true
  }
  return false
}

/**
 * Refuses a missing results folder that was named, because it is probably misspelt. An existing one may be empty.
 *
 * @param command as typed before the folder
 * @throws BenchError COMMAND_LINE_INVALID
 */
export async function refuseMissingResults(
  folder: string,
  { typed, command }: { readonly typed: string; readonly command: string },
): Promise<void> {
  const found = await stat(folder).catch(() => null)
  if (found?.isDirectory() === true) return
  throw cliErrors.make('COMMAND_LINE_INVALID', {
    message: `there is no folder ${typed}`,
    hint: `name the folder that run folders are in: ${command} <folder>`,
  })
}

/** Prints warnings about a manifest. */
export function warn(context: CommandContext): (warning: Problem) => void {
  return ({ where, what, hint }) =>
    context.say(
      `  ~ ${[where, what].filter((part) => part !== null).join('  ')}${hint === undefined ? '' : `; ${hint}`}`,
    )
}
