import { basename, join } from 'node:path'
import { findTrends, followedMetrics } from '#analysis'
import {
  capacityPage,
  type LibraryAddresses,
  type LibraryContender,
  type LibraryPage,
  type LibraryRun,
  libraryPage,
} from '#reports'
import { rateMetrics } from '#scoring'
import { readHistory } from './history.ts'
import { type RunSummary, readRunSummaries } from './run-summaries.ts'
import { readCapacity } from './stored-document.ts'

/** The page over all runs of a folder: the figures of their summaries, and their changes over time. */
export async function readLibrary(results: string, addresses: LibraryAddresses): Promise<LibraryPage> {
  const runs = await readRunSummaries(results)
  const { figures, ...counts } = await readHistory(results, followedMetrics)
  return libraryPage(
    basename(results),
    await Promise.all(
      runs.map(
        async ({ id, summary }): Promise<LibraryRun> => ({
          id,
          summary: summary === null ? null : listed(id, summary),
          unscored: summary === null ? await whyUnscored(join(results, id)) : null,
        }),
      ),
    ),
    { trends: findTrends(figures, 1), ...counts },
    addresses,
  )
}

/** A capacity has its answer in the place of a score. */
async function whyUnscored(folder: string): Promise<string> {
  const capacity = await readCapacity(folder).catch(() => null)
  return capacity === null ? 'no score that can be read' : (capacityPage(capacity).answers[0] ?? 'capacity')
}

function listed(
  id: string,
  { run, validity, corpus, load, profile, contenders, speeds }: RunSummary,
): LibraryRun['summary'] {
  return {
    name: run.name ?? id,
    startedAt: run.startedAt,
    validity,
    corpus: corpus.name,
    load: load.description,
    target: run.target ?? null,
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
