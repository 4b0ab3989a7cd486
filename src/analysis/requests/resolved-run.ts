import type { NoSpeechRule, RequestFailure } from '#contract'
import type {
  AttemptLine,
  PlannedRequest,
  PlannedUtterance,
  RecordedContender,
  ReusedLine,
  RunRecord,
} from '#journal'
import { lazyRows, mapRows, type Problem, type Rows } from '#prelude'
import type { AttemptStatus } from '../documents/utterance-evaluation.ts'
import { analysisErrors } from '../errors.ts'
import { outcomesOf, type RequestOutcomes, statuses } from './request-outcomes.ts'
import type { RunMaterial } from './run-material.ts'

/** One planned request with what became of it. */
export interface ResolvedRequest {
  readonly request: PlannedRequest
  readonly utterance: PlannedUtterance
  /** Index of the utterance among those of the run. */
  readonly utterancePlace: number
  /** The last attempt, or null where none was made. */
  readonly attempt: AttemptLine | null
  /** Where the waiting for the last one began: the first attempt since the run was last resumed. */
  readonly first: AttemptLine | null
  /** The answer of an earlier run that is scored instead; null where the request was sent, or not answered at all. */
  readonly reused: ReusedLine | null
  readonly attemptCount: number
  /** How often it was sent again other than after a pause for a rate limit. */
  readonly repeatCount: number
  readonly status: AttemptStatus
  /** The answer's text, '' for an answer that said "no speech"; null unless scored. */
  readonly hypothesis: string | null
  readonly saidNoSpeech: boolean
  /** Also of an answer that said so by a refusal; null for every other answer. */
  readonly failure: RequestFailure | null
}

/** The part of a run that belongs to one contender. */
export interface ResolvedContender {
  readonly contender: RecordedContender
  /** Of the run, whether it was asked about them or not. */
  readonly utterances: readonly PlannedUtterance[]
  /** Measured requests in the order of the plan; the warm-up is not among them. */
  readonly requests: Rows<ResolvedRequest>
  /** Every sending while measuring, repeats included, in the order of the journal. */
  readonly sendings: Rows<AttemptLine>
  readonly warmup: readonly AttemptLine[]
  /** Answers of earlier runs to its requests. */
  readonly reused: readonly ReusedLine[]
}

export interface ResolvedRun {
  readonly record: RunRecord
  readonly utterances: ReadonlyMap<string, PlannedUtterance>
  readonly contenders: readonly ResolvedContender[]
  /** Attempts of requests that the plan does not have. */
  readonly strayAttemptCount: number
}

/**
 * Matches the journal with the plan: every planned request gets exactly one outcome.
 *
 * @param noSpeech which answers mean that no speech was heard
 * @throws BenchError RUN_INCONSISTENT with all contradictions between the run's files
 */
export function resolveRun(material: RunMaterial, noSpeech: readonly NoSpeechRule[]): ResolvedRun {
  const utterances = new Map(material.utterances.map((utterance) => [utterance.id, utterance]))
  refuseContradictions(material, utterances)
  const outcomes = outcomesOf(material, noSpeech)
  const { requests, attempts } = material
  const run = { ...material, outcomes, asked: askedUtterances(material) }
  const own = attempts.filter((_, position) => outcomes.isOfPlan(position))
  const contenders = material.record.contenders.map((contender): ResolvedContender => {
    const places = placesOf(
      requests,
      ({ phase, contenderId }) => phase === 'measure' && contenderId === contender.id,
    )
    return {
      contender,
      utterances: material.utterances,
      requests: lazyRows(places.length, (row) => new RequestWithOutcome(run, places[row] as number)),
      sendings: own.filter(({ phase, contenderId }) => phase === 'measure' && contenderId === contender.id),
      reused: (material.reused ?? []).filter(({ contenderId }) => contenderId === contender.id),
      warmup: [...own.filter(({ phase, contenderId }) => phase === 'warmup' && contenderId === contender.id)],
    }
  })
  return {
    record: material.record,
    utterances,
    contenders,
    strayAttemptCount: attempts.length - own.length,
  }
}

/** The utterances that its requests are about, of those requests that hold; each once, as the plan lists them. */
export function utterancesOf(
  { requests, utterances }: Pick<ResolvedContender, 'requests' | 'utterances'>,
  holds: (request: ResolvedRequest) => boolean = () => true,
): readonly PlannedUtterance[] {
  const isAsked = new Uint8Array(utterances.length)
  for (const request of requests) if (holds(request)) isAsked[request.utterancePlace] = 1
  return utterances.filter((_, place) => isAsked[place] === 1)
}

