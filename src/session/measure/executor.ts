import type { PriceList } from '#capacity'
import type { BenchConfig } from '#config'
import type { RunRecord, TelemetryLine } from '#journal'
import type { Clock } from '#load'
import type { RunEvent } from '#run'
import type { MeasurePlan } from '../plan/measure-plan.ts'
import type { PlanPart } from '../plan/plan-part.ts'
import type { TimeBefore } from '../plan/time-before.ts'

/**
 * Plan in, attempts out: sends what a config describes and writes every attempt to the journal of a run folder. `executeHere` does so
 * from this machine.
 *
 * @throws BenchError for every problem that the user can solve; completed attempts are kept
 */
export type Executor = (options: MeasureOptions) => Promise<ExecutedRun>

/** Progress of `measure`, for display. */
export type MeasureEvent =
  | { readonly kind: 'verified'; readonly checkedCount: number; readonly utteranceCount: number }
  | {
      readonly kind: 'planned'
      readonly plan: MeasurePlan
      readonly folder: string
      /** Null without a comparable earlier run, and for a resumed run. */
      readonly before: TimeBefore | null
    }
  /** What the server and the host use: four times a second while requests are sent. */
  | { readonly kind: 'sampled'; readonly line: TelemetryLine }
  | RunEvent

export interface MeasureOptions {
  /** Validated and complete: see `resolveConfig`. */
  readonly config: BenchConfig
  /** Recorded in the run: see `ResolvedConfig`. */
  readonly settingSources?: RunRecord['settingSources']
  readonly onEvent?: (event: MeasureEvent) => void
  /** Nothing more is sent; what is in flight is waited for, and the run ends as interrupted. */
  readonly stop?: AbortSignal
  /** What is in flight is dropped as well. */
  readonly drop?: AbortSignal
  /** Recorded in the run; nothing is read from it. */
  readonly command?: readonly string[]
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly clock?: Clock
  /** What providers and machines cost; the list that comes with transcribench where left out. */
  readonly prices?: PriceList
  /** Sent instead of the whole plan. */
  readonly part?: PlanPart
  /** Waited for after the warm-up, before the first measured block. */
  readonly beforeMeasuring?: () => Promise<void>
}

/** A run whose attempts are in its folder, and that is not scored yet. */
export interface ExecutedRun {
  /** Absolute path of the run folder. */
  readonly folder: string
  readonly record: RunRecord
  /** With which it was measured. */
  readonly config: BenchConfig
  /** Why the record of the end could not be written, as on a full disk; null where it was. */
  readonly unwritten: unknown
}
