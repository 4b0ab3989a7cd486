import type { BenchConfig } from '#config/bench-config'
import type { PlannedUtterance } from '#journal/plan-line'
import type { RunWriter } from '#journal/run-writer'
import type { TelemetryLine } from '#journal/telemetry-line'
import type { Clock } from '#load/clock'
import { counted } from '#prelude'
import type { RunEvent } from '#run/execute/lane'
import type { OpenedCorpus } from '#run/inputs'
import type { MeasurePlan } from '#run/plan/measure-plan'
import type { AnyTarget } from '#run/target/open-server'
import type { countProcessors } from '#telemetry/host'
import type { CapacityEstimate } from '../calibration.ts'
import type { UserHabit } from '../cost.ts'
import type { Level } from '../level.ts'
import type { Objective } from '../objective.ts'
import type { PriceList } from '../prices.ts'

/** Input of measuring one contender: the request and the open resources. */
export interface ContenderInput
  extends Required<Pick<CapacityOptions, 'config' | 'request' | 'onEvent' | 'clock' | 'env'>>,
    Pick<CapacityOptions, 'stop' | 'drop' | 'command'> {
  readonly plan: MeasurePlan
  readonly target: AnyTarget
  readonly writer: RunWriter
  readonly corpus: OpenedCorpus
  /** Its utterances with the references for scoring, corrections included. */
  readonly spoken: readonly PlannedUtterance[]
  readonly habit: UserHabit
  /** Opens another target like this one, if it can be started from here. */
  readonly open: () => Promise<AnyTarget>
  readonly startedAtMs: number
  /** End of the time for this contender, on the clock. */
  readonly untilMs: number
  readonly spent: SpentProcessor
  readonly next: { readonly index: number; readonly block: number }
}

export type CapacityStage = 'cold' | 'sweep' | 'search' | 'overload' | 'interference' | 'confirmation'

/** Events of a capacity measurement, for a display of its progress. */
export type CapacityEvent =
  | { readonly kind: 'verified'; readonly checkedCount: number; readonly utteranceCount: number }
  | {
      readonly kind: 'planned'
      readonly folder: string
      readonly target: string
      readonly contenderIds: readonly string[]
      readonly corpus: {
        readonly name: string
        readonly utteranceCount: number
        readonly meanAudioSeconds: number
        /** Number of references that corrections replaced. */
        readonly correctedCount: number
      }
    }
  | {
      readonly kind: 'stage'
      readonly contenderId: string
      readonly stage: CapacityStage
      readonly secondsLeft: number
    }
  | {
      readonly kind: 'level'
      readonly contenderId: string
      readonly level: Level
      /** Current estimate from all levels; null if nothing gives it. */
      readonly estimate: CapacityEstimate | null
      readonly secondsLeft: number
    }
  | { readonly kind: 'run'; readonly event: RunEvent }

/** Options of a capacity measurement besides the config. */
export interface CapacityRequest {
  /** At least one objective. */
  readonly objectives: readonly Objective[]
  /** Time for each contender, everything included. */
  readonly budgetSeconds: number
  /** Half-width of the interval, as a share, at which a search ends early; null to use the whole budget. */
  readonly precision: number | null
  /** Numbers in flight of the sweep, ascending, 1 first. */
  readonly inFlights: readonly number[]
  /** Duration of each overload; 0 for none, null for a share of the budget. */
  readonly overloadSeconds: number | null
  /** Capacity in requests per second that replaces the search; null to search. */
  readonly knownCapacity: number | null
  readonly meanPauseSeconds: number
  /** Number of users for which machines are counted; null for none. */
  readonly users: number | null
  /** Concurrent requests of the embedded service; null for the service's choice. */
  readonly decodes: number | null
  readonly prices: PriceList | null
  /** Mean load of the year, as a share of the capacity, or of the peak load of all users. */
  readonly utilisation: number
}

export interface CapacityOptions {
  readonly config: BenchConfig
  readonly request: CapacityRequest
  readonly command?: readonly string[]
  /** Stops sending; requests in flight are awaited. */
  readonly stop?: AbortSignal
  /** Also drops requests in flight. */
  readonly drop?: AbortSignal
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly clock?: Clock
  readonly onEvent?: (event: CapacityEvent) => void
}

type UsageLine = Pick<
  TelemetryLine,
  | 'atMs'
  | 'serverCpuSeconds'
  | 'ownCpuSeconds'
  | 'samplerCpuSeconds'
  | 'hostCpuSeconds'
  | 'serverResidentBytes'
>

/** A sample of resource usage, and whether other servers of this program ran besides the measured one. */
type NotedLine = UsageLine & { readonly isAside: boolean }

/** Evaluations of the CPU time over an interval of the clock. */
type SpentProcessor = Pick<ReturnType<typeof watchProcessor>, 'between' | 'busyBecause' | 'aside'>

