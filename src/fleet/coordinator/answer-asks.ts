import { open } from 'node:fs/promises'
import type { Processor } from 'bullmq'
import type { Broker } from '../queue/broker.ts'
import {
  type AskKind,
  type Asks,
  askQueue,
  type BlockJob,
  type BlockResult,
  blockQueue,
  jobPlace,
  pieceBytes,
  validMs,
} from '../queue/messages.ts'
import type { PartStore } from '../queue/part-store.ts'
import { seal, unseal } from '../queue/seal.ts'
import { blockId, type FleetBlock, type PlanDocuments } from './fleet-blocks.ts'

export interface AnsweringInput {
  readonly broker: Broker
  readonly run: string
  /** Null in shard mode. */
  readonly hosts: readonly string[] | null
  readonly blocks: ReadonlyMap<string, FleetBlock>
  readonly documents: PlanDocuments
  readonly store: PartStore
  /** A folder in which hosts can write results; null if there is none. */
  readonly sharedFolder: string | null
  /** Results that count, by block id; the map grows. */
  readonly counted: Map<string, BlockResult>
  /** Ids of blocks whose results are being stored; `onCounted` follows. The set grows and shrinks. */
  readonly storing: Set<string>
  /** Start times of parts that an earlier process of this run has set. */
  readonly starts: ReadonlyMap<number, number>
  /** Blocks that will not be measured any more, by id. */
  readonly failed: ReadonlyMap<string, unknown>
  /** Hosts without an active agent. */
  readonly silent: ReadonlySet<string | null>
  readonly onCounted: (result: BlockResult, block: FleetBlock) => void
  readonly onFurther: (result: BlockResult) => void
}

type Answers = { readonly [Kind in AskKind]: (ask: Asks[Kind]['ask']) => Promise<Asks[Kind]['answer']> }

/** Answers the questions of agents. Every question is verified before it is parsed, and every answer is signed. */
export function answering(input: AnsweringInput): Processor {
  const { broker, run } = input
  const answers = collectAnswers(input)
  const queue = askQueue(run)
  return async ({ id = '', name, data }) => {
    const place = jobPlace(queue, id)
    const nowMs = await broker.nowMs()
    const body = unseal(data, broker.address, { place, nowMs })
    if (!Object.hasOwn(answers, name)) throw new Error(`"${name}" is no question`)
    const answer = await answers[name as AskKind](body as never)
    return seal(answer, broker.address, { place: `${place}/answer`, expiresAtMs: nowMs + validMs })
  }
}

function collectAnswers(input: AnsweringInput): Answers {
  const { run, hosts, documents, store, blocks, counted } = input
  const blockOf = ({ part, host }: BlockResult): FleetBlock => {
    const block = blocks.get(blockId(part, hosts === null ? null : host))
    if (block === undefined) throw new Error(`there is no part ${part} of ${host}`)
    return block
  }
  const addFurther = async (result: BlockResult): Promise<{ isCounted: boolean; isWanted: boolean }> => {
    const isOwn = counted.get(blockOf(result).id)?.execution === result.execution
    if (isOwn) return { isCounted: true, isWanted: false }
    await store.addFurther(result)
    input.onFurther(result)
    return { isCounted: false, isWanted: false }
  }
  return {
    fetch: ({ sha256, offset }) => readPiece(documents, sha256, offset),
    async offer(result) {
      return counted.has(blockOf(result).id) ? await addFurther(result) : { isWanted: true, isCounted: false }
    },
    async chunk({ execution, offset, base64 }) {
      await store.addChunk(execution, offset, Buffer.from(base64, 'base64'))
      return {}
    },
    async collect(result) {
      blockOf(result)
      const { sharedFolder: folder } = input
      return { isThere: folder !== null && result.run === run && (await store.addFile(result, folder)) }
    },
    async complete(result) {
      const block = blockOf(result)
      const { id } = block
      if (counted.has(id)) return addFurther(result)
      // The result is set before it is stored, so that no other one can replace it meanwhile.
      counted.set(id, result)
      input.storing.add(id)
      await store
        .count(id, result)
        .catch((error: unknown) => {
          counted.delete(id)
          throw error
        })
        .finally(() => input.storing.delete(id))
      input.onCounted(result, block)
      return { isCounted: true }
    },
    ready: commonStart(input),
  }
}

