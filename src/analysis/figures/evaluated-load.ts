import type { RunRecord } from '#journal'
import { makeSchedule } from '#load'
import type { EvaluatedLoad } from '../documents/evaluation.ts'

/** The load of a run, described by the schedule that made it. */
export function evaluatedLoad({
  load,
  seed,
  corpus,
}: Pick<RunRecord, 'load' | 'seed' | 'corpus'>): EvaluatedLoad {
  const meanAudioSeconds = corpus.audioSeconds / corpus.utteranceCount
  const schedule = makeSchedule(load, { seed, meanAudioSeconds })
  return {
    kind: load.kind,
    description: schedule.describe(meanAudioSeconds),
    concurrency: load.kind === 'closed' ? load.concurrency : null,
    latencyCountsFrom: schedule.latencyCountsFrom,
  }
}
