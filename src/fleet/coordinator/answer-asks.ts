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
  /** Null in a shard. */
  readonly hosts: readonly string[] | null
  readonly blocks: ReadonlyMap<string, FleetBlock>
  readonly documents: PlanDocuments
  readonly store: PartStore
  /** A folder that hosts can write results to; null where there is none. */
  readonly sharedFolder: string | null
  /** Blocks whose results count; grows. */
  readonly counted: Map<string, BlockResult>
  /** When parts started, as far as an earlier process of this run knew. */
  readonly starts: ReadonlyMap<number, number>
  /** Blocks that no host measures any more, by their ids. */
  readonly failed: ReadonlyMap<string, unknown>
  /** Hosts on which no agent measures. */
  readonly silent: ReadonlySet<string | null>
  readonly onCounted: (result: BlockResult, block: FleetBlock) => void
  readonly onFurther: (result: BlockResult) => void
}

type Answers = { readonly [Kind in AskKind]: (ask: Asks[Kind]['ask']) => Promise<Asks[Kind]['answer']> }

/** Answers what agents ask. Every question is checked before it is read, and every answer is signed. */
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
      return counted.has(blockOf(result).id) ? await addFurther(result) : { isWanted: true }
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
      // From here on no other result can take its place.
      counted.set(id, result)
      await store.count(id, result).catch((error: unknown) => {
        counted.delete(id)
        throw error
      })
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

/** Hosts have so long to hear of it, to compare their clocks with that of Redis and to close their connections. */
const startsInMs = 3000

/** A host that is ready asks twice a second; one that has not asked for so long is absent. */
const presentMs = 10_000

/**
 * Starts a part when all hosts are ready for it. They ask again and again, so that a coordinator that is resumed hears of all of them, and
 * one host that cannot take part makes it fail on the others too: measured together later, it still is one load. A host that
 * comes after the start is given that of the others, and says how late it was.
 */
function commonStart(input: AnsweringInput): Answers['ready'] {
  const { broker, store, failed, silent, ...before } = input
  const hosts = before.hosts ?? []
  const starts = new Map<number, number | Promise<number>>(before.starts)
  const askedAtMs = new Map<string, number>()
  const keep = async (part: number, startAtMs: number): Promise<number> => {
    await store.addStart(part, startAtMs)
    return startAtMs
  }
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
    if (!starts.has(part)) {
      refuseAbsent(part)
      const isReady = (each: string): boolean =>
        nowMs - (askedAtMs.get(blockId(part, each)) ?? Number.NEGATIVE_INFINITY) < presentMs
      if (hosts.every(isReady)) starts.set(part, keep(part, nowMs + startsInMs))
    }
    return { startAtMs: (await starts.get(part)) ?? null }
  }
}

/** What is handed out: blocks of a run, with the SHA-256 of the documents, by the number of the part. */
interface HandingOut extends Pick<PlanDocuments, 'hashes'> {
  readonly broker: Broker
  readonly run: string
}

const blocksAtOnce = 500

/** Puts blocks into their queues. Those that are there already stay as they are. */
export async function handOut(input: HandingOut, blocks: readonly FleetBlock[]): Promise<void> {
  const { broker, hashes, run } = input
  const expiresAtMs = (await broker.nowMs()) + validMs
  for (const [host, own] of Map.groupBy(blocks, (block) => block.host)) {
    const queue = broker.queue(blockQueue(host))
    const jobs = own.map((block) => {
      const jobId = nameJob(run, block)
      const { part } = block
      const documentSha256 = hashes[part] ?? ''
      const body: BlockJob = { run, part, partCount: hashes.length, host, documentSha256 }
      return {
        name: 'block',
        data: seal(body, broker.address, { place: jobPlace(queue.name, jobId), expiresAtMs }),
        opts: {
          jobId,
          // Where it failed on one host, the coordinator decides whether another one is there for it.
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

/** Takes blocks out of their queues; those that are being measured stay. */
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
