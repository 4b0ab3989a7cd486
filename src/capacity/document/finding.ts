import type { BreakEven, CloudCost, LocalCost, Offer } from '../cost/cost.ts'
import type { FleetSize, UserHabit } from '../cost/fleet.ts'
import type { YearlyCosts } from '../cost/yearly-cost.ts'
import type { LevelVerdict, ObjectiveVerdict } from '../search/level.ts'
import type { Overload } from '../search/recovery.ts'
import type { SearchEnding } from '../search/search.ts'
import type { CountedUnit, Scaling } from '../search/sweep.ts'
import type { Reproduction } from '../simulation/reproduction.ts'
import type { Interval } from '../simulation/scalability.ts'

/** Version of `CapacityFinding`. */
export const capacityFormatVersion = 4

/** A load in three units. */
export interface LoadFigure {
  readonly requestsPerSecond: number
  /** Seconds of speech per second: hours of audio an hour. */
  readonly audioSecondsPerSecond: number
  /** Users who dictate at the same time, by the habit that the document names. */
  readonly concurrentUsers: number
}

/** One load, as it was found. Times from the moment a request was due. */
export interface FoundLevel extends LoadFigure {
  readonly achievedPerSecond: number
  readonly requests: number
  readonly failureRate: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
  readonly meanInSystem: number
  /** Share of the arrivals that stay behind. */
  readonly backlogGrowth: number
  readonly stability: LevelVerdict
  readonly objectives: readonly ObjectiveVerdict[]
  readonly verdict: LevelVerdict
  readonly measuredSeconds: number
  /** Texts that are not those of the recording alone, of those that can be compared. */
  readonly differingTexts: number
  readonly comparedTexts: number
}

/** The highest load at which the objectives are met. */
export interface FoundCapacity {
  /** `measured` by open loads, or `simulated` from the sweep where open loads could not narrow it further. */
  readonly basis: 'measured' | 'simulated'
  readonly estimate: LoadFigure
  /** 95 % interval; null only in documents of format 1. */
  readonly low: LoadFigure | null
  readonly high: LoadFigure | null
  /** The objective that is violated first; null where none is, up to the most that the server does. */
  readonly limitedBy: string | null
}

/** What the verdicts on single loads leave no doubt about. */
export interface FoundBounds {
  /** The highest load that meets the objectives, below all that violate them. */
  readonly met: LoadFigure | null
  /** The lowest load that violates them. */
  readonly violated: LoadFigure | null
}

export interface FoundSweepLevel {
  readonly inFlight: number
  readonly requestsPerSecond: number | null
  readonly speed: number | null
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly comparedTexts: number
  readonly differingTexts: number
  readonly failed: number
  readonly errorRate: number | null
  readonly errorRateDifference: { readonly estimate: number; readonly interval: Interval | null } | null
  readonly cpuSecondsPerAudioSecond: number | null
  readonly peakResidentBytes: number | null
}

export interface FoundSweep {
  /** What the error rates are of: they are shown under its name. */
  readonly leads: CountedUnit
  readonly levels: readonly FoundSweepLevel[]
  readonly scaling: Scaling | null
  /** Why no word is given for how it scales; null where one is. */
  readonly scalingReason: string | null
  readonly effectiveServers: number | null
  readonly serialShare: { readonly estimate: number; readonly interval: Interval } | null
  readonly crosstalk: { readonly estimate: number; readonly interval: Interval } | null
  readonly peak: { readonly inFlight: number; readonly interval: Interval } | null
  /** Why no peak is given; null where one is. */
  readonly peakReason: string | null
}

/** What the server would do in a use that was not measured, by simulation. */
export interface FoundWhatIf {
  /** In words: "only the shorter half of the recordings". */
  readonly question: string
  readonly meanAudioSeconds: number
  /** Null where even a request alone breaks the objective. */
  readonly capacity: LoadFigure | null
  /** The command that measures it; null where there is none. */
  readonly check: string | null
}

/** A server as it was measured, for whoever asks it later what nobody measured. */
export interface FoundSimulation {
  /** Milliseconds of a request alone: fixed, and for each second of audio. */
  readonly fixedMs: number
  readonly perAudioSecondMs: number
  /** What single requests took over that line, ascending; at most a hundred, which stand for all. */
  readonly ratios: readonly number[]
  readonly workers: number
  /** Of a request's time alone, the part in which it holds a worker: 0..1. */
  readonly atWorkShare: number
  /** How many times as long as alone each takes while k are at work, from k = 1 to `workers`. */
  readonly slowdowns: readonly number[]
  /** How many times as long a request takes that found nobody there: one by one, not back to back. */
  readonly idleSlowdown: number
  readonly reproductions: readonly Reproduction[]
  /** Fewer than two measured loads were reproduced: then nothing is imagined. */
  readonly silentBecause: string | null
  readonly whatIfs: readonly FoundWhatIf[]
}

