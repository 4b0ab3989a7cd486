import { access, readFile, stat } from 'node:fs/promises'
import { dirname, extname, isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PlannedUtterance, RunRecord } from '#journal'
import { sessionErrors } from '../errors.ts'

/** Absolute paths of the recordings of a run that are still there, by the id of the utterance. */
export type Recordings = ReadonlyMap<string, string>

/**
 * Finds the recordings that a run was made of, where its corpus is now. A run outlives its corpus: what is gone is
 * left out.
 */
export async function findRecordings(
  record: RunRecord,
  utterances: readonly PlannedUtterance[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Recordings> {
  const name = corpusNameOf(record)
  if (name === null) return new Map()
  // Only a page plays recordings; figures and comparisons need no corpus.
  const { readCorpus } = await import('#corpus')
  // A corpus that cannot be read is as good as none here: the figures do not need it.
  const corpus = await readCorpus(name, { env }).catch(() => null)
  if (corpus === null) return new Map()
  const folder = dirname(corpus.manifestPath)
  const found = await Promise.all(
    utterances.map(async ({ id, audio }) => {
      const path = resolve(folder, audio)
      return access(path).then(
        () => [[id, path] as const],
        () => [],
      )
    }),
  )
  return new Map(found.flat())
}

/** The corpus of a run, as its config named it; null where it did not. */
export function corpusNameOf({ config }: RunRecord): string | null {
  if (config === null || typeof config !== 'object' || !('corpus' in config)) return null
  return typeof config['corpus'] === 'string' ? config['corpus'] : null
}

/** The address of a file as a page in a folder writes it. */
export function addressFrom(folder: string, path: string): string {
  const way = relative(folder, path)
  // On another drive there is no way from one to the other.
  if (isAbsolute(way)) return pathToFileURL(path).href
  return way.split(sep).map(encodeURIComponent).join('/')
}

/** Types of the recordings that browsers can play. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.wav': 'audio/wav',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.mp4': 'audio/mp4',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.flac': 'audio/flac',
  '.webm': 'audio/webm',
}

export function mediaTypeOf(path: string): string {
  return mediaTypes[extname(path).toLowerCase()] ?? 'application/octet-stream'
}

/**
 * Recordings as addresses that carry them.
 *
 * @throws BenchError PAGE_TOO_LARGE where together they are larger than what was allowed
 */
export async function embedRecordings(
  recordings: Recordings,
  limitBytes: number,
): Promise<ReadonlyMap<string, string>> {
  const sizes = await Promise.all([...recordings.values()].map(async (path) => (await stat(path)).size))
  const allBytes = sizes.reduce((sum, size) => sum + size, 0)
  if (allBytes > limitBytes) {
    throw sessionErrors.make('PAGE_TOO_LARGE', {
      message: `the ${recordings.size} recordings are ${megabytes(allBytes)} MB, more than the ${megabytes(limitBytes)} MB that a page may carry`,
      hint: `allow more with --embed-audio ${Math.ceil(allBytes / 1e6)}, or do not embed them: without --embed-audio the page plays them from where they are`,
    })
  }
  const embedded = new Map<string, string>()
  for (const [id, path] of recordings) {
    const bytes = await readFile(path)
    embedded.set(id, `data:${mediaTypeOf(path)};base64,${bytes.toString('base64')}`)
  }
  return embedded
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
