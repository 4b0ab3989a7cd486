import type { BenchConfig, ContenderConfig } from '#config'
import type { VerifiedCorpus } from '#corpus'
import type { PlannedRequest } from '#journal'
import { closedSchedule, type Schedule } from '#load'
import { audioInputOf, checkSizes, planRequests, type Sendable } from '#run'
import { readyContenders, type SkippedContender } from './contenders.ts'
import type { OpenTarget } from './open-target.ts'

/** Everything that is decided before the first request. */
export interface MeasurePlan {
  readonly corpus: VerifiedCorpus
  readonly target: Pick<OpenTarget, 'kind' | 'description' | 'health' | 'warnings'>
  readonly contenders: readonly ContenderConfig[]
  readonly skipped: readonly SkippedContender[]
  readonly schedule: Schedule
  readonly transport: 'path' | 'base64'
  readonly requests: readonly PlannedRequest[]
  /** By utterance id. */
  readonly sendables: ReadonlyMap<string, Sendable>
}

/**
 * @throws BenchError TARGET_MODEL_MISSING, NOTHING_TO_MEASURE, AUDIO_TOO_LARGE
 */
export function makePlan(config: BenchConfig, corpus: VerifiedCorpus, target: OpenTarget): MeasurePlan {
  const { contenders, skipped } = readyContenders(config, target)
  const transport = config.transport === 'auto' ? defaultTransport(target) : config.transport
  checkSizes(corpus.utterances, transport)
  const { kind, description, health, warnings } = target
  return {
    corpus,
    target: { kind, description, health, warnings },
    contenders,
    skipped,
    schedule: closedSchedule(config.load.concurrency),
    transport,
    requests: planRequests({
      contenderIds: contenders.map((contender) => contender.id),
      utteranceIds: corpus.utterances.map((utterance) => utterance.id),
      rounds: config.rounds,
      warmupRequests: config.warmupRequests,
      seed: config.seed,
    }),
    sendables: new Map(
      corpus.utterances.map((utterance) => [
        utterance.id,
        { audio: audioInputOf(utterance, transport), audioSeconds: utterance.durationSeconds },
      ]),
    ),
  }
}

/** The built-in service may read the corpus; what another one may read is not known, so the bytes are sent. */
function defaultTransport(target: OpenTarget): 'path' | 'base64' {
  return target.kind === 'embedded' ? 'path' : 'base64'
}
