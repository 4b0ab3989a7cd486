import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { findTrends, followedMetrics } from '#analysis/comparison/trends'
import { evaluateRun } from '#analysis/evaluate-run'
import { findMimeType } from '#audio/format'
import { makeFolder } from '#installation/files'
import { listRuns } from '#journal/find-run'
import { readRun } from '#journal/run-reader'
import { BenchError, type Problem } from '#prelude'
import { capacityPage } from '#reports/capacity/capacity-page'
import { comparisonPage } from '#reports/comparison/comparison-page'
import {
  type LibraryAddresses,
  type LibraryContender,
  type LibraryPage,
  type LibraryRun,
  libraryPage,
} from '#reports/history/library-page'
import { htmlPage, servedHtml } from '#reports/html-page'
import type { ServedPage } from '#reports/page'
import { runPage } from '#reports/run/run-page'
import { type ServedRecording, startPageServer } from '#review/page-server'
import { rateMetrics } from '#scoring/counts'
import { compareFolders } from './compare-folders.ts'
import { resultsErrors } from './errors.ts'
import { writing } from './export-runs.ts'
import { readHistory } from './history.ts'
import { pageAssets } from './page-assets.ts'
import { findRecordings, runPageHtml } from './run-page-file.ts'
import { storedScoring } from './scores.ts'
import { documentHtml, readCapacity } from './stored-document.ts'
import { describeSummaryScore, type RunSummary, readRunSummaries } from './summaries.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Serves a page over a results folder: its runs, their figures over time, every run's report, and comparisons of any
 * two. Changes no run; newly ended runs are listed after a reload.
 *
 * @param port 0 for a free one
 * @returns the server, to be disposed, with the link for one tab
 * @throws BenchError REVIEW_PORT_TAKEN
 */