export function watchProcessor() {
  const lines: NotedLine[] = []
  let asides = 0
  return {
    lines: lines as readonly NotedLine[],
    note: (line: UsageLine): void => void lines.push({ ...line, isAside: asides > 0 }),
    /** Executes work with separate servers, whose CPU time does not count as that of other programs. */
    async aside<Value>(work: () => Promise<Value>): Promise<Value> {
      asides += 1
      try {
        return await work()
      } finally {
        asides -= 1
      }
    },
    /** Usage of the server; null for fewer than two samples in the interval. */
    between(fromMs: number, untilMs: number) {
      const inside = lines.filter(
        ({ atMs, serverCpuSeconds }) => atMs >= fromMs && atMs <= untilMs && serverCpuSeconds !== null,
      )
      const [first, last] = [inside[0], inside.at(-1)]
      if (first === undefined || last === undefined || !(last.atMs > first.atMs)) return null
      const cpuSeconds = growth(first.serverCpuSeconds, last.serverCpuSeconds)
      if (cpuSeconds === null) return null
      return {
        // The ends are between samples, so the load between the first and the last sample is extrapolated.
        cpuSeconds: (cpuSeconds * (untilMs - fromMs)) / (last.atMs - first.atMs),
        peakResidentBytes:
          Math.max(...inside.map(({ serverResidentBytes }) => serverResidentBytes ?? 0)) || null,
      }
    },
    /** Why this machine, and not the server, may have been the limit since a time; null if it was not. */
    busyBecause(fromMs: number, { usable, all }: ReturnType<typeof countProcessors>): string | null {
      const since = lines.filter(({ atMs }) => atMs >= fromMs)
      const others = otherPrograms(since, usable)
      if (others !== null)
        return others.disturbedShare <= maxDisturbedShare
          ? null
          : `other programs used ${others.processors.toFixed(1)} of ${counted(all, 'processor')} meanwhile`
      const busy = busyWithoutUs(since)
      // The share of the server cannot be determined.
      return busy === null || busy < fullShare * all
        ? null
        : `this machine was busy meanwhile (${counted(all, 'processor')}), and what of it was the server cannot be seen`
    },
  }
}

/** Maximum share of the time with other programs at work; above it a capacity is too low. */
export const maxDisturbedShare = 0.1
/** Minimum share of busy processors at which the machine itself may be the limit. */
const fullShare = 0.85

/** Minimum window in milliseconds, because CPU counters have a resolution of 10 ms. */
const windowMs = 2_000
const disturbingShare = 0.1

/** CPU load of other programs; null if the server's CPU time is not visible. */
export function otherPrograms(lines: readonly NotedLine[], processors: number) {
  const busy = pairLines(lines).flatMap(({ before, line, seconds }) => {
    const server = growth(before.serverCpuSeconds, line.serverCpuSeconds)
    const benchmark = growth(before.ownCpuSeconds, line.ownCpuSeconds)
    const host = growth(before.hostCpuSeconds, line.hostCpuSeconds)
    if (server === null || benchmark === null || host === null) return []
    const sampler = growth(before.samplerCpuSeconds, line.samplerCpuSeconds) ?? 0
    return [Math.max(0, host - server - benchmark - Math.max(0, sampler)) / seconds]
  })
  if (busy.length === 0) return null
  return {
    /** Share of the time in which other programs kept at least a tenth of the processors busy. */
    disturbedShare: busy.filter((others) => others >= disturbingShare * processors).length / busy.length,
    /** Mean number of processors that other programs kept busy. */
    processors: busy.reduce((sum, others) => sum + others, 0) / busy.length,
  }
}

/** Mean number of processors that anything but this process kept busy; null if unknown. */
function busyWithoutUs(lines: readonly NotedLine[]): number | null {
  const busy = pairLines(lines).flatMap(({ before, line, seconds }) => {
    const benchmark = growth(before.ownCpuSeconds, line.ownCpuSeconds)
    const host = growth(before.hostCpuSeconds, line.hostCpuSeconds)
    return benchmark === null || host === null ? [] : [Math.max(0, host - benchmark) / seconds]
  })
  return busy.length === 0 ? null : busy.reduce((sum, each) => sum + each, 0) / busy.length
}

function pairLines(lines: readonly NotedLine[]) {
  const windows: { readonly before: NotedLine; readonly line: NotedLine; readonly seconds: number }[] = []
  let [before] = lines
  for (const line of lines) {
    // Counters that included another server of this program start again after it.
    if (line.isAside || before?.isAside === true) {
      before = line
      continue
    }
    if (before === undefined || line.atMs - before.atMs < windowMs) continue
    windows.push({ before, line, seconds: (line.atMs - before.atMs) / 1000 })
    before = line
  }
  return windows
}

function growth(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before
}
