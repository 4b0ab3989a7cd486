import { access, readFile, stat } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Evaluation } from '#analysis/documents/evaluation'
import { findMimeType } from '#audio/format'
import { findRunCorpus, type RecordedRun } from '#journal/run-reader'
import { htmlPage } from '#reports/html-page'
import { runPage } from '#reports/run/run-page'
import { resultsErrors } from './errors.ts'
import { pageAssets } from './page-assets.ts'

export interface RunPageOptions {
  /** Path of the page to write, from which recordings are addressed. */
  readonly path: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** `linked` plays recordings in place; `embeddedBytes` embeds them up to that size. Default: `linked`. */
  readonly audio?: 'linked' | 'none' | { readonly embeddedBytes: number }
  /** Whether to include references and hypotheses. Default: true. */
  readonly hasTexts?: boolean
  /** Address of the list of runs that the page belongs to; default: none. */
  readonly library?: string
}

/**
 * The page of a run as one HTML file.
 *
 * @throws BenchError PAGE_TOO_LARGE
 */
export async function runPageHtml(
  run: RecordedRun,
  evaluation: Evaluation,
  options: RunPageOptions,
): Promise<string> {
  const addresses = await listAddresses(run, options)
  const { document, rows } = runPage(evaluation, run, {
    hasTexts: options.hasTexts ?? true,
    audioOf: ({ id }) => addresses.get(id) ?? null,
  })
  const { library } = options
  const listed = library === undefined ? document : { ...document, library }
  return htmlPage(listed, await pageAssets(), rows)
}

async function listAddresses(
  run: RecordedRun,
  { path, env, audio = 'linked' }: RunPageOptions,
): Promise<ReadonlyMap<string, string>> {
  if (audio === 'none') return new Map()
  const recordings = await findRecordings(run, env)
  if (audio !== 'linked') return embedRecordings(recordings, audio.embeddedBytes)
  const folder = dirname(resolve(path))
  return new Map([...recordings].map(([id, file]) => [id, addressFrom(folder, file)]))
}

/** Absolute paths of a run's recordings that still exist, by the id of the utterance. */
export type Recordings = ReadonlyMap<string, string>

/** Finds the recordings of a run in its current corpus. A run outlives its corpus, so missing ones are omitted. */
export async function findRecordings(
  run: RecordedRun,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Recordings> {
  const name = await findRunCorpus(run)
  if (name === null) return new Map()
  // Only a page plays recordings, so the module is not loaded for figures and comparisons.
  const { readCorpus } = await import('#corpus/read-corpus')
  // An unreadable corpus counts as missing, because the figures do not need it.
  const corpus = await readCorpus(name, { env }).catch(() => null)
  if (corpus === null) return new Map()
  const folder = dirname(corpus.manifestPath)
  const found = await Promise.all(
    run.utterances.map(async ({ id, audio }) => {
      const path = resolve(folder, audio)
      return access(path).then(
        () => [[id, path] as const],
        () => [],
      )
    }),
  )
  return new Map(found.flat())
}

function addressFrom(folder: string, path: string): string {
  const relativePath = relative(folder, path)
  // There is no relative path to another drive.
  if (isAbsolute(relativePath)) return pathToFileURL(path).href
  return relativePath.split(sep).map(encodeURIComponent).join('/')
}

/**
 * Recordings as data URLs.
 *
 * @throws BenchError PAGE_TOO_LARGE if together they exceed the allowed size
 */
async function embedRecordings(
  recordings: Recordings,
  limitBytes: number,
): Promise<ReadonlyMap<string, string>> {
  const sizes = await Promise.all([...recordings.values()].map(async (path) => (await stat(path)).size))
  const allBytes = sizes.reduce((sum, size) => sum + size, 0)
  if (allBytes > limitBytes) {
    throw resultsErrors.make('PAGE_TOO_LARGE', {
      message: `the ${recordings.size} recordings are ${megabytes(allBytes)} MB, more than the ${megabytes(limitBytes)} MB that a page may carry`,
      hint: `allow more with --embed-audio ${Math.ceil(allBytes / 1e6)}, or do not embed them: without --embed-audio the page plays them from where they are`,
    })
  }
  const embedded = new Map<string, string>()
  for (const [id, path] of recordings) {
    const bytes = await readFile(path)
    embedded.set(id, `data:${findMimeType(path)};base64,${bytes.toString('base64')}`)
  }
  return embedded
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
