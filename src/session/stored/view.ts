import { basename, join } from 'node:path'
import { evaluateRun } from '#analysis'
import { listRuns, readRun } from '#journal'
import {
  capacityPage,
  comparisonPage,
  type LibraryAddresses,
  runPage,
  type ServedPage,
  servedHtml,
} from '#reports'
import { type ServedRecording, startPageServer } from '#review'
import { sessionErrors } from '../errors.ts'
import { compareFolders } from './compare-folders.ts'
import { pageAssets } from './page-assets.ts'
import { readLibrary } from './read-library.ts'
import { findRecordings, mediaTypeOf } from './recordings.ts'
import { storedScoring } from './score-run.ts'
import { readCapacity } from './stored-document.ts'

export interface ViewOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** 0 for a free one. */
  readonly port: number
}

/** A page that runs are looked at on, as long as it is not disposed of. */
export interface Viewing extends AsyncDisposable {
  /** The link for one tab. */
  readonly address: string
  readonly runCount: number
}

/**
 * Serves a page over a results folder: its runs, their figures over time, every run's report, and any two compared.
 * Changes no run; runs that end meanwhile are there when the page is loaded again.
 *
 * @throws BenchError REVIEW_PORT_TAKEN
 */
export async function viewResults(results: string, { env, port }: ViewOptions): Promise<Viewing> {
  const recordings = new Map<string, ServedRecording>()
  const server = await startPageServer({
    html: servedHtml(await pageAssets()),
    port,
    document: async ({ run, base }) => {
      if (run === undefined) return served(await readLibrary(results, onServer))
      if (base !== undefined) return served(await comparison(results, base, run))
      return await runOf(results, run, env, recordings)
    },
    recordings,
    correcting: null,
  })
  return {
    address: server.address,
    runCount: (await listRuns(results)).length,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Pages of a server: the query of an address names a run. */
const onServer: LibraryAddresses = {
  addressOf: (run) => `?${new URLSearchParams({ run })}`,
  canCompare: true,
}

function served(document: ServedPage['document']): ServedPage {
  return { document, rows: [], corrections: [], correcting: null }
}

async function comparison(results: string, base: string, run: string): Promise<ServedPage['document']> {
  const [baseFolder, runFolder] = await Promise.all([folderOf(results, base), folderOf(results, run)])
  const compared = await compareFolders([baseFolder], [runFolder], { results })
  return comparisonPage(compared.comparison)
}

async function runOf(
  results: string,
  id: string,
  env: ViewOptions['env'],
  recordings: Map<string, ServedRecording>,
): Promise<ServedPage> {
  const folder = await folderOf(results, id)
  const capacity = await readCapacity(folder)
  if (capacity !== null) return served(capacityPage(capacity))
  const run = await readRun(folder)
  const found = await findRecordings(run.record, run.utterances, env)
  const nameOf = (utteranceId: string): string => JSON.stringify([id, utteranceId])
  for (const [utteranceId, path] of found) {
    recordings.set(nameOf(utteranceId), { path, mediaType: mediaTypeOf(path) })
  }
  const { document, rows } = runPage(evaluateRun(run, await storedScoring(run.folder)), run, {
    audioOf: ({ id: utteranceId }) =>
      found.has(utteranceId) ? `/audio/${encodeURIComponent(nameOf(utteranceId))}` : null,
  })
  return { document, rows, corrections: [], correcting: null }
}

/**
 * The folder of a run that the list names: nothing else on this machine can be asked for.
 *
 * @throws BenchError RUN_NOT_LISTED
 */
async function folderOf(results: string, id: string): Promise<string> {
  const folder = (await listRuns(results)).find((each) => each === join(results, id) && basename(each) === id)
  if (folder !== undefined) return folder
  throw sessionErrors.make('RUN_NOT_LISTED', {
    message: `there is no run ${id} in ${results}`,
    hint: 'it was removed or renamed: go back to the list of runs',
  })
}
