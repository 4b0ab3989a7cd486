import { z } from 'zod'
import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { RecordedContender, RunRecord } from '#journal/run-record'
import type { TelemetryLine } from '#journal/telemetry-line'
import { type LoadShape, makeSchedule } from '#load/loads/registry'
import type { Schedule } from '#load/schedule'
import { sumOf } from '#prelude'
import type { LoadPhase } from '../documents/contender-evaluation.ts'
import type { EvaluatedLoad, EvaluatedTarget } from '../documents/evaluation.ts'
import type { ResolvedContender, ResolvedRequest } from './resolved-run.ts'

export function evaluatedLoad(
  record: Pick<RunRecord, 'load' | 'seed' | 'corpus' | 'contenders'>,
): EvaluatedLoad {
  const { load, seed, corpus, contenders } = record
  const meanAudioSeconds = corpus.audioSeconds / corpus.utteranceCount
  const schedule = makeSchedule(load, { seed, meanAudioSeconds })
  return {
    kind: load.kind,
    description: ownLoadWords(load, contenders) ?? schedule.describe(meanAudioSeconds),
    concurrency: load.kind === 'closed' ? load.concurrency : null,
    latencyCountsFrom: schedule.latencyCountsFrom,
  }
}

/** Returns the load of one contender, with its own number of requests in flight if it has one. */
export function loadOfContender(load: EvaluatedLoad, { concurrency }: RecordedContender): EvaluatedLoad {
  if (concurrency === undefined) return load
  return { ...load, description: closedWords([concurrency]), concurrency }
}

export function shapeOfContender(load: LoadShape, { concurrency }: RecordedContender): LoadShape {
  return concurrency === undefined ? load : { kind: 'closed', concurrency }
}

/** Returns null where all contenders have the load of the run. */
function ownLoadWords(load: LoadShape, contenders: readonly RecordedContender[]): string | null {
  if (load.kind !== 'closed' || contenders.every(({ concurrency }) => concurrency === undefined)) return null
  return closedWords(contenders.map(({ concurrency = load.concurrency }) => concurrency))
}

function closedWords(counts: readonly number[]): string {
  const distinct = [...new Set(counts)].sort((a, b) => a - b)
  return `closed, ${distinct.join(' or ')} in flight`
}

export function loadPhases(
  resolved: ResolvedContender,
  { load, seed, corpus, config }: Pick<RunRecord, 'load' | 'seed' | 'corpus' | 'config'>,
): readonly LoadPhase[] {
  const meanAudioSeconds = corpus.audioSeconds / corpus.utteranceCount
  const schedule = makeSchedule(shapeOfContender(load, resolved.contender), { seed, meanAudioSeconds })
  const seconds = schedule.phases.flatMap((phase) => phase.seconds ?? [])
  // In merged runs, the number of repetitions of a steady load is unknown.
  const isTimed = seconds.length > 1 || (seconds.length === 1 && resolved.contender.merged === undefined)
  if (!isTimed) return [untimedPhase(resolved, schedule)]
  return timedPhases(resolved, schedule, { seconds, rounds: configuredRounds({ config, rounds: 1 }) })
}

/** Returns the configured number of rounds. A record counts passes over the corpus, which one round may repeat. */
export function configuredRounds({ config, rounds }: Pick<RunRecord, 'config' | 'rounds'>): number {
  return z.object({ rounds: z.number() }).safeParse(config).data?.rounds ?? rounds
}

/** Names a part of a block between two resumptions of the run. */
function nameStretch(line: { readonly block: number; readonly segment?: number | undefined }): string {
  const { block, segment = 0 } = line
  return `${block} ${segment}`
}

function timedPhases(
  { requests, sendings }: ResolvedContender,
  { phases }: Schedule,
  { seconds, rounds }: { readonly seconds: readonly number[]; readonly rounds: number },
): readonly LoadPhase[] {
  const times = phaseTimes(requests, seconds, rounds)
  const dueMs = new Map(requests.map(({ request }) => [request.index, dueAtMs(request)]))
  const offered = Map.groupBy(dueMs.values(), times.phaseAt)
  const sentMs = timesOfSendings(sendings, dueMs)
  const sent = Map.groupBy(sentMs, times.phaseAt)
  const covered = coveredMs(requests, times)
  // Delayed requests may leave after the end, so the last phase is longer by that time.
  const laterMs = sentMs.reduce((latest, atMs) => Math.max(latest, atMs), times.endMs) - times.endMs
  return phases.map(({ description }, phase) => ({
    description,
    offered: inTime(offered.get(phase)?.length ?? 0, (seconds[phase] ?? 0) * times.repetitions),
    sent: inTime(
      sent.get(phase)?.length ?? 0,
      ((covered.get(phase) ?? 0) + (phase === phases.length - 1 ? laterMs : 0)) / 1000,
    ),
  }))
}

/** The phases of each block, in milliseconds from its start. */
interface PhaseTimes {
  /** How often the contender was sent the whole load. */
  readonly repetitions: number
  readonly endMs: number
  spanOf(phase: number): { readonly fromMs: number; readonly untilMs: number }
  /** The phase at a time; the last one after the end. */
  phaseAt(atMs: number): number
}

/** A steady load is cut into blocks of equal length, whose due times the plan has; any other one is whole in each block. */
function phaseTimes(
  requests: readonly ResolvedRequest[],
  seconds: readonly number[],
  rounds: number,
): PhaseTimes {
  const blockCount = new Set(requests.map(({ request }) => request.block)).size
  const repetitions = seconds.length > 1 ? blockCount : rounds
  const share = repetitions / Math.max(1, blockCount)
  let endMs = 0
  const endsMs = seconds.map((length) => {
    endMs += 1000 * length * share
    return endMs
  })
  return {
    repetitions,
    endMs,
    spanOf: (phase) => ({ fromMs: endsMs[phase - 1] ?? 0, untilMs: endsMs[phase] ?? 0 }),
    phaseAt(atMs) {
      const found = endsMs.findIndex((end) => atMs < end)
      return found < 0 ? endsMs.length - 1 : found
    },
  }
}

