import { isDeepStrictEqual } from 'node:util'
import { hiddenSettings } from '#analysis/figures/machine/conditions'
import type { AttemptLine, ReusedLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { RecordedRun } from '#journal/run-reader'
import type { RunRecord } from '#journal/run-record'
import type { TelemetryLine } from '#journal/telemetry-line'
import type { Problem } from '#prelude'
import { resultsErrors } from './errors.ts'

/** A run with the offsets of its numbers and times in the merged run. */
export interface PlacedRun {
  readonly host: string
  readonly run: RecordedRun
  /** Offset added to the segment numbers of this run. */
  readonly segmentOffset: number
  readonly requestOffset: number
  readonly blockOffset: number
  /** Number of rounds in earlier runs of the same host. */
  readonly roundOffset: number
  readonly timeOffsetMs: number
}

/** Gap in milliseconds between two hosts, whose clocks are unrelated; longer than closing any request takes. */
const gapMs = 1000

export interface MergedKind {
  /** Whether the runs are parts of one plan, which share its rounds and may all be of one host. */
  readonly areParts: boolean
}

/** Arranges runs one after the other: numbers and times of each begin after those of the previous one. */
export function placeRuns(
  runs: readonly { readonly host: string; readonly run: RecordedRun }[],
  { areParts }: MergedKind,
): readonly PlacedRun[] {
  const placed: PlacedRun[] = []
  const next = { segmentOffset: 0, requestOffset: 0, blockOffset: 0, timeOffsetMs: 0 }
  const rounds = new Map<string, number>()
  for (const { host, run } of runs) {
    placed.push({ host, run, ...next, roundOffset: areParts ? 0 : (rounds.get(host) ?? 0) })
    rounds.set(host, (rounds.get(host) ?? 0) + run.record.rounds)
    next.segmentOffset += 1 + (run.record.resumedAt?.length ?? 0)
    next.requestOffset += 1 + run.requests.reduce((most, { index }) => Math.max(most, index), -1)
    next.blockOffset += 1 + run.requests.reduce((most, { block }) => Math.max(most, block), -1)
    const lastMs = run.attempts.reduce((most, { endedAtMs }) => Math.max(most, endedAtMs), 0)
    next.timeOffsetMs += Math.max(lastMs, run.telemetry.at(-1)?.atMs ?? 0) + gapMs
  }
  return placed
}

export function contenderOnHost(contenderId: string, host: string): string {
  return `${contenderId}@${host}`
}

export function* mergedRequests(runs: readonly PlacedRun[]): Iterable<PlannedRequest> {
  for (const placed of runs) for (const request of placed.run.requests) yield renumbered(request, placed)
}

function renumbered<Line extends Pick<PlannedRequest, 'index' | 'block' | 'round' | 'contenderId'>>(
  line: Line,
  { host, requestOffset, blockOffset, roundOffset }: PlacedRun,
): Line {
  const { index, block, round, contenderId } = line
  return {
    ...line,
    index: index + requestOffset,
    // The warm-up has no block and no round.
    block: block < 0 ? block : block + blockOffset,
    round: round === 0 ? 0 : round + roundOffset,
    contenderId: contenderOnHost(contenderId, host),
  }
}

export function mergedReused(runs: readonly PlacedRun[]): readonly ReusedLine[] {
  return runs.flatMap(({ host, run, requestOffset }) =>
    run.reused.map((line) => ({
      ...line,
      index: line.index + requestOffset,
      contenderId: contenderOnHost(line.contenderId, host),
    })),
  )
}

export function* mergedAttempts(runs: readonly PlacedRun[]): Iterable<AttemptLine> {
  for (const placed of runs) for (const attempt of placed.run.attempts) yield mergedAttempt(attempt, placed)
}

function mergedAttempt(attempt: AttemptLine, placed: PlacedRun): AttemptLine {
  const { segmentOffset, timeOffsetMs } = placed
  const { segment = 0, socket, firstByteAtMs } = attempt
  const later = (ms: number): number => roundedMs(ms + timeOffsetMs)
  return {
    ...renumbered(attempt, placed),
    segment: segment + segmentOffset,
    dueAtMs: later(attempt.dueAtMs),
    sentAtMs: later(attempt.sentAtMs),
    firstByteAtMs: firstByteAtMs === null ? null : later(firstByteAtMs),
    endedAtMs: later(attempt.endedAtMs),
    ...(socket === undefined
      ? {}
      : {
          socket: {
            ...socket,
            startedAtMs: later(socket.startedAtMs),
            uploadedAtMs: socket.uploadedAtMs === null ? null : later(socket.uploadedAtMs),
          },
        }),
  }
}

/** Rounds to microseconds like a journal, because sums of binary fractions have more digits. */
function roundedMs(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

export function* mergedTelemetry(runs: readonly PlacedRun[]): Iterable<TelemetryLine> {
  for (const { host, run, segmentOffset, timeOffsetMs } of runs) {
    for (const line of run.telemetry) {
      const { serverCpuSeconds, serverResidentBytes, serverPeakResidentBytes } = line
      const { serverThreadCount, serverProcessCount, segment = 0 } = line
      const memory = { serverResidentBytes, serverPeakResidentBytes }
      const server = { serverCpuSeconds, ...memory, serverThreadCount, serverProcessCount }
      yield {
        ...line,
        atMs: roundedMs(line.atMs + timeOffsetMs),
        segment: segment + segmentOffset,
        servers: { [host]: server },
      }
    }
  }
}

export interface HostRun {
  readonly host: string
  readonly record: RunRecord
}

/** Facts that must be equal in all runs, each with a name and its displayed value. */
const facts: readonly {
  readonly name: string
  value(record: RunRecord): unknown
  show(record: RunRecord): string
}[] = [
  {
    name: 'corpus',
    value: ({ corpus }) => corpus.fingerprint,
    show: ({ corpus }) => `${corpus.name} (${corpus.fingerprint.slice(0, 12)})`,
  },
  {
    name: 'normalisation',
    value: ({ scoringProfile, scoringRules, noSpeech }) => ({ scoringProfile, scoringRules, noSpeech }),
    show: ({ scoringProfile, scoringRules }) =>
      `${scoringProfile}${scoringRules === undefined ? '' : ' with rules of the config'}`,
  },
  { name: 'load', value: ({ load }) => load, show: ({ load }) => JSON.stringify(load) },
  { name: 'rounds', value: ({ rounds }) => rounds, show: ({ rounds }) => String(rounds) },
  {
    name: 'workload',
    value: ({ workload = 'transcribe' }) => workload,
    show: ({ workload = 'transcribe' }) => workload,
  },
  {
    name: 'contenders',
    value: ({ contenders }) =>
      contenders.map(({ id, engine, model, language }) => ({ id, engine, model, language })),
    show: ({ contenders }) =>
      contenders.map(({ id, engine, model }) => `${id} (${engine}, ${model})`).join(', '),
  },
]

/**
 * Checks that runs are one measurement on several hosts. Every run is compared with the first.
 *
 * @throws BenchError MERGE_MISMATCH with everything that differs
 */
export function refuseUnlike(runs: readonly [HostRun, ...HostRun[]], { areParts }: MergedKind): void {
  const [first] = runs
  const problems = [...runs.flatMap(ownProblems), ...hostProblems(runs, areParts)]
  for (const run of runs.slice(1)) {
    for (const { name, value, show } of facts) {
      if (isDeepStrictEqual(value(run.record), value(first.record))) continue
      problems.push({
        where: run.record.id,
        what: `${name}: ${show(run.record)}; ${first.record.id} has ${show(first.record)}`,
      })
    }
    for (const { key, base, run: setting } of hiddenSettings([first.record], [run.record])) {
      // Properties that a service reports about itself may differ by host.
      if (key.startsWith('service.')) continue
      problems.push({ where: run.record.id, what: `${key}: ${setting}; ${first.record.id} has ${base}` })
    }
  }
  if (problems.length === 0) return
  throw resultsErrors.make('MERGE_MISMATCH', {
    message: 'these runs are not one measurement on several hosts; nothing was written',
    hint: 'measure with the same config and corpus on every host: transcribench run <config>',
    problems,
  })
}

function ownProblems({ record }: HostRun): readonly Problem[] {
  const { id, status, targets, hosts } = record
  const faults = [
    ...(status === 'finished' ? [] : [`has the status ${status}: its plan is not complete`]),
    ...(hosts === undefined ? [] : ['is merged already: name the runs that it was made of']),
    ...(targets === undefined || hosts !== undefined ? [] : ['has several targets itself']),
  ]
  return faults.map((each) => ({ where: id, what: each }))
}

function hostProblems(runs: readonly HostRun[], areParts: boolean): readonly Problem[] {
  const ids = runs.map(({ record }) => record.id)
  const repeated = [...new Set(ids.filter((id, place) => ids.indexOf(id) !== place))]
  const hosts = new Set(runs.map(({ host }) => host))
  return [
    ...repeated.map((id) => ({ where: id, what: 'is named more than once' })),
    ...(hosts.size > 1 || areParts
      ? []
      : [{ where: null, what: 'there is one host: a merge needs two or more' }]),
  ]
}
