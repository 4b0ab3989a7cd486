import { expect, test } from 'vitest'
import { type CompareOptions, compareSides } from '#analysis/comparison/compare-runs'
import type { Comparison } from '#analysis/documents/comparison'
import type { Evaluation } from '#analysis/documents/evaluation'
import type { Finding } from '#analysis/documents/finding'
import { evaluateRun } from '#analysis/evaluate-run'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import type { RequestFailure } from '#contract/failures'
import type { AttemptAnswer, AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest, PlannedUtterance } from '#journal/plan-line'
import type { RunRecord } from '#journal/run-record'
import { aRecord } from '../journal/a-run.ts'

/** A text with the times of its words. */
export interface TimedFate extends Pick<AttemptAnswer, 'text' | 'times'> {
  readonly kind: 'timed'
}

/** What became of one request: a text, a failure, or nothing because it was never sent. */
export type Fate = string | TimedFate | RequestFailure | null

export interface SpokenUtterance {
  readonly id: string
  readonly reference: string
  readonly seconds?: number
  readonly speaker?: string
  readonly sha256?: string
  readonly language?: string | null
  readonly keywords?: readonly string[]
  readonly entities?: PlannedUtterance['entities']
  readonly times?: PlannedUtterance['times']
  readonly derived?: PlannedUtterance['derived']
}

export interface ScriptedRun {
  readonly utterances: readonly SpokenUtterance[]
  readonly contenders?: readonly string[]
  readonly rounds?: number
  readonly concurrency?: number
  readonly record?: Partial<RunRecord>
  fate(request: { contenderId: string; utterance: SpokenUtterance; round: number }): Fate
  /** Service time; default: 100 ms. */
  durationMs?(request: { contenderId: string; utterance: SpokenUtterance; round: number }): number
}

/** So many of one text, `u0` and on. */
export function spokenUtterances(
  count: number,
  reference: string,
  more: Partial<SpokenUtterance> | ((index: number) => Partial<SpokenUtterance>) = {},
): SpokenUtterance[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `u${index}`,
    reference,
    ...(typeof more === 'function' ? more(index) : more),
  }))
}

/** The evaluation of a played run. */
export function evaluatedRun(run: ScriptedRun, options?: Parameters<typeof evaluateRun>[1]): Evaluation {
  return evaluateRun(measuredRun(run), options)
}

/** The comparison of two sides; throws the reasons where they are not comparable. */
export function compared(
  base: readonly RunMaterial[],
  run: readonly RunMaterial[],
  options?: CompareOptions,
): Comparison {
  const outcome = compareSides(base, run, options)
  if (!outcome.ok) throw outcome.failure
  return outcome.value
}

/** The only one of a list. */
export function only<Item>(items: readonly Item[]): Item {
  const [item] = items
  if (item === undefined || items.length > 1) throw new Error(`expected one, not ${items.length}`)
  return item
}

export const times = <Item>(count: number, item: (index: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, index) => item(index))

/** Tests what comes of each number, on both sides of a limit. */
export function atLimit(
  behaviour: string,
  wanted: Readonly<Record<number, number>>,
  resultOf: (value: number) => number,
): void {
  test(behaviour, () => {
    const results = Object.keys(wanted).map((value) => [value, resultOf(Number(value))])
    expect(Object.fromEntries(results)).toEqual(wanted)
  })
}

/** What has findings, or a run that is evaluated for them. */
type WithFindings = Pick<Evaluation, 'findings'> | RunMaterial

const findingsOf = (from: WithFindings): Evaluation['findings'] =>
  'findings' in from ? from.findings : evaluateRun(from).findings

export const codesIn = (from: WithFindings): readonly string[] => findingsOf(from).map(({ code }) => code)

export const findingIn = (from: WithFindings, wanted: string): Finding | undefined =>
  findingsOf(from).find(({ code }) => code === wanted)

/** With its lines at hand, as those read from a disk are not. */
export interface PlayedRun extends RunMaterial {
  readonly requests: readonly PlannedRequest[]
  readonly attempts: readonly AttemptLine[]
}

/**
 * Plays a closed schedule without a clock: as many workers as requests in flight, each taking the next request
 * of the block when its last one has ended. Blocks follow each other, one per contender and round.
 */
export function measuredRun(run: ScriptedRun): PlayedRun {
  const { contenders = ['tiny'], rounds = 1, concurrency = 1 } = run
  const requests: PlannedRequest[] = []
  const attempts: AttemptLine[] = []
  let block = 0
  let nowMs = 0
  for (let round = 1; round <= rounds; round += 1) {
    for (const contenderId of contenders) {
      const workers = Array.from({ length: concurrency }, () => nowMs)
      for (const utterance of run.utterances) {
        const place = { phase: 'measure', round, block, contenderId, utteranceId: utterance.id } as const
        const send = { kind: 'next' } as const
        const request: PlannedRequest = { kind: 'request', index: requests.length, ...place, send }
        requests.push(request)
        const asked = { contenderId, utterance, round }
        const fate = run.fate(asked)
        if (fate === null) continue
        const worker = workers.indexOf(Math.min(...workers))
        const sentAtMs = workers[worker] ?? 0
        const endedAtMs = sentAtMs + (run.durationMs?.(asked) ?? 100)
        workers[worker] = endedAtMs
        attempts.push(attemptOf(request, utterance, fate, sentAtMs, endedAtMs))
      }
      nowMs = Math.max(...workers)
      block += 1
    }
  }
  const record = recordOf(run, contenders, rounds, concurrency)
  return { record, utterances: run.utterances.map(planned), requests, attempts }
}

