import type { Sender } from '#run'
import { firstSegment } from '../measure/earlier-run.ts'
import { withSender } from '../measure/with-sender.ts'
import type { ContenderInput } from './contender-input.ts'

/** Everything of a contender's measurement that it takes to start another service like the measured one. */
export type FreshInput = Pick<
  ContenderInput,
  'target' | 'open' | 'clock' | 'env' | 'plan' | 'writer' | 'config' | 'spent'
>

/**
 * Starts a service like the one that is measured, in which no model is loaded, hands over a way to send to it and the time
 * that it took to start, and stops it again. The target has to be ours to start.
 */
export async function withFresh<Value>(
  { open, clock, env, plan, writer, config, spent }: FreshInput,
  work: (sender: Sender, startMs: number) => Promise<Value>,
): Promise<Value> {
  const openedAtMs = clock.nowMs()
  await using fresh = await spent.aside(open)
  const startMs = clock.nowMs() - openedAtMs
  return await withSender(
    { config, plan, targets: [fresh], writer, segment: firstSegment, clock, env, onEvent: () => undefined },
    (sender) => work(sender, startMs),
  )
}
