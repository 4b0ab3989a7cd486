import { isUtf8 } from 'node:buffer'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { dataDirectory } from '#installation/installation'
import type { CommandContext } from './command-context.ts'
import { cliErrors } from './errors.ts'

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
    : readFile(resolve(context.cwd, path)).catch((cause: NodeJS.ErrnoException) => {
        const message = `${what} ${path} cannot be read (${cause.code})`
        throw cliErrors.make('FILE_UNREADABLE', { message, hint, cause })
      }))
  // In another encoding every word is another one: rules would apply to nothing, and no word of a vocabulary be found.
  if (!isUtf8(content) || content.includes(0)) {
    throw cliErrors.make('FILE_UNREADABLE', {
      message: `${what} ${path} cannot be read: it is not UTF-8`,
      hint: 'save it as UTF-8',
    })
  }
  return content.toString()
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

/** A manifest names its recordings from its folder, which standard input has not: the working directory takes its place. */
const manifestEnding = '.jsonl'

interface KeptFile {
  /** Of the file; `.jsonl` for a manifest, whose first line says what it is. */
  readonly ending: string
  /** Names the file, as problems do: `--engines`. */
  readonly what: string
}

/**
 * The path of a file that is read by its path during the command. What comes through standard input is in a temporary folder, which
 * is removed with the end of the command.
 *
 * @param path as typed
 * @throws BenchError COMMAND_LINE_INVALID for standard input that something else has read
 */
export async function namedPath(context: CommandContext, path: string, file: KeptFile): Promise<string> {
  if (path !== standardStream) return path
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-stdin-'))
  context.atEnd(() => rm(folder, { recursive: true, force: true }))
  const { name, content } = await readInput(context, file)
  const kept = join(folder, name)
  await writeFile(kept, content, { mode: 0o600 })
  return kept
}

/** The same for the manifest of a corpus, or its name. */
export function namedManifest(context: CommandContext, corpus: string): Promise<string> {
  return namedPath(context, corpus, { ending: manifestEnding, what: 'the corpus' })
}

/**
 * A file of standard input that a run names, and that is read again later: by `--resume` and `replay`, and for the recordings of a
 * report. It is in the data directory. At the end of the command it is removed, or, if a run names it, shared with later commands
 * that read the same input. Commands that run at once each have their own copy, so that none can remove the file of another.
 *
 * @param resultsFolder where the command writes its runs
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
  if (sharedPath !== null) return sharedPath
  // A folder for each: corrections of a corpus are next to its manifest.
  const own = `${hash}-${randomUUID()}`
  const folder = join(copies, own)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, name)
  const since = new Date()
  await writeFile(path, content, { mode: 0o600 })
  context.atEnd(async () => {
    if (await isNamedByRun(path, { resultsFolder: file.resultsFolder, since }))
      // Another command with the same input may have shared its own first.
      await symlink(own, shared, 'dir').catch(() => undefined)
    else await rm(folder, { recursive: true, force: true })
  })
  return path
}

async function readInput(
  context: CommandContext,
  { ending: given, what }: KeptFile,
): Promise<{ readonly name: string; readonly hash: string; readonly content: string | Buffer }> {
  const read = await readStandardInput(context, what)
  const manifest =
    given === manifestEnding
      ? (await import('#corpus/manifest/foreign-manifest')).withAbsolutePaths(read.toString(), context.cwd)
      : null
  const content = manifest?.text ?? read
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
  return { name: `stdin-${hash}${manifest?.ending ?? given}`, hash, content }
}

/**
 * Whether a run that was written since a moment names a file in its record.
 *
 * @param path absolute
 */
async function isNamedByRun(
  path: string,
  { resultsFolder, since }: { readonly resultsFolder: string; readonly since: Date },
): Promise<boolean> {
  const { listRuns } = await import('#journal/run-reader')
  const { runFiles } = await import('#journal/run-writer')
  for (const folder of (await listRuns(resultsFolder)).toReversed()) {
    const record = join(folder, runFiles.record)
    const { mtime } = await stat(record)
    if (mtime >= since && (await readFile(record, 'utf8')).includes(JSON.stringify(path))) return true
  }
  return false
}

/**
 * A results folder without runs may get some; one that was named and is not there is misspelt.
 *
 * @param command as it is typed before the folder
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
