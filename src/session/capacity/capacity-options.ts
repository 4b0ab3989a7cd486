import type { CapacityEstimate, Level, Objective, PriceList } from '#capacity'
import type { BenchConfig } from '#config'
import type { Clock } from '#load'
import type { RunEvent } from '#run'

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
  readonly onEvent?: (event: CapacityEvent) => void
  readonly stop?: AbortSignal
  readonly drop?: AbortSignal
  readonly command?: readonly string[]
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly clock?: Clock
}
