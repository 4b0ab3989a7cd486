import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import pLimit from 'p-limit'
import { z } from 'zod'
import type { HistoryFigure } from '#analysis'
import { listRuns, runFiles } from '#journal'

/** What a history needs of a `summary.json`; the rest is left alone, whatever version wrote it. */
const summary = z.object({
  run: z.object({ startedAt: z.string(), cpuModel: z.string(), cpuCount: z.number() }),
  validity: z.string(),
  profile: z.object({ id: z.string() }),
  corpus: z.object({ name: z.string(), fingerprint: z.string() }),
  load: z.object({ description: z.string() }),
  contenders: z.array(
    z.object({ id: z.string(), metrics: z.record(z.string(), z.object({ value: z.number().nullable() })) }),
  ),
})

export interface History {
  readonly figures: readonly HistoryFigure[]
  readonly runCount: number
  /** Names of run folders without a score that can be read: never finished, invalid, or of another version. */
  readonly leftOut: readonly string[]
}

/**
 * The figures of all runs of a folder, from the summaries beside their journals. Nothing is scored again, so a million
 * attempts cost as much as ten.
 *
 * @param metrics ids of those that are wanted
 */
export async function readHistory(results: string, metrics: readonly string[]): Promise<History> {
  const folders = await listRuns(results)
  const limit = pLimit(16)
  const read = await Promise.all(folders.map((folder) => limit(() => readFigures(folder, metrics))))
  return {
    figures: read.flatMap((figures) => figures ?? []),
    runCount: read.filter((figures) => figures !== null).length,
    leftOut: folders.filter((_, index) => read[index] === null).map((folder) => basename(folder)),
  }
}

async function readFigures(
  folder: string,
  metrics: readonly string[],
): Promise<readonly HistoryFigure[] | null> {
  try {
    const parsed = summary.parse(JSON.parse(await readFile(join(folder, runFiles.summary), 'utf8')))
    if (parsed.validity === 'invalid') return null
    const { run, profile, corpus, load } = parsed
    const machine = `${run.cpuModel}, ${run.cpuCount} processors`
    const corpusName = `${corpus.name} (${corpus.fingerprint.slice(0, 12)})`
    const conditions = [corpusName, profile.id, load.description, machine].join(' · ')
    return parsed.contenders.flatMap(({ id, metrics: found }) =>
      metrics.flatMap((metric) => {
        const value = found[metric]?.value ?? null
        if (value === null) return []
        const { startedAt } = run
        return [{ runId: basename(folder), startedAt, contenderId: id, metric, value, conditions }]
      }),
    )
  } catch {
    // A run without a readable score is counted as left out; `asrbench score` gives it one.
    return null
  }
}