/** From nothing to steady. Milliseconds; null where it was not seen. */
export interface FoundCold {
  /** Start of the service's process until it answers; null where it ran already. */
  readonly startMs: number | null
  readonly firstAnswerMs: number | null
  readonly steadyAnswerMs: number | null
  /** Two at once as the first requests of a model that is not loaded. */
  readonly twoWhileLoadingMs: readonly [number, number] | null
  /** Until the throughput is 95 % of the steady one. */
  readonly untilSteadyMs: number | null
  /** Why that was not seen; null where it was. */
  readonly untilSteadyReason: string | null
  readonly afterIdleMs: number | null
  readonly idleSeconds: number | null
}

/** Somebody waits for a text while long recordings are transcribed. */
export interface FoundInterference {
  readonly perSecond: number
  readonly longAudioSeconds: number
  readonly longRequests: number
  readonly aloneP95Ms: number | null
  readonly besideP95Ms: number | null
  readonly requests: number
}

export interface FoundCosts {
  readonly currency: string
  readonly local: LocalCost | null
  readonly cloud: readonly (CloudCost & { readonly breakEven: BreakEven | null })[]
  readonly offers: readonly Offer[]
  readonly paretoFront: readonly string[]
}

/** How many such machines so many users need, each with its even part of them. */
export interface FoundFleet {
  /** Concurrent users in all. */
  readonly users: number
  /** Null where one machine is not known to sustain one user. */
  readonly size:
    | (FleetSize & {
        /** What the users of a machine are counted by: the load that was confirmed, or the low end of the interval. */
        readonly basis: 'confirmed' | 'measured' | 'simulated'
      })
    | null
  /** Null where no prices were asked for. */
  readonly yearly: YearlyCosts | null
}

/** Everything that was found of one contender. */
export interface ContenderCapacity {
  readonly id: string
  readonly engine: string | null
  readonly model: string | null
  /** Null where no load was measured and no simulation could be made, where no load meets the objectives, or where it was given: `ended` says which. */
  readonly capacity: FoundCapacity | null
  readonly bounds: FoundBounds
  readonly ended: SearchEnding | 'given'
  /** In order of load. */
  readonly levels: readonly FoundLevel[]
  /** The long stretch with fresh arrivals, by itself. */
  readonly confirmation: { readonly load: LoadFigure; readonly verdict: LevelVerdict } | null
  readonly sweep: FoundSweep
  readonly simulation: FoundSimulation | null
  readonly overloads: readonly Overload[]
  readonly interference: FoundInterference | null
  readonly cold: FoundCold
  /** Machines for the users that were asked for, and what they cost; null where they were not asked for. */
  readonly fleet: FoundFleet | null
  /** Null where no prices were asked for. */
  readonly costs: FoundCosts | null
}

/** What makes a finding less than it seems. */
export interface CapacityRemark {
  readonly severity: 'invalid' | 'warning' | 'note'
  readonly message: string
}

/** The one document of a capacity measurement; every screen and file renders it. */
export interface CapacityFinding {
  readonly formatVersion: number
  readonly id: string
  readonly startedAt: string
  readonly endedAt: string
  readonly command: readonly string[]
  readonly programVersion: string
  readonly seed: number
  readonly budgetSeconds: number
  readonly spentSeconds: number
  readonly host: {
    readonly platform: string
    readonly cpuModel: string
    readonly cpuCount: number
    readonly memoryBytes: number
    readonly speedIndex: HostSpeedIndex | null
  }
  readonly target: { readonly kind: string; readonly baseUrl: string; readonly version: string | null }
  readonly corpus: {
    readonly name: string
    readonly fingerprint: string
    readonly utteranceCount: number
    readonly meanAudioSeconds: number
  }
  /** What a concurrent user does. */
  readonly habit: UserHabit
  readonly objectives: readonly string[]
  readonly contenders: readonly ContenderCapacity[]
  readonly instrument: { readonly lateP99Ms: number | null; readonly lateMaxMs: number | null }
  readonly remarks: readonly CapacityRemark[]
}

/** How fast a machine is. Each is a rate: more is faster. */
export interface HostSpeedIndex {
  /** Millions of rounds of an integer hash a second, one thread. */
  readonly integerMillionsPerSecond: number
  /** Billions of floating-point operations a second of a 32-bit matrix product, one thread. */
  readonly floatBillionsPerSecond: number
  /** Billions of bytes a second copied in memory, one thread. */
  readonly memoryBillionsPerSecond: number
}
