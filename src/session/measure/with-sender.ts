import type { BenchConfig } from '#config'
import { isBillable } from '#contract'
import type { RunWriter } from '#journal'
import type { Clock } from '#load'
import {
  cappedSender,
  postProcessSender,
  type RunEvent,
  type Sender,
  serverSender,
  transcriptionSender,
} from '#run'
import type { MeasurePlan } from '../plan/measure-plan.ts'
import { postProcessOptions } from '../plan/post-process-options.ts'
import type { OpenServer } from '../target/open-server.ts'
import type { OpenTarget } from '../target/open-target.ts'
import type { RunSegment } from './earlier-run.ts'
import { stageCopies } from './staging.ts'
import { withLeases } from './with-leases.ts'

export interface SenderInput {
  readonly config: Pick<BenchConfig, 'maxBilledMinutes'>
  readonly plan: MeasurePlan
  readonly target: OpenTarget | OpenServer
  readonly writer: RunWriter
  readonly segment: RunSegment
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onEvent: (event: RunEvent) => void
}

/**
 * Prepares what the target needs (copies of recordings, Modes), does the work with a sender to it, and takes back
 * everything that was prepared, however the work ended.
 */
export async function withSender<Value>(
  input: SenderInput,
  work: (sender: Sender) => Promise<Value>,
): Promise<Value> {
  const { plan, target, writer, segment, config, clock, env, onEvent } = input
  const billedIds = new Set(plan.bills.map(({ contenderId }) => contenderId))
  const capped = (sender: Sender): Sender =>
    billedIds.size === 0
      ? sender
      : cappedSender(sender, {
          billedIds,
          maxMinutes: config.maxBilledMinutes,
          sentSeconds: sentSeconds(segment, billedIds),
          clock,
        })
  if (target.kind === 'openai') {
    const { contenders, corpus } = plan
    return work(capped(serverSender({ server: target.server, utterances: corpus.utterances, contenders })))
  }
  const { texts } = plan.corpus
  if (texts !== null) {
    const options = await postProcessOptions(plan.contenders, target)
    return work(postProcessSender({ connection: target.connection, texts, options }))
  }
  await using staged = await stageCopies(plan, writer.folder)
  const { sendables } = staged
  const { connection } = target
  return await withLeases({ plan, target, writer, isResumed: segment.number > 0, env, onEvent }, (leases) =>
    work(capped(transcriptionSender({ connection, sendables, leases }))),
  )
}

/** Audio that earlier segments sent to billed contenders, according to the journal. */
function sentSeconds({ attempts }: RunSegment, billedIds: ReadonlySet<string>): number {
  return attempts
    .filter(
      ({ contenderId, outcome }) => billedIds.has(contenderId) && (outcome.ok || isBillable(outcome.failure)),
    )
    .reduce((sum, { audioSeconds }) => sum + audioSeconds, 0)
}
