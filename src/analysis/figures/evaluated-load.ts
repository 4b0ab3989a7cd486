import type { RecordedContender, RunRecord } from '#journal'
import { type LoadShape, makeSchedule } from '#load'
import type { EvaluatedLoad } from '../documents/evaluation.ts'

/** The load of a run, described by the schedule that made it. */
export function evaluatedLoad({
  load,
  seed,
  corpus,
  contenders,
}: Pick<RunRecord, 'load' | 'seed' | 'corpus' | 'contenders'>): EvaluatedLoad {
  const meanAudioSeconds = corpus.audioSeconds / corpus.utteranceCount
  const schedule = makeSchedule(load, { seed, meanAudioSeconds })
  return {
    kind: load.kind,
    description: ownLoadWords(load, contenders) ?? schedule.describe(meanAudioSeconds),
    concurrency: load.kind === 'closed' ? load.concurrency : null,
    latencyCountsFrom: schedule.latencyCountsFrom,
  }
}

/** The load that one contender was sent: its number of requests in flight, where it has one. */
export function loadOfContender(load: EvaluatedLoad, { concurrency }: RecordedContender): EvaluatedLoad {
  if (concurrency === undefined) return load
  return { ...load, description: closedWords([concurrency]), concurrency }
}

/** The same as a shape. */
export function shapeOfContender(load: LoadShape, { concurrency }: RecordedContender): LoadShape {
  return concurrency === undefined ? load : { kind: 'closed', concurrency }
}

/** Null where all contenders have the load of the run. */
function ownLoadWords(load: LoadShape, contenders: readonly RecordedContender[]): string | null {
  if (load.kind !== 'closed' || contenders.every(({ concurrency }) => concurrency === undefined)) return null
  return closedWords(contenders.map(({ concurrency = load.concurrency }) => concurrency))
}

function closedWords(counts: readonly number[]): string {
  const each = [...new Set(counts)].sort((a, b) => a - b)
  return `closed, ${each.join(' or ')} in flight`
}