/** The same run after one request to each contender that warms it up, at the given times. */
export function warmedUp(
  run: RunMaterial,
  { sentAtMs, endedAtMs }: { sentAtMs: number; endedAtMs: number },
): RunMaterial {
  const place = { phase: 'warmup', round: 0, block: -1 } as const
  const [requests, attempts]: [PlannedRequest[], AttemptLine[]] = [[], []]
  for (const [nth, { id }] of run.record.contenders.entries()) {
    const index = run.requests.length + nth
    const request = run.requests.find(({ contenderId }) => contenderId === id)
    const attempt = run.attempts.find(({ contenderId }) => contenderId === id)
    if (request !== undefined) requests.push({ ...request, ...place, index })
    if (attempt !== undefined) attempts.push({ ...attempt, ...place, index, sentAtMs, endedAtMs })
  }
  return { ...run, requests: [...requests, ...run.requests], attempts: [...attempts, ...run.attempts] }
}

function recordOf(
  run: ScriptedRun,
  contenders: readonly string[],
  rounds: number,
  concurrency: number,
): RunRecord {
  return {
    ...aRecord,
    status: 'finished',
    endedAt: '2026-11-21T07:32:02.000Z',
    rounds,
    load: { kind: 'closed', concurrency },
    contenders: contenders.map((id) => ({
      id,
      engine: 'moonshine',
      model: id,
      language: 'en',
      patchedMode: null,
    })),
    corpus: { ...aRecord.corpus, utteranceCount: run.utterances.length },
    ...run.record,
  }
}

function planned({
  seconds = 2,
  sha256,
  language = 'en',
  speaker,
  ...spoken
}: SpokenUtterance): PlannedUtterance {
  return {
    kind: 'utterance',
    ...spoken,
    durationSeconds: seconds,
    sha256: sha256 ?? spoken.id.padEnd(64, '0'),
    language,
    speaker: speaker ?? null,
    tags: [],
    source: null,
    audio: `audio/${spoken.id}.wav`,
  }
}

function attemptOf(
  request: PlannedRequest,
  { seconds = 2 }: SpokenUtterance,
  fate: Exclude<Fate, null>,
  sentAtMs: number,
  endedAtMs: number,
): AttemptLine {
  const { index, phase, round, block, contenderId, utteranceId } = request
  const answered = typeof fate === 'string' ? { text: fate } : fate.kind === 'timed' ? fate : null
  const answer = {
    text: answered?.text ?? '',
    rawText: null,
    engine: 'moonshine',
    model: contenderId,
    language: 'en',
    serverLoadMs: 0,
    serverDecodeMs: endedAtMs - sentAtMs - 10,
    serverLatencyMs: endedAtMs - sentAtMs - 5,
    ...(answered !== null && 'times' in answered ? { times: answered.times } : {}),
  }
  return {
    index,
    phase,
    round,
    block,
    contenderId,
    utteranceId,
    attempt: 1,
    modeId: null,
    transport: 'path',
    audioSeconds: seconds,
    bodyBytes: 80,
    dueAtMs: sentAtMs,
    sentAtMs,
    firstByteAtMs: answered === null ? null : endedAtMs - 1,
    endedAtMs,
    outcome:
      typeof fate === 'string' || fate.kind === 'timed' ? { ok: true, answer } : { ok: false, failure: fate },
  }
}

export const timedOut: RequestFailure = { kind: 'timedOut', afterMs: 1000, during: 'waiting' }
export const dropped: RequestFailure = { kind: 'dropped' }
export const heardNothing: RequestFailure = {
  kind: 'refused',
  code: 'TRANSCRIPTION_FAILED',
  message: 'No speech detected in audio.',
  hint: null,
  httpStatus: 422,
}

/** Every path of a document at which there is something that JSON cannot carry or a reader cannot trust. */
export function unsoundPaths(value: unknown, path = '$'): readonly string[] {
  if (value === undefined) return [`${path} is undefined`]
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [`${path} is ${value}`]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => unsoundPaths(inner, `${path}.${key}`))
}

/** How a threshold writes the unit of a metric. */
export const unitWritten = {
  rate: '%',
  rateDifference: 'pp',
  relativeDifference: '%',
  ms: 'ms',
  times: 'x',
  ratio: '',
  megabytesPerHour: 'MB',
  joulesPerHour: 'J',
}
