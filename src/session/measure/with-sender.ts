import type { BenchConfig } from '#config'
import { isBillable } from '#contract'
import type { RunWriter } from '#journal'
import type { Clock } from '#load'
import {
  cappedSender,
  postProcessSender,
  type RunEvent,
  routedSender,
  type Sender,
  type SenderPart,
  serverSender,
  transcriptionSender,
} from '#run'
import type { MeasurePlan, PlannedTarget } from '../plan/measure-plan.ts'
import { postProcessOptions } from '../plan/post-process-options.ts'
import { type AnyTarget, isServer } from '../target/open-server.ts'
import type { RunSegment } from './earlier-run.ts'
import { stageCopies } from './staging.ts'
import { withLeases } from './with-leases.ts'

export interface SenderInput {
  readonly config: Pick<BenchConfig, 'maxBilledMinutes'>
  readonly plan: MeasurePlan
  /** In the order of the plan's. */
  readonly targets: readonly AnyTarget[]
  readonly writer: RunWriter
  readonly segment: RunSegment
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onEvent: (event: RunEvent) => void
}

/**
 * Prepares what every target needs (copies of recordings, Modes), does the work with a sender to them, and takes back
 * everything that was prepared, however the work ended.
 */
export async function withSender<Value>(
  input: SenderInput,
  work: (sender: Sender) => Promise<Value>,
): Promise<Value> {
  const { plan, segment, config, clock } = input
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
  return withParts(input, [], (parts) => {
    const [only, ...others] = parts
    return work(capped(only !== undefined && others.length === 0 ? only.sender : routedSender(parts)))
  })
}

/** Prepares one target after the other, and takes back in reverse. */
function withParts<Value>(
  input: SenderInput,
  parts: readonly SenderPart[],
  work: (parts: readonly SenderPart[]) => Promise<Value>,
): Promise<Value> {
  const planned = input.plan.targets[parts.length]
  const target = input.targets[parts.length]
  if (planned === undefined || target === undefined) return work(parts)
  const contenderIds = planned.contenders.map(({ id }) => id)
  return withTarget(input, { planned, target }, (sender) =>
    withParts(input, [...parts, { contenderIds, sender }], work),
  )
}

async function withTarget<Value>(
  { plan: { corpus }, writer, segment, env, onEvent }: SenderInput,
  { planned, target }: { readonly planned: PlannedTarget; readonly target: AnyTarget },
  work: (sender: Sender) => Promise<Value>,
): Promise<Value> {
  const { contenders } = planned
  if (isServer(target)) {
    return work(serverSender({ server: target.server, utterances: corpus.utterances, contenders }))
  }
  const { texts } = corpus
  if (texts !== null) {
    const options = await postProcessOptions(contenders, target)
    return work(postProcessSender({ connection: target.connection, texts, options }))
  }
  await using staged = await stageCopies({ ...planned, corpus }, writer.folder)
  const { sendables } = staged
  const { connection } = target
  const leasing = { plan: planned, target, writer, isResumed: segment.number > 0, env, onEvent }
  return await withLeases(leasing, (leases) => work(transcriptionSender({ connection, sendables, leases })))
}

/** Audio that earlier segments sent to billed contenders, according to the journal. */
function sentSeconds({ attempts }: RunSegment, billedIds: ReadonlySet<string>): number {
  return attempts
    .filter(
      ({ contenderId, outcome }) => billedIds.has(contenderId) && (outcome.ok || isBillable(outcome.failure)),
    )
    .reduce((sum, { audioSeconds }) => sum + audioSeconds, 0)
}
