import type { BenchConfig } from '#config/bench-config'
import type { PlannedUtterance } from '#journal/plan-line'
import type { RunWriter } from '#journal/run-writer'
import type { TelemetryLine } from '#journal/telemetry-line'
import type { Clock } from '#load/clock'
import type { RunEvent } from '#run/execute/lane'
import type { OpenedCorpus } from '#run/inputs'
import type { MeasurePlan } from '#run/plan/measure-plan'
import type { AnyTarget } from '#run/target/open-server'
import type { CapacityEstimate } from '../calibration.ts'
import type { UserHabit } from '../cost.ts'
import type { Level } from '../level.ts'
import type { Objective } from '../objective.ts'
import type { PriceList } from '../prices.ts'

/** Everything that it takes to measure one contender: what was asked, and what is open. */
export interface ContenderInput
  extends Required<Pick<CapacityOptions, 'config' | 'request' | 'onEvent' | 'clock' | 'env'>>,
    Pick<CapacityOptions, 'stop' | 'drop' | 'command'> {
  readonly plan: MeasurePlan
  readonly target: AnyTarget
  readonly writer: RunWriter
  readonly corpus: OpenedCorpus
  /** Its utterances, with the references that a score is made with: the corrected ones. */
  readonly spoken: readonly PlannedUtterance[]
  readonly habit: UserHabit
  /** Another target like this one, where it is ours to start. */
  readonly open: () => Promise<AnyTarget>
  readonly startedAtMs: number
  /** When this contender has to be through, by the clock. */
  readonly untilMs: number
  readonly spent: SpentProcessor
  readonly next: { readonly index: number; readonly block: number }
}

/** What is being measured. */
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
        /** References that corrections replaced. */
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
      /** What all levels together say by now; null where nothing gives it. */
      readonly estimate: CapacityEstimate | null
      readonly secondsLeft: number
    }
  | { readonly kind: 'run'; readonly event: RunEvent }

/** What is asked of a capacity measurement, besides the config. */
export interface CapacityRequest {
  /** At least one. */
  readonly objectives: readonly Objective[]
  /** For each contender, everything included. */
  readonly budgetSeconds: number
  /** Half of the interval, as a share, at which a search ends before its time; null: the budget is used in whole. */
  readonly precision: number | null
  /** Numbers in flight of the sweep, ascending, 1 first. */
  readonly inFlights: readonly number[]
  /** How long each overload lasts; 0 for none, null for a part of the budget. */
  readonly overloadSeconds: number | null
  /** Requests per second that are taken for the capacity instead of searching for it; null: it is searched for. */
  readonly knownCapacity: number | null
  readonly meanPauseSeconds: number
  /** How many users machines are counted for; null: none. */
  readonly users: number | null
  /** Concurrent requests of the embedded service; null: chosen by the service. */
  readonly decodes: number | null
  readonly prices: PriceList | null
  /** Mean load of the year, as a share of the capacity, or of the load of all users at the same time. */
  readonly utilisation: number
}

export interface CapacityOptions {
  readonly config: BenchConfig
  readonly request: CapacityRequest
  readonly command?: readonly string[]
  /** Nothing more is sent; what is in flight is waited for. */
  readonly stop?: AbortSignal
  /** What is in flight is dropped as well. */
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

/** What was used by when, and whether servers of our own ran that are not the measured one. */
type NotedLine = UsageLine & { readonly isAside: boolean }

/** Processor time between two moments of the clock. */
type SpentProcessor = Pick<ReturnType<typeof watchProcessor>, 'between' | 'busyBecause' | 'aside'>

/** Notes what was used by when. */
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
    /** Of the server; null for fewer than two samples in that time. */
    between(fromMs: number, untilMs: number) {
      const inside = lines.filter(
        ({ atMs, serverCpuSeconds }) => atMs >= fromMs && atMs <= untilMs && serverCpuSeconds !== null,
      )
      const [first, last] = [inside[0], inside.at(-1)]
      if (first === undefined || last === undefined || !(last.atMs > first.atMs)) return null
      const cpuSeconds = growth(first.serverCpuSeconds, last.serverCpuSeconds)
      if (cpuSeconds === null) return null
      return {
        // The ends lie between samples, and the one after the end is not taken yet: as busy as from the first to the last.
        cpuSeconds: (cpuSeconds * (untilMs - fromMs)) / (last.atMs - first.atMs),
        peakResidentBytes:
          Math.max(...inside.map(({ serverResidentBytes }) => serverResidentBytes ?? 0)) || null,
      }
    },
    /** Why this machine, and not the server, may have been the limit since a moment; null where it was not. */
    busyBecause(fromMs: number, processors: number): string | null {
      const since = lines.filter(({ atMs }) => atMs >= fromMs)
      const others = otherPrograms(since, processors)
      if (others !== null)
        return others.disturbedShare <= maxDisturbedShare
          ? null
          : `other programs used ${others.processors.toFixed(1)} of ${processors} processors meanwhile`
      const busy = busyWithoutUs(since)
      // Which of it is the server's cannot be seen.
      return busy === null || busy < fullShare * processors
        ? null
        : `this machine's ${processors} processors were busy meanwhile, and what of it was the server cannot be seen`
    },
  }
}

/** More of the time than this with other programs at work makes a capacity less than it is. */
export const maxDisturbedShare = 0.1
/** A machine with less idle than this may be the limit itself. */
const fullShare = 0.85

/** Long enough that counters of a hundredth of a second say something. */
const windowMs = 2_000
const disturbingShare = 0.1

/** What others did on the machine meanwhile; null where the server's processor time cannot be seen. */
export function otherPrograms(lines: readonly NotedLine[], processors: number) {
  const busy = pairLines(lines).flatMap(({ before, line, seconds }) => {
    const server = growth(before.serverCpuSeconds, line.serverCpuSeconds)
    const own = growth(before.ownCpuSeconds, line.ownCpuSeconds)
    const host = growth(before.hostCpuSeconds, line.hostCpuSeconds)
    if (server === null || own === null || host === null) return []
    const sampler = growth(before.samplerCpuSeconds, line.samplerCpuSeconds) ?? 0
    return [Math.max(0, host - server - own - Math.max(0, sampler)) / seconds]
  })
  if (busy.length === 0) return null
  return {
    /** Of the time, in which they kept a tenth of the processors busy or more. */
    disturbedShare: busy.filter((others) => others >= disturbingShare * processors).length / busy.length,
    /** That they kept busy, on average over all of the time. */
    processors: busy.reduce((sum, others) => sum + others, 0) / busy.length,
  }
}

/** Processors of this machine that something else than this process kept busy, on average; null where that cannot be seen. */
function busyWithoutUs(lines: readonly NotedLine[]): number | null {
  const busy = pairLines(lines).flatMap(({ before, line, seconds }) => {
    const own = growth(before.ownCpuSeconds, line.ownCpuSeconds)
    const host = growth(before.hostCpuSeconds, line.hostCpuSeconds)
    return own === null || host === null ? [] : [Math.max(0, host - own) / seconds]
  })
  return busy.length === 0 ? null : busy.reduce((sum, each) => sum + each, 0) / busy.length
}

function pairLines(lines: readonly NotedLine[]) {
  const windows: { readonly before: NotedLine; readonly line: NotedLine; readonly seconds: number }[] = []
  let [before] = lines
  for (const line of lines) {
    // A counter that a server of our own was part of begins anew after it.
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
