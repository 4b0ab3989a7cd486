import { dirname, resolve } from 'node:path'
import type { Evaluation } from '#analysis'
import type { RecordedRun } from '#journal'
import { htmlPage, runPage } from '#reports'
import { pageAssets } from './page-assets.ts'
import { addressFrom, embedRecordings, findRecordings } from './recordings.ts'

export interface RunPageOptions {
  /** Where the page will be written: recordings are addressed from there. */
  readonly path: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** `linked` plays recordings from where they are; `embeddedBytes` embeds them, up to that size. Default: `linked`. */
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
  const addresses = await addressesOf(run, options)
  const { document, rows } = runPage(evaluation, run, {
    hasTexts: options.hasTexts ?? true,
    audioOf: ({ id }) => addresses.get(id) ?? null,
  })
  const { library } = options
  const listed = library === undefined ? document : { ...document, library }
  return htmlPage(listed, await pageAssets(), rows)
}

async function addressesOf(
  { record, utterances }: RecordedRun,
  { path, env, audio = 'linked' }: RunPageOptions,
): Promise<ReadonlyMap<string, string>> {
  if (audio === 'none') return new Map()
  const recordings = await findRecordings(record, utterances, env)
  if (audio !== 'linked') return embedRecordings(recordings, audio.embeddedBytes)
  const folder = dirname(resolve(path))
  return new Map([...recordings].map(([id, file]) => [id, addressFrom(folder, file)]))
}
