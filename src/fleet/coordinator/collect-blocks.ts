import { addAbortListener } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Queue } from 'bullmq'
import { counted } from '#prelude'
import { fleetErrors } from '../errors.ts'
import { type Broker, connectedHosts, keyPrefix } from '../queue/broker.ts'
import {
  askQueue,
  type BlockResult,
  blockQueue,
  type HostFault,
  openKey,
  validMs,
} from '../queue/messages.ts'
import type { PartStore } from '../queue/part-store.ts'
import { answering, handOut, nameJob, takeBack } from './answer-asks.ts'
import type { FleetBlock, PlanDocuments } from './fleet-blocks.ts'
import { type LiveLatency, liveLatencies } from './live-latencies.ts'

export type CollectEvent =
  | {
      readonly kind: 'counted'
      readonly result: BlockResult
      readonly countedCount: number
      readonly blockCount: number
      /** Latencies of the host over all its blocks so far. */
      readonly latencies: readonly LiveLatency[]
    }
  | { readonly kind: 'further'; readonly result: BlockResult }
  | { readonly kind: 'failed'; readonly failed: FailedBlock }
  /** The block is given to another host. */
  | { readonly kind: 'reassigned'; readonly failed: FailedBlock }
  | { readonly kind: 'setAside'; readonly host: string; readonly reason: string }
  | { readonly kind: 'lost'; readonly block: FleetBlock; readonly host: string }

export interface CollectInput {
  readonly broker: Broker
  readonly run: string
  /** Null in shard mode. */
  readonly hosts: readonly string[] | null
  readonly documents: PlanDocuments
  readonly blocks: readonly FleetBlock[]
  readonly isResumed: boolean
  /** Results that were collected before; the map grows. */
  readonly counted: Map<string, BlockResult>
  readonly store: PartStore
  readonly sharedFolder: string | null
  /** Milliseconds that missing blocks are waited for without an agent measuring for their host. */
  readonly idleLimitMs: number
  readonly stop: AbortSignal | undefined
  readonly onEvent: (event: CollectEvent) => void
}

/** Maximum number of concurrent answers, to limit the load on the disk. */
const answersAtOnce = 8
const stalledIntervalMs = 5000

/** Maximum waiting time for agents to read their answers; they poll once a second. */
const longestReadMs = 5000
const readPauseMs = 50

/**
 * Hands out the missing blocks, and collects their results until none is missing.
 *
 * @throws BenchError FLEET_BLOCKS_FAILED or FLEET_HOSTS_MISSING with all failed and waiting blocks, when no other
 * block is missing; FLEET_STOPPED
 */
export async function collectBlocks(input: CollectInput): Promise<void> {
  const { broker, run } = input
  const { failed, waiting } = await new Collection(input).run()
  if (failed.length + waiting.length > 0) throw incomplete(input, { failed, waiting })
  await untilAnswersAreRead(broker, run)
  await broker.redis.del(openKey(keyPrefix(broker.address), run))
  await broker.queue(askQueue(run)).obliterate({ force: true })
}