function placesOf(requests: Rows<PlannedRequest>, holds: (request: PlannedRequest) => boolean): Uint32Array {
  const places = new Uint32Array(requests.length)
  let [count, place] = [0, 0]
  for (const request of requests) {
    if (holds(request)) {
      places[count] = place
      count += 1
    }
    place += 1
  }
  return count === requests.length ? places : places.slice(0, count)
}

interface RequestsWithOutcomes extends Pick<RunMaterial, 'requests' | 'attempts'> {
  readonly outcomes: RequestOutcomes
  readonly utterances: readonly PlannedUtterance[]
  /** Places of utterances, by the place of a request in the plan. */
  readonly asked: Uint32Array
}

function askedUtterances({ requests, utterances }: RunMaterial): Uint32Array {
  const places = new Map(utterances.map(({ id }, place) => [id, place]))
  const asked = new Uint32Array(requests.length)
  let place = 0
  for (const { utteranceId } of requests) {
    asked[place] = places.get(utteranceId) ?? 0
    place += 1
  }
  return asked
}

/**
 * A request with its outcome, assembled when it is read. A class because there may be a million of them, each
 * read a dozen times, and as separate objects they would need more memory than the journal.
 */
class RequestWithOutcome implements ResolvedRequest {
  readonly #run: RequestsWithOutcomes
  readonly #place: number

  constructor(run: RequestsWithOutcomes, place: number) {
    this.#run = run
    this.#place = place
  }

  get request(): PlannedRequest {
    return this.#run.requests.at(this.#place) as PlannedRequest
  }
  get utterance(): PlannedUtterance {
    return this.#run.utterances[this.utterancePlace] as PlannedUtterance
  }
  get utterancePlace(): number {
    return this.#run.asked[this.#place] as number
  }
  get attempt(): AttemptLine | null {
    return this.#attemptAt(this.#run.outcomes.last)
  }
  get first(): AttemptLine | null {
    return this.#attemptAt(this.#run.outcomes.first)
  }
  get reused(): ReusedLine | null {
    return this.#run.outcomes.reusedAt(this.#place)
  }
  get attemptCount(): number {
    return this.#run.outcomes.attemptCount(this.#place)
  }
  get repeatCount(): number {
    return Math.max(0, this.attemptCount - this.#run.outcomes.pausedCount(this.#place) - 1)
  }
  get status(): AttemptStatus {
    return statuses[this.#run.outcomes.statuses[this.#place] as number] as AttemptStatus
  }
  get hypothesis(): string | null {
    if (this.status !== 'scored') return null
    const outcome = this.#outcome()
    return outcome?.ok === true ? outcome.answer.text : ''
  }
  get saidNoSpeech(): boolean {
    return this.#run.outcomes.saidNoSpeech[this.#place] === 1
  }
  get failure(): RequestFailure | null {
    const { status } = this
    const outcome = this.#outcome()
    const isKnown = status === 'failed' || status === 'scored'
    return !isKnown || outcome === undefined || outcome.ok ? null : outcome.failure
  }

  #outcome(): AttemptLine['outcome'] | undefined {
    return (this.attempt ?? this.reused)?.outcome
  }

  #attemptAt(places: Uint32Array): AttemptLine | null {
    const at = places[this.#place] as number
    return at === 0 ? null : (this.#run.attempts.at(at - 1) as AttemptLine)
  }
}

function refuseContradictions(
  material: RunMaterial,
  utterances: ReadonlyMap<string, PlannedUtterance>,
): void {
  const { record } = material
  const contenderIds = new Set(record.contenders.map((contender) => contender.id))
  const problems: Problem[] = [
    ...repeated(material.utterances.map(({ id }) => id)).map((id) => ({
      where: id,
      what: 'is in the plan more than once',
    })),
    ...repeated(mapRows(material.requests, ({ index }) => index)).map((index) => ({
      where: `request ${index}`,
      what: 'is in the plan more than once',
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

function repeated<Value extends number | string>(values: Rows<Value>): readonly Value[] {
  if (values.every((value, place) => value === place)) return []
  const seen = new Set<Value>()
  const twice = new Set<Value>()
  for (const value of values) {
    if (seen.has(value)) twice.add(value)
    seen.add(value)
  }
  return [...twice]
}