export async function viewResults(results: string, port: number, env: Environment) {
  const recordings = new Map<string, ServedRecording>()
  const server = await startPageServer({
    html: servedHtml(await pageAssets()),
    port,
    document: async ({ run, base }) => {
      if (run === undefined) return served(await readLibrary(results, onServer))
      if (base !== undefined) return served(await comparison(results, base, run))
      return await openRun(results, run, env, recordings)
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

/** Addresses of pages on a server, where a query parameter names the run. */
const onServer: LibraryAddresses = {
  addressOf: (run) => `?${new URLSearchParams({ run })}`,
  canCompare: true,
}

function served(document: ServedPage['document']): ServedPage {
  return { document, rows: [], corrections: [], correcting: null }
}

async function comparison(results: string, base: string, run: string): Promise<ServedPage['document']> {
  const [baseFolder, runFolder] = await Promise.all([findFolder(results, base), findFolder(results, run)])
  const compared = await compareFolders([baseFolder], [runFolder], { results })
  return comparisonPage(compared.comparison)
}

async function openRun(
  results: string,
  id: string,
  env: Environment,
  recordings: Map<string, ServedRecording>,
): Promise<ServedPage> {
  const folder = await findFolder(results, id)
  const capacity = await readCapacity(folder)
  if (capacity !== null) return served(capacityPage(capacity))
  const run = await readRun(folder)
  const found = await findRecordings(run, env)
  const nameOf = (utteranceId: string): string => JSON.stringify([id, utteranceId])
  for (const [utteranceId, path] of found) {
    recordings.set(nameOf(utteranceId), { path, mediaType: findMimeType(path) })
  }
  const scoring = await storedScoring(run.folder, null, { env })
  const { document, rows } = runPage(evaluateRun(run, scoring), run, {
    audioOf: ({ id: utteranceId }) =>
      found.has(utteranceId) ? `/audio/${encodeURIComponent(nameOf(utteranceId))}` : null,
  })
  return { document, rows, corrections: [], correcting: null }
}

/**
 * The folder of a listed run; no other folder on this machine can be requested.
 *
 * @throws BenchError RUN_NOT_LISTED
 */
async function findFolder(results: string, id: string): Promise<string> {
  const folder = (await listRuns(results)).find((each) => each === join(results, id) && basename(each) === id)
  if (folder !== undefined) return folder
  throw resultsErrors.make('RUN_NOT_LISTED', {
    message: `there is no run ${id} in ${results}`,
    hint: 'it was removed or renamed: go back to the list of runs',
  })
}

const runFolder = 'runs'

/**
 * Writes the library of runs as static pages for any web server: the list with trends, and a page for each run. Pages
 * contain no recordings and load nothing.
 *
 * @param output absolute path of a folder; created if it is missing
 * @param hasTexts whether to include references and hypotheses
 * @returns the path of its first page, the number of runs with a page, and those without one with the reason
 * @throws BenchError EXPORT_UNWRITABLE
 */
export async function exportSite(results: string, output: string, hasTexts: boolean) {
  const addresses = new Map<string, string>()
  const unreadable: Problem[] = []
  return await writing(output, async () => {
    await makeFolder(join(output, runFolder))
    for (const folder of await listRuns(results)) {
      const id = basename(folder)
      const html = await readPage(folder, hasTexts)
      if (typeof html !== 'string') unreadable.push({ where: id, what: html.message })
      else {
        const address = `${runFolder}/${id}.html`
        await writeFile(join(output, address), html)
        addresses.set(id, address)
      }
    }
    const addressOf = (id: string): string | null => {
      const address = addresses.get(id)
      return address === undefined ? null : address.split('/').map(encodeURIComponent).join('/')
    }
    const library = await readLibrary(results, { addressOf, canCompare: false })
    const index = join(output, 'index.html')
    await writeFile(index, htmlPage(library, await pageAssets()))
    return { index, runCount: addresses.size, unreadable }
  })
}

/** The page of a run, or the error: an unreadable run does not exclude the others. */
async function readPage(folder: string, hasTexts: boolean): Promise<string | Error> {
  try {
    const finding = await readCapacity(folder)
    if (finding !== null) return await documentHtml({ kind: 'capacity', finding })
    const run = await readRun(folder)
    const options = { path: folder, env: {}, audio: 'none', hasTexts, library: '../index.html' } as const
    return await runPageHtml(run, evaluateRun(run, await storedScoring(folder)), options)
  } catch (error) {
    if (error instanceof BenchError || (error instanceof Error && 'syscall' in error)) return error
    throw error
  }
}

export async function readLibrary(results: string, addresses: LibraryAddresses): Promise<LibraryPage> {
  const runs = await readRunSummaries(results)
  const { figures, ...counts } = await readHistory(results, followedMetrics, runs)
  return libraryPage(
    basename(results),
    await Promise.all(
      runs.map(
        async ({ id, summary }): Promise<LibraryRun> => ({
          id,
          summary: summary === null ? null : listed(summary),
          unscored: summary === null ? await whyUnscored(join(results, id)) : null,
        }),
      ),
    ),
    { trends: findTrends(figures), ...counts },
    addresses,
  )
}

/** The text instead of a score: the answer of a capacity measurement, or why there is no score. */
async function whyUnscored(folder: string): Promise<string> {
  const capacity = await readCapacity(folder).catch(() => null)
  return capacity === null ? 'no score that can be read' : (capacityPage(capacity).answers[0] ?? 'capacity')
}

function listed(summary: RunSummary): LibraryRun['summary'] {
  const { run, validity, corpus, load, profile, contenders, speeds } = summary
  return {
    name: run.name,
    startedAt: run.startedAt,
    validity,
    corpus: corpus.name,
    load: load.description,
    target: run.target,
    score: describeSummaryScore(summary).join(' · '),
    leads: profile.leads,
    contenders: contenders.map(({ id: contenderId, metrics }): LibraryContender => {
      const metric = metrics[rateMetrics[profile.leads]]
      const value = metric?.value ?? null
      return {
        id: contenderId,
        errorRate: value === null ? null : { value, interval: metric?.interval ?? null },
        failureRate: metrics['failures']?.value ?? null,
        speed: metrics['rtfx']?.value ?? null,
        latencyP50Ms: metrics['latency.p50']?.value ?? null,
        withheld: speeds.withheld,
      }
    }),
  }
}