async function readPiece(
  { textOf, pathOf }: PlanDocuments,
  sha256: string,
  offset: number,
): Promise<{ base64: string; sizeBytes: number }> {
  const text = textOf(sha256)
  if (text !== null) {
    const bytes = Buffer.from(text)
    const base64 = bytes.subarray(offset, offset + pieceBytes).toString('base64')
    return { base64, sizeBytes: bytes.length }
  }
  const path = pathOf(sha256)
  if (path === null) throw new Error('the run has no such file')
  await using file = await open(path)
  const { size: sizeBytes } = await file.stat()
  const { bytesRead, buffer } = await file.read(Buffer.alloc(pieceBytes), 0, pieceBytes, offset)
  return { base64: buffer.subarray(0, bytesRead).toString('base64'), sizeBytes }
}

/** Time until a start, in which hosts receive it, compare their clocks with Redis and close their connections. */
const startsInMs = 3000

/** Maximum age of a host's last question; ready hosts ask twice a second, so an older one is absent. */
const presentMs = 10_000

/**
 * Starts a part when all hosts are ready for it. Hosts ask repeatedly, so a resumed coordinator learns of all of
 * them. If one host cannot take part, the part fails on all, because only hosts that start together form one load. A
 * host that comes after the start receives the same start, and reports how late it was. A start from which no result
 * came, as in a run that was stopped then, is replaced once all hosts are ready again.
 */
function commonStart(input: AnsweringInput): Answers['ready'] {
  const { broker, store, failed, silent, counted, ...before } = input
  const hosts = before.hosts ?? []
  const starts = new Map<number, number>(before.starts)
  const keeping = new Map<number, Promise<void>>()
  const askedAtMs = new Map<string, number>()
  const isVain = (part: number, nowMs: number): boolean =>
    nowMs - (starts.get(part) ?? nowMs) > presentMs && !hosts.some((host) => counted.has(blockId(part, host)))
  const refuseAbsent = (part: number): void => {
    for (const host of hosts) {
      const isFailed = failed.has(blockId(part, host))
      if (!isFailed && !silent.has(host)) continue
      const why = isFailed ? `${host} could not measure it` : `no agent measures on ${host}`
      throw new Error(`part ${part} has no common start, because ${why}`)
    }
  }
  return async ({ part, host }) => {
    const nowMs = await broker.nowMs()
    askedAtMs.set(blockId(part, host), nowMs)
    if (isVain(part, nowMs)) starts.delete(part)
    if (!starts.has(part)) {
      refuseAbsent(part)
      const isReady = (each: string): boolean =>
        nowMs - (askedAtMs.get(blockId(part, each)) ?? Number.NEGATIVE_INFINITY) < presentMs
      if (!hosts.every(isReady)) return { startAtMs: null }
      starts.set(part, nowMs + startsInMs)
      keeping.set(part, store.addStart(part, nowMs + startsInMs))
    }
    const startAtMs = starts.get(part) ?? null
    await keeping.get(part)
    return { startAtMs }
  }
}

/** Blocks to hand out, with the SHA-256 of the documents, by the number of the part. */
interface HandingOut extends Pick<PlanDocuments, 'hashes'> {
  readonly broker: Broker
  readonly run: string
}

const blocksAtOnce = 500

/** Puts blocks into their queues; blocks that are already there are unchanged. */
export async function handOut(input: HandingOut, blocks: readonly FleetBlock[]): Promise<void> {
  const { broker, hashes, run } = input
  const expiresAtMs = (await broker.nowMs()) + validMs
  for (const [host, hostBlocks] of Map.groupBy(blocks, (block) => block.host)) {
    const queue = broker.queue(blockQueue(host))
    const jobs = hostBlocks.map((block) => {
      const jobId = nameJob(run, block)
      const { part } = block
      const documentSha256 = hashes[part] ?? ''
      const body: BlockJob = { run, part, partCount: hashes.length, host, documentSha256 }
      return {
        name: 'block',
        data: seal(body, broker.address, { place: jobPlace(queue.name, jobId), expiresAtMs }),
        opts: {
          jobId,
          // After a failure the coordinator decides whether another host may try.
          attempts: 1,
          removeOnComplete: true,
          removeOnFail: { age: validMs / 1000 },
        },
      }
    })
    for (let first = 0; first < jobs.length; first += blocksAtOnce) {
      await queue.addBulk(jobs.slice(first, first + blocksAtOnce))
    }
  }
}

/** Removes blocks from their queues, except those that are being measured. */
export async function takeBack(
  { broker, run }: Pick<HandingOut, 'broker' | 'run'>,
  blocks: readonly FleetBlock[],
): Promise<void> {
  for (const block of blocks) {
    const queue = broker.queue(blockQueue(block.host))
    // A job that an agent has locked cannot be removed.
    await queue.remove(nameJob(run, block)).catch(() => undefined)
  }
}

export function nameJob(run: string, { id }: FleetBlock): string {
  return `${run}@${id}`
}
