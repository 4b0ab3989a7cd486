import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { dataDirectory, withAbsolutePaths } from '#corpus'
import { isNamedByRun } from '#session/named-by-run'
import type { CommandContext } from '../command-context.ts'
import { readStandardInput, standardStream } from './read-named.ts'

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
 * report. It is in the data directory, once for each content, and is removed with the end of the command if no run names it.
 *
 * @param resultsFolder where the command writes its runs
 * @throws BenchError COMMAND_LINE_INVALID as above
 */
export async function keptInput(
  context: CommandContext,
  file: KeptFile & { readonly resultsFolder: string },
): Promise<string> {
  const { name, hash, content } = await readInput(context, file)
  // A folder for each: corrections of a corpus are next to its manifest.
  const folder = join(dataDirectory(context.env, context.home), 'stdin', hash)
  const path = join(folder, name)
  const claim = join(folder, `${randomUUID()}${claimEnding}`)
  const since = new Date()
  const wasThere = await share(path, claim, content)
  context.atEnd(async () => {
    await rm(claim, { force: true })
    // Another run may name what was there before, and another command may read it now.
    if (wasThere || (await readdir(folder)).some((other) => other.endsWith(claimEnding))) return
    if (await isNamedByRun(path, { resultsFolder: file.resultsFolder, since })) return
    await rm(folder, { recursive: true, force: true })
  })
  return path
}

/** Of a file that says that a command is using its folder. */
const claimEnding = '.claim'

/**
 * Puts a file into a folder that commands with the same input use at once: complete from its first moment, and with a claim to it.
 *
 * @returns whether it was there
 */
async function share(path: string, claim: string, content: string | Buffer): Promise<boolean> {
  for (;;) {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeFile(claim, content, { mode: 0o600 })
      await link(claim, path)
      return false
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') return true
      // Another command removed the folder at its end.
      if (code !== 'ENOENT') throw error
    }
  }
}

async function readInput(
  context: CommandContext,
  { ending: given, what }: KeptFile,
): Promise<{ readonly name: string; readonly hash: string; readonly content: string | Buffer }> {
  const read = await readStandardInput(context, what)
  const manifest = given === manifestEnding ? withAbsolutePaths(read.toString(), context.cwd) : null
  const content = manifest?.text ?? read
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
  return { name: `stdin-${hash}${manifest?.ending ?? given}`, hash, content }
}
