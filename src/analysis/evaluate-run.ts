import { clusteringsOf } from './clustering.ts'
import { contenderDifference } from './contender-difference.ts'
import {
  type EvaluationContext,
  evaluateContender,
  evaluateRequest,
  type ScoredContender,
  scoreContender,
} from './contender-evaluation.ts'
import { type Evaluation, evaluationFormatVersion } from './evaluation.ts'
import { judgeRun, meansNoSpeech, type NoSpeechPredicate, type RunMaterial } from './judged-run.ts'
import { runFindings } from './run-findings.ts'
import { type TranscriptScorer, transcriptScorer } from './transcript-scorer.ts'

export interface EvaluateOptions {
  /** Id of the scoring profile; the one that the run asks for unless told. */
  readonly profile?: string | undefined
  /** Seed of the intervals; the run's own unless told. */
  readonly seed?: number | undefined
  /** Which failures mean that the engine heard no speech. */
  readonly meansNoSpeech?: NoSpeechPredicate | undefined
}

/**
 * Scores a recorded run: every planned request gets one fate, every figure its denominator, and everything
 * that weakens a figure becomes a finding. The same run, profile and seed give the same document.
 *
 * Rates are ratios of sums over the requests that were answered; latency is service time, from the first
 * byte sent to the last byte received, as befits a closed schedule.
 *
 * @throws BenchError RUN_INCONSISTENT where the run's files contradict each other, and what `#scoring`
 *   throws for a profile that does not exist
 */
export function evaluateRun(run: RunMaterial, options: EvaluateOptions = {}): Evaluation {
  const scorer = transcriptScorer(options.profile ?? run.record.scoringProfile)
  return scoreRun(run, scorer, options).evaluation
}

/** A run's evaluation with the scored transcripts behind it. */
export interface ScoredRun {
  readonly record: RunMaterial['record']
  readonly scored: readonly ScoredContender[]
  readonly evaluation: Evaluation
}

/** The work of `evaluateRun`, for those who need the transcripts too. */
export function scoreRun(
  run: RunMaterial,
  scorer: TranscriptScorer,
  options: Pick<EvaluateOptions, 'seed' | 'meansNoSpeech'>,
): ScoredRun {
  const { record } = run
  const seed = options.seed ?? record.seed
  const judged = judgeRun(run, options.meansNoSpeech ?? meansNoSpeech)
  const measured = judged.contenders.flatMap(({ requests }) => requests.map(({ utterance }) => utterance))
  const context: EvaluationContext = {
    scorer,
    clusterings: clusteringsOf([...new Set(measured)]),
    concurrency: record.load.concurrency,
    seed,
  }
  const scored = judged.contenders.map((contender) => scoreContender(contender, scorer))
  const contenders = scored.map((contender) => evaluateContender(contender, context))
  const difference = contenderDifference(scored, contenders, seed)
  const findings = runFindings({ material: run, judged, scorer, scored, contenders, difference })
  const evaluation: Evaluation = {
    formatVersion: evaluationFormatVersion,
    run: runIdentity(run),
    validity: findings.some(({ severity }) => severity === 'invalid') ? 'invalid' : 'valid',
    findings,
    profile: scorer.profile,
    alignment: 'canonical',
    seed,
    corpus: record.corpus,
    load: record.load,
    rounds: record.rounds,
    contenders,
    difference,
    utterances: scored
      .flatMap((contender) => contender.requests.map(evaluateRequest))
      .sort((a, b) => a.requestIndex - b.requestIndex),
  }
  return { record, scored, evaluation }
}

function runIdentity({ record }: RunMaterial): Evaluation['run'] {
  const { id, name, status, startedAt, endedAt, target, host } = record
  return {
    id,
    name,
    status,
    startedAt,
    endedAt,
    targetBaseUrl: target.baseUrl,
    serviceVersion: target.health.app_version,
    asrbenchVersion: host.asrbenchVersion,
    cpuModel: host.cpuModel,
    cpuCount: host.cpuCount,
  }
}
