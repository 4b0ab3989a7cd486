import { failureLabel, meansNoSpeech, type NoSpeechRule } from '#contract'
import type {
  AttemptLine,
  PlannedRequest,
  PlannedUtterance,
  RecordedContender,
  RunRecord,
  TelemetryLine,
} from '#journal'
import type { Problem } from '#prelude'
import { analysisErrors } from './errors.ts'
import type { AttemptStatus } from './evaluation.ts'

/** What a run left behind, as far as it is judged. A recorded run of the journal room is one. */
export interface RunMaterial {
  readonly record: RunRecord
  readonly utterances: readonly PlannedUtterance[]
  readonly requests: readonly PlannedRequest[]
  readonly attempts: readonly AttemptLine[]
  readonly telemetry?: readonly TelemetryLine[] | undefined
}

/** One planned request with what became of it. */
export interface JudgedRequest {
  readonly request: PlannedRequest
  readonly utterance: PlannedUtterance
  /** The last attempt, or null where none was made. */
  readonly attempt: AttemptLine | null
  /** Where the waiting for the last one began: the first attempt since the run was last resumed. */
  readonly first: AttemptLine | null
  readonly attemptCount: number
  readonly status: AttemptStatus
  /** The answer's text, '' for an answer that said "no speech"; null unless scored. */
  readonly hypothesis: string | null
  readonly saidNoSpeech: boolean
  readonly failure: string | null
}

/** The part of a run that belongs to one contender. */
export interface JudgedContender {
  readonly contender: RecordedContender
  /** Measured requests in the order of the plan; the warm-up is not among them. */
  readonly requests: readonly JudgedRequest[]
  /** Every sending while measuring, repeats included, in the order of the journal. */
  readonly sendings: readonly AttemptLine[]
  readonly warmup: readonly AttemptLine[]
}

export interface JudgedRun {
  readonly record: RunRecord
  readonly utterances: ReadonlyMap<string, PlannedUtterance>
  readonly contenders: readonly JudgedContender[]
  /** Attempts of requests that the plan does not have. */
  readonly strayAttemptCount: number
}

/**
 * Lays the journal beside the plan: every planned request gets exactly one fate.
 *
 * @param noSpeech which answers mean that no speech was heard
 * @throws BenchError RUN_INCONSISTENT with all contradictions between the run's files
 */
export function judgeRun(material: RunMaterial, noSpeech: readonly NoSpeechRule[]): JudgedRun {
  const utterances = new Map(material.utterances.map((utterance) => [utterance.id, utterance]))
  refuseContradictions(material, utterances)
  const planned = new Map(material.requests.map((request) => [request.index, request]))
  const attempts = material.attempts.filter((attempt) => belongs(attempt, planned.get(attempt.index)))
  const sendings = Map.groupBy(attempts, ({ index }) => index)
  const contenders = material.record.contenders.map((contender): JudgedContender => {
    const own = attempts.filter((attempt) => attempt.contenderId === contender.id)
    return {
      contender,
      requests: material.requests
        .filter((request) => request.phase === 'measure' && request.contenderId === contender.id)
        .map((request) =>
          judge(
            request,
            utteranceOf(request, utterances),
            inOrder(sendings.get(request.index) ?? []),
            noSpeech,
          ),
        ),
      sendings: own.filter((attempt) => attempt.phase === 'measure'),
      warmup: own.filter((attempt) => attempt.phase === 'warmup'),
    }
  })
  const strayAttemptCount = material.attempts.length - attempts.length
  return { record: material.record, utterances, contenders, strayAttemptCount }
}

function belongs(attempt: AttemptLine, request: PlannedRequest | undefined): boolean {
  return (
    request !== undefined &&
    request.contenderId === attempt.contenderId &&
    request.utteranceId === attempt.utteranceId &&
    request.phase === attempt.phase
  )
}

function judge(
  request: PlannedRequest,
  utterance: PlannedUtterance,
  attempts: readonly AttemptLine[],
  noSpeech: readonly NoSpeechRule[],
): JudgedRequest {
  const attempt = attempts.at(-1) ?? null
  const first = attempts.find(({ sitting }) => sitting === attempt?.sitting) ?? null
  const attemptCount = attempts.length
  const nothing = { hypothesis: null, saidNoSpeech: false, failure: null }
  const known = { request, utterance, attempt, first, attemptCount, ...nothing }
  if (attempt === null) return { ...known, status: 'notSent' }
  if (attempt.outcome.ok) return { ...known, status: 'scored', hypothesis: attempt.outcome.answer.text }
  const { failure } = attempt.outcome
  if (failure.kind === 'dropped') return { ...known, status: 'dropped' }
  if (meansNoSpeech(failure, noSpeech)) {
    return { ...known, status: 'scored', hypothesis: '', saidNoSpeech: true, failure: failureLabel(failure) }
  }
  return { ...known, status: 'failed', failure: failureLabel(failure) }
}

/** The attempts of one request by their numbers; the journal has them in the order in which they ended. */
function inOrder(attempts: readonly AttemptLine[]): readonly AttemptLine[] {
  return attempts.length < 2 ? attempts : attempts.toSorted((a, b) => a.attempt - b.attempt)
}

function utteranceOf(
  request: PlannedRequest,
  utterances: ReadonlyMap<string, PlannedUtterance>,
): PlannedUtterance {
  const utterance = utterances.get(request.utteranceId)
  if (utterance === undefined) throw new TypeError(`request ${request.index} was not checked`)
  return utterance
}

function refuseContradictions(
  material: RunMaterial,
  utterances: ReadonlyMap<string, PlannedUtterance>,
): void {
  const { record } = material
  const contenderIds = new Set(record.contenders.map((contender) => contender.id))
  const problems: Problem[] = [
    ...repeated(material.utterances.map((utterance) => utterance.id)).map((id) => ({
      where: id,
      what: 'stands in the plan more than once',
    })),
    ...repeated(material.requests.map((request) => String(request.index))).map((index) => ({
      where: `request ${index}`,
      what: 'stands in the plan more than once',
    })),
  ]
  for (const request of material.requests) {
    const where = `request ${request.index}`
    if (!utterances.has(request.utteranceId)) {
      problems.push({
        where,
        what: `asks for utterance ${request.utteranceId}, which the plan does not list`,
      })
    }
    if (!contenderIds.has(request.contenderId)) {
      problems.push({ where, what: `asks contender ${request.contenderId}, which run.json does not list` })
    }
  }
  if (problems.length === 0) return
  throw analysisErrors.make('RUN_INCONSISTENT', {
    message: `the files of run ${record.id} contradict each other`,
    hint: 'measure again, or restore the run folder from a copy',
    problems,
  })
}

function repeated(values: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const value of values) {
    if (seen.has(value)) twice.add(value)
    seen.add(value)
  }
  return [...twice]
}
