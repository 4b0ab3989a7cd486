import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Job, Worker } from 'bullmq'
import { BenchError } from '#prelude'
import { type Broker, lockMs } from '../queue/broker.ts'
import { keepLock } from '../queue/keep-lock.ts'
import { type BlockJob, blockQueue, jobPlace } from '../queue/messages.ts'
import { DistrustError, unseal } from '../queue/seal.ts'
import { type AgentHost, findObjects, findOutbox, openHostBroker, RunOverError } from './ask.ts'
import { measureBlock } from './measure-block.ts'
import { pendingResults, removeStale, sendResult } from './outbox.ts'

export type AgentEvent =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'measuring'; readonly block: BlockJob }
  | { readonly kind: 'sent'; readonly isCounted: boolean }
  /** The result could not be sent, and stays in the outbox. */
  | { readonly kind: 'notSent'; readonly folder: string; readonly reason: string }
  /** The result was removed after a week in the outbox, because no run took it. */
  | { readonly kind: 'removed'; readonly folder: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

/**
 * Measures block after block for the runs of a fleet, until it is stopped or has been idle for too long. Results that
 * an earlier process of this host could not send are sent first.
 *
 * @throws BenchError if Redis does not answer at the start; any other error is a bug
 */
export async function runAgent(
  { idleLimitMs, ...host }: AgentHost & { readonly idleLimitMs: number | null },
  onEvent: (event: AgentEvent) => void,
): Promise<void> {
  // Only this first connection must succeed; later ones are retried until Redis is back.
  await (await openHostBroker(host))[Symbol.asyncDispose]()
  try {
    for (const folder of await removeStale(findOutbox(host), host.clock.today()))
      onEvent({ kind: 'removed', folder })
    await removeStale(findObjects(host), host.clock.today())
    for (const entry of await pendingResults(findOutbox(host))) await sendPending(host, entry, onEvent)
    let failuresInARow = 0
    let sharesAgainAtMs = 0
    while (!host.stop.aborted) {
      onEvent({ kind: 'waiting' })
      const idle = idleLimitMs === null ? [] : [AbortSignal.timeout(idleLimitMs)]
      const patience = AbortSignal.any([host.stop, ...idle])
      const takenBlock = await withBroker(host, (broker) =>
        takeBlock(broker, host.name, () => host.clock.nowMs() >= sharesAgainAtMs, patience),
      )
      if (takenBlock === null) return
      failuresInARow = (await handle(host, takenBlock, onEvent)) ? 0 : failuresInARow + 1
      sharesAgainAtMs = host.clock.nowMs() + pauseAfter(failuresInARow)
    }
  } catch (error) {
    // Stopping the agent makes pending calls to Redis fail.
    if (!host.stop.aborted) throw error
  }
}

/**
 * Milliseconds for which a host leaves shared blocks to other hosts after failures, because a host that fails at once
 * would otherwise take them all. From the second failure in a row on, the pause is longer each time.
 */
function pauseAfter(failuresInARow: number): number {
  if (failuresInARow === 0) return 0
  return failuresInARow === 1 ? 5000 : Math.min(60_000 * (failuresInARow - 1), 600_000)
}

/** @returns whether the block was measured */
async function handle(
  host: AgentHost,
  takenBlock: TakenBlock,
  onEvent: (event: AgentEvent) => void,
): Promise<boolean> {
  const { queue, jobId, token } = takenBlock
  using _lock = keepLock({ address: host.address, queue, jobId, token, host: host.name })
  try {
    const block = await trusted(host, takenBlock)
    onEvent({ kind: 'measuring', block })
    const entry = await measureBlock(host, block)
    await send(host, entry, onEvent)
    await endJob(host, takenBlock, 'completed')
    return true
  } catch (error) {
    if (host.stop.aborted) {
      await endJob(host, takenBlock, 'waiting').catch(() => undefined)
      return false
    }
    const isRefused = error instanceof DistrustError
    const reason = isRefused ? `the job ${error.message}` : explainReason(error)
    await endJob(host, takenBlock, 'failed', `${host.name}: ${reason}`)
    if (!isExplained(error)) throw error
    onEvent({ kind: isRefused ? 'refused' : 'failed', reason })
    return false
  }
}

/** @throws DistrustError */
function trusted(host: AgentHost, { queue, jobId, sealed }: TakenBlock): Promise<BlockJob> {
  return withBroker(host, async (broker) => {
    const place = jobPlace(queue, jobId)
    const block = unseal<BlockJob>(sealed, host.address, { place, nowMs: await broker.nowMs() })
    if (block.host === null || block.host === host.name) return block
    throw new DistrustError(`is for the host "${block.host}"`)
  })
}

/** Sets how a job ended. If its lock is lost, another agent has it. */
function endJob(
  host: AgentHost,
  { queue, jobId, token }: TakenBlock,
  ...[state, reason = '']: readonly ['completed' | 'waiting'] | readonly ['failed', string]
): Promise<void> {
  return withBroker(host, async (broker) => {
    const job = await broker.queue(queue).getJob(jobId)
    const ending =
      state === 'completed'
        ? job?.moveToCompleted(null, token, false)
        : state === 'waiting'
          ? job?.moveToWait(token)
          : job?.moveToFailed(new Error(reason), token, false)
    await ending?.catch(() => undefined)
  })
}

async function send(host: AgentHost, entry: string, onEvent: (event: AgentEvent) => void): Promise<void> {
  await withBroker(host, async (broker) => {
    onEvent({ kind: 'sent', isCounted: await sendResult(broker, entry, host) })
  }).catch((error: unknown) => {
    if (!(error instanceof RunOverError)) throw error
    onEvent({ kind: 'notSent', folder: entry, reason: error.message })
  })
}

/** Sends a result of an earlier process. A refusal does not end the agent, because no block waits for it. */
async function sendPending(
  host: AgentHost,
  entry: string,
  onEvent: (event: AgentEvent) => void,
): Promise<void> {
  await send(host, entry, onEvent).catch((error: unknown) => {
    if (!isExplained(error)) throw error
    const hint = error instanceof BenchError ? `; ${error.hint}` : ''
    onEvent({ kind: 'notSent', folder: entry, reason: `${explainReason(error)}${hint}` })
  })
}

/** Whether an error is expected; any other error is a bug. */
function isExplained(error: unknown): boolean {
  return [BenchError, DistrustError, RunOverError].some((kind) => error instanceof kind)
}

function explainReason(error: unknown): string {
  if (!(error instanceof BenchError)) return (error as Error).message
  const { code, message, problems } = error
  return [`${code}: ${message}`, ...problems.map(({ where, what }) => `${where ?? ''} ${what}`.trim())].join(
    '; ',
  )
}

async function withBroker<Value>(host: AgentHost, work: (broker: Broker) => Promise<Value>): Promise<Value> {
  // A host that is stopping does not wait for Redis.
  const patience = host.stop.aborted ? undefined : host.stop
  await using broker = await openHostBroker(host, patience)
  return await work(broker)
}

/** A job that is locked for this host, with the token of the lock. */
type TakenBlock = NonNullable<Awaited<ReturnType<typeof takeBlock>>>

const pauseMs = 1000

/** Number of times that a block may be lost with its agent before it counts as failed. */
const maxLosses = 5

/**
 * Waits for a block: first from the queue of this host, then from the shared queue. A host checks for blocks of
 * silent agents only while it waits, so that nothing disturbs a measurement.
 *
 * @param sharesAgain whether this host may take shared blocks, which it may not shortly after failing one
 * @returns null if the signal came first
 */
async function takeBlock(broker: Broker, host: string, sharesAgain: () => boolean, signal: AbortSignal) {
  const names = [blockQueue(host), blockQueue(null)]
  const workers = names.map((name) =>
    broker.worker(name, null, {
      autorun: false,
      lockDuration: lockMs,
      stalledInterval: lockMs / 3,
      maxStalledCount: maxLosses,
    }),
  )
  for (const worker of workers) await worker.startStalledCheckTimer()
  try {
    while (!signal.aborted) {
      for (const [place, worker] of workers.entries()) {
        if (place > 0 && !sharesAgain()) continue
        const token = randomUUID()
        const job: Job | undefined = await worker.getNextJob(token, { block: false })
        if (job?.id === undefined) continue
        // The job shows its host, for display if this agent falls silent; it is not signed.
        await job.updateProgress(host)
        return { queue: worker.name, jobId: job.id, token, sealed: job.data as unknown }
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    }
    return null
  } finally {
    await Promise.all(workers.map((worker: Worker) => worker.close(true)))
  }
}
