import type { UserHabit } from '#capacity'
import type { RunWriter } from '#journal'
import type { MeasurePlan } from '../plan/measure-plan.ts'
import type { OpenedCorpus } from '../plan/open-corpus.ts'
import type { OpenServer } from '../target/open-server.ts'
import type { OpenTarget } from '../target/open-target.ts'
import type { CapacityOptions } from './capacity-options.ts'
import type { SpentProcessor } from './watch-processor.ts'

/** Everything that it takes to measure one contender: what was asked, and what is open. */
export interface ContenderInput
  extends Required<Pick<CapacityOptions, 'config' | 'request' | 'onEvent' | 'clock' | 'env'>>,
    Pick<CapacityOptions, 'stop' | 'drop' | 'command'> {
  readonly plan: MeasurePlan
  readonly target: OpenTarget | OpenServer
  readonly writer: RunWriter
  readonly corpus: OpenedCorpus
  readonly habit: UserHabit
  /** Another target like this one, where it is ours to start. */
  readonly open: () => Promise<OpenTarget | OpenServer>
  readonly startedAtMs: number
  /** When this contender has to be through, by the clock. */
  readonly untilMs: number
  readonly spent: SpentProcessor
  readonly next: { readonly index: number; readonly block: number }
}
