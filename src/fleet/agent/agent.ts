import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Job, Worker } from 'bullmq'
import { BenchError } from '#prelude'
import { type Broker, lockMs } from '../queue/broker.ts'
import { keepLock } from '../queue/keep-lock.ts'
import { type BlockJob, blockQueue, jobPlace } from '../queue/messages.ts'
import { DistrustError, unseal } from '../queue/seal.ts'
import { type AgentHost, findOutbox, openHostBroker, RunOverError } from './ask.ts'
import { measureBlock } from './measure-block.ts'
import { pendingResults, removeStale, sendResult } from './outbox.ts'

/** What an agent does, for display. */
export type AgentEvent =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'measuring'; readonly block: BlockJob }
  | { readonly kind: 'sent'; readonly isCounted: boolean }
  /** The result is kept in the outbox. */
  | { readonly kind: 'notSent'; readonly folder: string; readonly reason: string }
  /** It was in the outbox for a week, and no run took it. */
  | { readonly kind: 'removed'; readonly folder: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

/**
 * Measures block after block for the runs of a fleet, until it is stopped or has waited for too long. Results that an earlier process
 * of this host could not send are sent first.
 *
 * @throws BenchError where Redis does not answer at the beginning; anything else that is a bug
 */
export async function runAgent(
  { idleLimitMs, ...host }: AgentHost & { readonly idleLimitMs: number | null },
  onEvent: (event: AgentEvent) => void,
): Promise<void> {
  // Later it is waited for.
  await (await openHostBroker(host))[Symbol.asyncDispose]()
  try {
    for (const folder of await removeStale(findOutbox(host), host.clock.today()))
      onEvent({ kind: 'removed', folder })
    for (const entry of await pendingResults(findOutbox(host))) await sendPending(host, entry, onEvent)
    let failuresInARow = 0
    let sharesAgainAtMs = 0
    while (!host.stop.aborted) {
      onEvent({ kind: 'waiting' })
      const idle = idleLimitMs === null ? [] : [AbortSignal.timeout(idleLimitMs)]
      const patience = AbortSignal.any([host.stop, ...idle])
      const taken = await withBroker(host, (broker) =>
        takeBlock(broker, host.name, () => host.clock.nowMs() >= sharesAgainAtMs, patience),
      )
      if (taken === null) return
      failuresInARow = (await handle(host, taken, onEvent)) ? 0 : failuresInARow + 1
      sharesAgainAtMs = host.clock.nowMs() + pauseAfter(failuresInARow)
    }
  } catch (error) {
    // What waits for Redis when the agent is stopped ends with an error.
    if (!host.stop.aborted) throw error
  }
}

/**
 * How long a host leaves the blocks that any host may take to the others, in milliseconds: one that fails at once would
 * otherwise take them all. The second time in a row it is set aside for a while, and longer each time.
 */
function pauseAfter(failuresInARow: number): number {
  if (failuresInARow === 0) return 0
  return failuresInARow === 1 ? 5000 : Math.min(60_000 * (failuresInARow - 1), 600_000)
}

/** @returns whether the block was measured */
async function handle(
  host: AgentHost,
  taken: TakenBlock,
  onEvent: (event: AgentEvent) => void,
): Promise<boolean> {
  const { queue, jobId, token } = taken
  using _lock = keepLock({ address: host.address, queue, jobId, token, host: host.name })
  try {
    const block = await trusted(host, taken)
    onEvent({ kind: 'measuring', block })
    const entry = await measureBlock(host, block)
    await send(host, entry, onEvent)
    await settle(host, taken, 'completed')
    return true
  } catch (error) {
    if (host.stop.aborted) {
      await settle(host, taken, 'waiting').catch(() => undefined)
      return false
    }
    const isRefused = error instanceof DistrustError
    const reason = isRefused ? `the job ${error.message}` : explainReason(error)
    await settle(host, taken, 'failed', `${host.name}: ${reason}`)
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

/** Says of a job how it ended. Where its lock is lost, another agent has it. */
function settle(
  host: AgentHost,
  { queue, jobId, token }: TakenBlock,
  ...[state, reason = '']: readonly ['completed' | 'waiting'] | readonly ['failed', string]
): Promise<void> {
  return withBroker(host, async (broker) => {
    const job = await broker.queue(queue).getJob(jobId)
    const settling =
      state === 'completed'
        ? job?.moveToCompleted(null, token, false)
        : state === 'waiting'
          ? job?.moveToWait(token)
          : job?.moveToFailed(new Error(reason), token, false)
    await settling?.catch(() => undefined)
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

/** A result of an earlier process: no block waits for it, so a coordinator that refuses it does not end the agent. */
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

/** Anything else is a bug. */
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
  // A host that is to stop does not wait for Redis.
  const patience = host.stop.aborted ? undefined : host.stop
  await using broker = await openHostBroker(host, patience)
  return await work(broker)
}

/** A job that is locked for this host, with the token of the lock. */
type TakenBlock = NonNullable<Awaited<ReturnType<typeof takeBlock>>>

const pauseMs = 1000

/** How often a block may be lost with its agent before it is no longer tried. */
const mostLosses = 5

/**
 * Waits for a block: of the queue of this host first, then of the queue of all. Only a host that waits looks for blocks of agents that
 * fell silent; nothing of this goes on while a block is measured.
 *
 * @param sharesAgain whether a block that any host may take is one for this host: not shortly after it has failed one
 * @returns null where the signal came first
 */
async function takeBlock(broker: Broker, host: string, sharesAgain: () => boolean, signal: AbortSignal) {
  const names = [blockQueue(host), blockQueue(null)]
  const workers = names.map((name) =>
    broker.worker(name, null, {
      autorun: false,
      lockDuration: lockMs,
      stalledInterval: lockMs / 3,
      maxStalledCount: mostLosses,
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
        // Who it was, where this agent falls silent. Only for display: it is not signed.
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
