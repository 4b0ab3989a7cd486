import { join } from 'node:path'
import pLimit from 'p-limit'
import { followedMetric, type HistoryFigure } from '#analysis/comparison/trends'
import { isTimed } from '#analysis/metrics/metrics'
import { readRecord } from '#journal/run-reader'
import { succeeds } from '#prelude'
import { describeSummaryScore, type RunSummary, type readRunSummaries } from './summaries.ts'

export interface StoredFigures {
  readonly figures: readonly HistoryFigure[]
  readonly runCount: number
  /** Names of run folders without a readable score: unfinished, invalid, or of another version. */
  readonly leftOut: readonly string[]
}

/**
 * The figures of all runs of a folder, from the summaries next to their journals. Nothing is scored again, so the
 * number of attempts does not matter.
 *
 * @param metrics ids; `leading` and `other` are the error rates of each run, according to its leading rate
 * @param summaries of `readRunSummaries`: by the newest scores of the runs, or by those of one name
 */
export async function readHistory(
  results: string,
  metrics: readonly string[],
  summaries: Awaited<ReturnType<typeof readRunSummaries>>,
): Promise<StoredFigures> {
  const limit = pLimit(16)
  const runs = await Promise.all(
    summaries.map(({ id, summary }) =>
      limit(async () => ({
        id,
        run: summary === null ? null : await followedRun(join(results, id), summary),
      })),
    ),
  )
  const followed = runs.filter(({ run }) => run !== null)
  return {
    figures: runs.flatMap(({ id, run }) => (run === null ? [] : figuresOf(id, run, metrics))),
    runCount: followed.length,
    leftOut: runs.flatMap(({ id, run }) => (run === null ? [id] : [])),
  }
}

/** The figures of a run; null if they do not count. `transcribench score` can restore a summary. */
async function followedRun(folder: string, summary: RunSummary) {
  if (summary.validity === 'invalid') return null
  // A run with an unreadable record is excluded, because `report` refuses it too.
  if (!(await succeeds(readRecord(folder)))) return null
  const { run, profile, corpus, load, speeds, contenders } = summary
  const machine = `${run.cpuModel}, ${run.cpuCount} processors`
  const corpusName = `${corpus.name} (${corpus.fingerprint.slice(0, 12)})`
  // Runs with other rules, references or servers form separate lines, because their figures are not comparable.
  const server = run.target === 'embedded' ? [] : [run.target]
  const conditions = [
    corpusName,
    ...describeSummaryScore(summary),
    load.description,
    machine,
    ...server,
  ].join(' · ')
  const { startedAt } = run
  return { startedAt, leads: profile.leads, conditions, withheld: speeds.withheld, contenders }
}

type FollowedRun = NonNullable<Awaited<ReturnType<typeof followedRun>>>

function figuresOf(
  runId: string,
  { startedAt, leads, conditions, withheld, contenders }: FollowedRun,
  metrics: readonly string[],
): readonly HistoryFigure[] {
  return contenders
    .toSorted((a, b) => order(a.id, b.id))
    .flatMap(({ id, metrics: measured }) =>
      metrics.flatMap((name) => {
        const metric = followedMetric(name, leads)
        const { value = null, interval = null } = measured[metric] ?? {}
        if (value === null) return []
        const reason = isTimed(metric) ? withheld : null
        return [{ runId, startedAt, contenderId: id, metric, value, interval, conditions, withheld: reason }]
      }),
    )
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