function dueAtMs({ send }: PlannedRequest): number {
  return send?.kind === 'due' ? send.dueAtMs : 0
}

/**
 * Adds up the time of each phase in which requests were sent. Of a phase of a block that was not sent whole, it counts
 * until the last sent request was due.
 */
function coveredMs(requests: readonly ResolvedRequest[], times: PhaseTimes): ReadonlyMap<number, number> {
  const parts = new Map<string, { readonly phase: number; untilMs: number; isWhole: boolean }>()
  for (const { request, attempt } of requests) {
    const atMs = dueAtMs(request)
    const phase = times.phaseAt(atMs)
    const key = `${request.block} ${phase}`
    const part = parts.get(key) ?? { phase, untilMs: times.spanOf(phase).fromMs, isWhole: true }
    parts.set(key, part)
    if (attempt === null) part.isWhole = false
    else part.untilMs = Math.max(part.untilMs, atMs)
  }
  const covered = new Map<number, number>()
  for (const { phase, untilMs, isWhole } of parts.values()) {
    const span = times.spanOf(phase)
    covered.set(phase, (covered.get(phase) ?? 0) + (isWhole ? span.untilMs : untilMs) - span.fromMs)
  }
  return covered
}

/**
 * Returns when each request was sent, in milliseconds from the planned start of its block. In a resumed run, the due
 * times of the rest of a block count from its shifted start, which its first attempts show.
 */
function timesOfSendings(
  sendings: readonly AttemptLine[],
  dueMs: ReadonlyMap<number, number>,
): readonly number[] {
  const zeroMs = new Map<string, number>()
  for (const { attempt, pacedMs, index, dueAtMs: dueInRunMs, ...stretch } of sendings) {
    if (attempt > 1 || pacedMs !== undefined) continue
    const key = nameStretch(stretch)
    const ownMs = dueInRunMs - (dueMs.get(index) ?? 0)
    zeroMs.set(key, Math.min(zeroMs.get(key) ?? Number.POSITIVE_INFINITY, ownMs))
  }
  return sendings.map(({ index, sentAtMs, ...stretch }) => {
    const zero = zeroMs.get(nameStretch(stretch))
    return zero === undefined ? (dueMs.get(index) ?? 0) : sentAtMs - zero
  })
}

/** Returns the whole of a load without a length, up to its last sending, or its last answer if it waits for answers. */
function untimedPhase({ requests, sendings }: ResolvedContender, { phases }: Schedule): LoadPhase {
  const planned = new Map<string, { fromMs: number; untilMs: number }>()
  const sent = new Map<string, { fromMs: number; untilMs: number }>()
  const widen = (spans: typeof sent, key: string, fromMs: number, untilMs: number): void => {
    const span = spans.get(key) ?? { fromMs, untilMs }
    spans.set(key, { fromMs: Math.min(span.fromMs, fromMs), untilMs: Math.max(span.untilMs, untilMs) })
  }
  for (const { request } of requests) {
    if (request.send?.kind !== 'due') continue
    widen(planned, nameStretch({ block: request.block }), request.send.dueAtMs, request.send.dueAtMs)
  }
  const isPlanned = planned.size > 0
  for (const { sentAtMs, endedAtMs, ...stretch } of sendings)
    widen(sent, nameStretch(stretch), sentAtMs, isPlanned ? sentAtMs : endedAtMs)
  const secondsOf = (spans: typeof sent): number =>
    sumOf([...spans.values()], ({ fromMs, untilMs }) => untilMs - fromMs) / 1000
  return {
    description: phases[0]?.description ?? '',
    // n arrivals have n - 1 intervals in each block.
    offered: isPlanned
      ? inTime(requests.length, secondsOf(planned), planned.size)
      : { requestCount: requests.length, seconds: null, requestsPerSecond: null },
    sent: inTime(sendings.length, secondsOf(sent), isPlanned ? sent.size : 0),
  }
}

function inTime(requestCount: number, seconds: number, lessCount = 0): LoadPhase['offered'] {
  const requestsPerSecond = seconds > 0 ? Math.max(0, requestCount - lessCount) / seconds : null
  return { requestCount, seconds, requestsPerSecond }
}

/** Returns the targets of a run; undefined in a run with one target. */
export function evaluatedTargets(
  record: Pick<RunRecord, 'targets' | 'contenders'>,
): readonly EvaluatedTarget[] | undefined {
  const { targets, contenders } = record
  return targets?.map(({ id, kind, baseUrl, health, machine, roundTripMs }) => ({
    id,
    kind,
    baseUrl,
    machine,
    roundTripMs,
    serviceVersion: health?.app_version ?? null,
    contenderIds: contenders.filter(({ target }) => target === id).map((contender) => contender.id),
  }))
}

const unseen = {
  serverCpuSeconds: null,
  serverResidentBytes: null,
  serverPeakResidentBytes: null,
  serverThreadCount: null,
  serverProcessCount: null,
}

/** Returns the samples with the values of the server that answered a contender. */
export function pickTelemetry(
  { target }: Pick<RecordedContender, 'target'>,
  telemetry: readonly TelemetryLine[],
): readonly TelemetryLine[] {
  if (target === undefined) return telemetry
  return telemetry.map((line) => ({ ...line, ...(line.servers?.[target] ?? unseen) }))
}