/** What happens to the blocks of a run until each is counted, failed, or waited for in vain. */
class Collection {
  readonly #input: CollectInput
  readonly #handing: {
    readonly broker: Broker
    readonly run: string
    readonly hashes: PlanDocuments['hashes']
  }
  readonly #failed = new Map<string, FailedBlock>()
  /** Ids of blocks that are being given to another host. */
  readonly #reassigned = new Set<string>()
  /** Ids of blocks whose results are being stored. */
  readonly #storing = new Set<string>()
  /** Blocks with the hosts that fell silent while measuring them. */
  readonly #lost = new Set<string>()
  /** The last host that measured each block. */
  readonly #measuredBy = new Map<string, string>()
  /** Hosts for whose blocks no agent has measured for too long. */
  readonly #silent = new Set<string | null>()
  readonly #faults = hostFaults()
  readonly #collected = Promise.withResolvers<void>()
  #faultWrites: Promise<unknown> = Promise.resolve()

  constructor(input: CollectInput) {
    this.#input = input
    this.#handing = { broker: input.broker, run: input.run, hashes: input.documents.hashes }
  }

  /** @returns the blocks that were not counted, when every other one was */
  async run(): Promise<{ readonly failed: readonly FailedBlock[]; readonly waiting: readonly FleetBlock[] }> {
    const { broker, run, isResumed, stop } = this.#input
    const processor = await this.#startAnswering()
    // Jobs of an earlier process of this run may have expired.
    if (isResumed) await takeBack(this.#handing, this.#missing())
    const handOutMissing = (): void => this.#handOutMissing()
    handOutMissing()
    // Redis may have lost its last writes, and signatures expire.
    broker.redis.on('ready', handOutMissing)
    const renewal = setInterval(
      () => void takeBack(this.#handing, this.#missing()).then(handOutMissing),
      validMs / 2,
    )
    const worker = broker.worker(askQueue(run), processor, {
      concurrency: answersAtOnce,
      stalledInterval: stalledIntervalMs,
      maxStalledCount: 100,
    })
    const ended = new AbortController()
    const watching = this.#watch(ended.signal)
    using _stop = stop && addAbortListener(stop, () => this.#collected.reject(stoppedEarly(run)))
    try {
      this.#check()
      await this.#collected.promise
      await this.#faultWrites
    } finally {
      broker.redis.off('ready', handOutMissing)
      clearInterval(renewal)
      ended.abort()
      await watching
      // Closing the worker sends the last answer before the queue is removed.
      await worker.close()
      await takeBack(this.#handing, this.#missing())
    }
    return { failed: [...this.#failed.values()], waiting: this.#missing() }
  }

  #missing(): readonly FleetBlock[] {
    const { blocks, counted } = this.#input
    return blocks.filter(({ id }) => !counted.has(id) && !this.#failed.has(id))
  }

  /** Ends the collection if none is missing, or no agent has measured for the hosts of the missing blocks for too long. */
  #check(): void {
    // A host whose result is stored may measure what the others failed to.
    if (this.#storing.size > 0) return
    if (this.#missing().every(({ host }) => this.#silent.has(host))) this.#collected.resolve()
  }

  async #startAnswering(): Promise<ReturnType<typeof answering>> {
    const { broker, run, hosts, documents, store, counted, blocks, sharedFolder, onEvent } = this.#input
    const live = liveLatencies(counted.values())
    return answering({
      broker,
      run,
      hosts,
      documents,
      store,
      counted,
      storing: this.#storing,
      failed: this.#failed,
      silent: this.#silent,
      sharedFolder,
      starts: await store.starts(),
      blocks: new Map(blocks.map((block) => [block.id, block])),
      onCounted: (result, block) => {
        this.#faults.measured(result.host)
        this.#noteMeasured(block, result.host)
        // The block may be queued for a second measurement, which is not needed any more.
        void takeBack(this.#handing, [block])
        this.#handOutFailed()
        const counts = { countedCount: counted.size, blockCount: blocks.length }
        onEvent({ kind: 'counted', result, ...counts, latencies: live.add(result) })
        this.#check()
      },
      onFurther: (result) => onEvent({ kind: 'further', result }),
    })
  }

  #watch(signal: AbortSignal): Promise<void> {
    const { run, blocks, counted, idleLimitMs } = this.#input
    return watchQueues(this.#handing, {
      blocks: new Map(blocks.map((block) => [nameJob(run, block), block])),
      signal,
      onFailed: (one) => this.#noteFailed(one),
      onMeasured: (block, host) => {
        if (!counted.has(block.id)) this.#noteMeasured(block, host)
      },
      onLost: (block, host) => {
        if (!counted.has(block.id)) this.#noteLost(block, host)
      },
      onSilence: (host, silentMs) => {
        if (silentMs < idleLimitMs) this.#silent.delete(host)
        else this.#silent.add(host)
        this.#check()
      },
    })
  }

  #handOutMissing(): void {
    const { broker, run } = this.#input
    void open(broker, run)
      .then(() => handOut(this.#handing, this.#missing()))
      .catch(this.#collected.reject)
  }

  /** Hands out failed blocks again if a host that can measure has joined after the others had failed them. */
  #handOutFailed(): void {
    const again = [...this.#failed.values()].filter(
      ({ block: { id, host } }) => host === null && this.#faults.isFor(id, new Set()),
    )
    if (again.length === 0) return
    for (const failedBlock of again) {
      this.#failed.delete(failedBlock.block.id)
      this.#input.onEvent({ kind: 'reassigned', failed: failedBlock })
    }
    void this.#handOutAgain(again.map(({ block }) => block)).catch(this.#collected.reject)
  }

  async #handOutAgain(blocks: readonly FleetBlock[]): Promise<void> {
    await takeBack(this.#handing, blocks)
    await handOut(this.#handing, blocks)
  }

  #noteFailed(one: FailedBlock): void {
    const { block } = one
    const { id } = block
    this.#measuredBy.delete(id)
    if (this.#input.counted.has(id) || this.#failed.has(id) || this.#reassigned.has(id)) return
    const { host, reason } = nameHost(one)
    if (host !== null) this.#keepFault({ host, part: block.part, kind: 'failed', reason })
    this.#reassigned.add(id)
    void this.#passOn(one)
      .catch(this.#collected.reject)
      .finally(() => this.#reassigned.delete(id))
  }

  /** Gives a failed block to another host, or notes its failure if no other one can measure it. */
  async #passOn(one: FailedBlock): Promise<void> {
    const { broker, onEvent } = this.#input
    const { block } = one
    const { host, reason } = nameHost(one)
    if (host !== null) {
      if (this.#faults.add(host, block.id)) onEvent({ kind: 'setAside', host, reason })
      if (block.host === null && this.#faults.isFor(block.id, await connectedHosts(broker))) {
        onEvent({ kind: 'reassigned', failed: one })
        await this.#handOutAgain([block])
        return
      }
    }
    this.#failed.set(block.id, one)
    onEvent({ kind: 'failed', failed: one })
    this.#check()
  }

  /** Records the host of a block. If it has changed, the previous one lost the block, perhaps unseen. */
  #noteMeasured(block: FleetBlock, host: string): void {
    const before = this.#measuredBy.get(block.id)
    this.#measuredBy.set(block.id, host)
    if (before !== undefined && before !== host) this.#noteLost(block, before)
  }

  #noteLost(block: FleetBlock, host: string): void {
    const lost = `${block.id} ${host}`
    if (this.#lost.has(lost)) return
    this.#lost.add(lost)
    this.#keepFault({ host, part: block.part, kind: 'silent', reason: null })
    this.#input.onEvent({ kind: 'lost', block, host })
  }

  #keepFault(fault: HostFault): void {
    this.#faultWrites = Promise.all([this.#faultWrites, this.#input.store.addFault(fault)])
    this.#faultWrites.catch(this.#collected.reject)
  }
}

/** Number of failures in a row after which a host is set aside. */
const maxFailuresInARow = 2

/** Failures by host and block. */
function hostFaults() {
  const inARow = new Map<string, number>()
  const failedOn = new Map<string, Set<string>>()
  const able = new Set<string>()
  return {
    /** @returns whether this failure sets the host aside */
    add(host: string, blockId: string): boolean {
      failedOn.set(blockId, (failedOn.get(blockId) ?? new Set()).add(host))
      const count = (inARow.get(host) ?? 0) + 1
      inARow.set(host, count)
      return count === maxFailuresInARow
    },
    measured(host: string): void {
      able.add(host)
      inARow.set(host, 0)
    },
    /** Whether any connected host, or one that has measured, may still measure a block. */
    isFor: (blockId: string, connected: ReadonlySet<string>): boolean =>
      [...able, ...connected].some(
        (host) => (inARow.get(host) ?? 0) < maxFailuresInARow && failedOn.get(blockId)?.has(host) !== true,
      ),
  }
}

/** Splits a reason into host and text. Without a host, none has failed, but all fell silent. */
function nameHost({ reason }: FailedBlock): { readonly host: string | null; readonly reason: string } {
  const { host = null, words = reason } = /^(?<host>[\w.-]+): (?<words>.+)$/s.exec(reason)?.groups ?? {}
  return { host, reason: words }
}

/**
 * Waits until agents have read their answers, because an agent that finds neither answer nor run would keep a counted
 * result. Agents that have ended read none, so the waiting time is limited.
 */
async function untilAnswersAreRead(broker: Broker, run: string): Promise<void> {
  const queue = broker.queue(askQueue(run))
  for (let waitedMs = 0; waitedMs < longestReadMs; waitedMs += readPauseMs) {
    if ((await queue.getCompletedCount()) === 0) return
    await sleep(readPauseMs)
  }
}

async function open({ redis, address }: Broker, run: string): Promise<void> {
  await redis.set(openKey(keyPrefix(address), run), 'open')
}

function stoppedEarly(run: string): Error {
  return fleetErrors.make('FLEET_STOPPED', {
    message: `${run} was stopped before all of its blocks were collected`,
    hint: `go on with: transcribench fleet run --resume ${run}`,
  })
}

function incomplete(
  { run, idleLimitMs }: CollectInput,
  { failed, waiting }: { readonly failed: readonly FailedBlock[]; readonly waiting: readonly FleetBlock[] },
): Error {
  const problems = failed.map(({ block, reason }) => ({ where: block.id, what: reason }))
  const resume = `transcribench fleet run --resume ${run}`
  if (waiting.length === 0) {
    return fleetErrors.make('FLEET_BLOCKS_FAILED', {
      message: `${counted(failed.length, 'block')} of ${run} could not be measured`,
      hint: `solve what the hosts say, then: ${resume}`,
      problems,
    })
  }
  const missing = [...Map.groupBy(waiting, ({ host }) => host)].map(([host, { length }]) => ({
    where: host ?? 'any agent',
    what: `${counted(length, 'block')} waiting, and no agent measured for ${waitInWords(idleLimitMs)}`,
  }))
  return fleetErrors.make('FLEET_HOSTS_MISSING', {
    message: `${counted(waiting.length, 'block')} of ${run} ${waiting.length === 1 ? 'is' : 'are'} missing`,
    hint: `start the agents (transcribench fleet agent), then: ${resume}`,
    problems: [...problems, ...missing],
  })
}

/** A block that will not be measured any more. */
interface FailedBlock {
  readonly block: FleetBlock
  readonly reason: string
}

interface QueueWatch {
  /** Blocks by the ids of their jobs. */
  readonly blocks: ReadonlyMap<string, FleetBlock>
  readonly signal: AbortSignal
  readonly onFailed: (failed: FailedBlock) => void
  /** Called when the agent of this host measures a block. */
  readonly onMeasured: (block: FleetBlock, host: string) => void
  /** Called when the agent of this host fell silent while measuring: it was killed, or its network was cut. */
  readonly onLost: (block: FleetBlock, host: string) => void
  /** Called repeatedly with the time for which no agent has measured a block of this queue. */
  readonly onSilence: (host: string | null, silentMs: number) => void
}

const shortestPauseMs = 2000
const pausePerQueueMs = 10

/** Polls until the signal for blocks that failed, and for queues that no agent takes blocks from. */
async function watchQueues(
  { broker }: { readonly broker: Broker },
  { blocks, onFailed, onMeasured, onLost, onSilence, signal }: QueueWatch,
): Promise<void> {
  const hosts = [...new Set([...blocks.values()].map(({ host }) => host))]
  const pauseMs = Math.max(shortestPauseMs, hosts.length * pausePerQueueMs)
  // Only polling pauses count as silence, because no host can be heard while Redis is away.
  const silentMs = new Map<string | null, number>()
  while (!signal.aborted) {
    for (const host of hosts) {
      const queue = broker.queue(blockQueue(host))
      for (const { id = '', failedReason } of await queue.getFailed()) {
        const block = blocks.get(id)
        if (block !== undefined) onFailed({ block, reason: printable(failedReason) })
      }
      const before = silentMs.get(host)
      const active = await lookAtActive(broker, queue)
      for (const { id, by, isLocked } of active) {
        const block = blocks.get(id)
        if (block !== undefined && by !== null) (isLocked ? onMeasured : onLost)(block, by)
      }
      const isSilent = before !== undefined && active.every(({ isLocked }) => !isLocked)
      silentMs.set(host, isSilent ? before + pauseMs : 0)
      onSilence(host, silentMs.get(host) ?? 0)
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}

/** The blocks that agents have taken, each with its host; null before the agent has set it. */
async function lookAtActive({ redis }: Broker, queue: Queue) {
  const active = []
  for (const { id, progress } of await queue.getActive()) {
    if (id === undefined) continue
    // Without a lock the agent was killed: its block stays active until another agent checks for such blocks.
    const isLocked = (await redis.exists(queue.toKey(`${id}:lock`))) > 0
    active.push({ id, by: typeof progress === 'string' ? printable(progress) : null, isLocked })
  }
  return active
}

/** The reason without control characters, because it comes from another machine and is shown on a terminal. */
function printable(reason: string | undefined): string {
  return (reason ?? 'no reason given').replaceAll(/\p{Cc}+/gu, ' ').slice(0, 500)
}

/** `90 s`, `30 min`. */
export function waitInWords(waitMs: number): string {
  const seconds = waitMs / 1000
  return seconds < 120 ? `${seconds} s` : `${Number((seconds / 60).toFixed(1))} min`
}
