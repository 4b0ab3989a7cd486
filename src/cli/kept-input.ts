import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { dataDirectory } from '#corpus'
import { parseJson } from '#prelude'
import type { CommandContext } from './command-context.ts'
import { readStandardInput, standardStream } from './read-named.ts'

/** A manifest names its recordings from its own folder, which standard input has not: the working directory takes its place. */
const manifestEnding = '.jsonl'

/**
 * The path of a file that is read by its path, also later: by `--resume`, or for the recordings of a report. What comes through
 * standard input is kept in the data directory for that, once for each content.
 *
 * @param path as typed
 * @param ending of the kept file; `.jsonl` for a manifest
 * @param what names the file, as problems do: `--engines`
 * @throws BenchError COMMAND_LINE_INVALID for standard input that something else has read
 */
export async function keptPath(
  context: CommandContext,
  path: string,
  { ending, what }: { readonly ending: string; readonly what: string },
): Promise<string> {
  if (path !== standardStream) return path
  const read = await readStandardInput(context, what)
  const content = ending === manifestEnding ? fromFolder(read.toString(), context.cwd) : read
  const name = createHash('sha256').update(content).digest('hex').slice(0, 12)
  // A folder for each: corrections of a corpus are next to its manifest.
  const folder = join(dataDirectory(context.env, context.home), 'stdin', name)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const kept = join(folder, `stdin-${name}${ending}`)
  await writeFile(kept, content, { mode: 0o600 })
  return kept
}

/** The same for the manifest of a corpus, or its name. */
export function keptManifest(context: CommandContext, corpus: string): Promise<string> {
  return keptPath(context, corpus, { ending: manifestEnding, what: 'the corpus' })
}

/** The lines of a manifest with absolute paths. A line that is none is left as it is: it is reported where the manifest is read. */
function fromFolder(text: string, folder: string): string {
  return text
    .split('\n')
    .map((line) => {
      const value = parseJson(line)
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return line
      const paths = Object.entries(value).filter(
        ([key, path]) =>
          ['audio', 'audio_filepath'].includes(key) &&
          typeof path === 'string' &&
          path !== '' &&
          !path.includes('://'),
      )
      const absolute = paths.map(([key, path]) => [key, resolve(folder, String(path))])
      return paths.length === 0 ? line : JSON.stringify({ ...value, ...Object.fromEntries(absolute) })
    })
    .join('\n')
}
