import type { BenchConfig, ContenderConfig } from '#config'
import type { VerifiedCorpus } from '#corpus'
import type { PlannedRequest } from '#journal'
import { closedSchedule, type Schedule } from '#load'
import { type Bill, billPlan, isBilled, planRequests, planRoutes, type Route } from '#run'
import { readyContenders, type SkippedContender } from './contenders.ts'
import type { OpenServer } from './open-server.ts'
import type { OpenTarget } from './open-target.ts'
import type { AudioReach } from './transport-facts.ts'

/** Everything that is decided before the first request. */
export interface MeasurePlan {
  readonly corpus: VerifiedCorpus
  readonly target: Pick<OpenTarget | OpenServer, 'kind' | 'description' | 'health' | 'warnings'>
  readonly contenders: readonly ContenderConfig[]
  readonly skipped: readonly SkippedContender[]
  readonly schedule: Schedule
  readonly requests: readonly PlannedRequest[]
  /** How each utterance can go, by its id; the first one is used. Empty for a server that takes forms only. */
  readonly routes: ReadonlyMap<string, readonly Route[]>
  /** Where copies are put for utterances that go `staged`. */
  readonly stagingFolder: string | null
  /** What the billed contenders may cost; empty where none is billed. */
  readonly bills: readonly Bill[]
}

/**
 * @param reach null for a server that takes forms only, and does not say how large
 * @throws BenchError BILLED_MINUTES_EXCEEDED, TARGET_HAS_NO_MODES, TARGET_MODEL_MISSING, NOTHING_TO_MEASURE, AUDIO_TOO_LARGE
 */
export function makePlan(
  config: BenchConfig,
  corpus: VerifiedCorpus,
  target: OpenTarget | OpenServer,
  reach: AudioReach | null,
): MeasurePlan {
  const { contenders, skipped } = readyContenders(config, target)
  const routes = reach === null ? new Map() : planRoutes(corpus.utterances, config.transport, reach)
  const { kind, description, health, warnings } = target
  const requests = planRequests({
    contenderIds: contenders.map((contender) => contender.id),
    utteranceIds: corpus.utterances.map((utterance) => utterance.id),
    rounds: config.rounds,
    warmupRequests: config.warmupRequests,
    seed: config.seed,
  })
  return {
    corpus,
    target: { kind, description, health, warnings },
    contenders,
    skipped,
    schedule: closedSchedule(config.load.concurrency),
    routes,
    stagingFolder: reach?.stagingFolder ?? null,
    requests,
    bills: billPlan(
      contenders.filter((contender) => isBilled(contender, target.models)),
      requests,
      new Map(corpus.utterances.map(({ id, durationSeconds }) => [id, durationSeconds])),
      config.maxBilledMinutes,
    ),
  }
}
