import { open } from 'node:fs/promises'
import type { Processor } from 'bullmq'
import type { Broker } from '../queue/broker.ts'
import { type AskKind, type Asks, type BlockResult, pieceBytes, validMs } from '../queue/messages.ts'
import type { PartStore } from '../queue/part-store.ts'
import { askQueue, jobPlace } from '../queue/places.ts'
import { seal, unseal } from '../queue/seal.ts'
import { type CommonStart, commonStart } from './common-start.ts'
import { blockId, type FleetBlock, type PlanDocuments } from './fleet-blocks.ts'

export interface AnsweringInput extends Pick<CommonStart, 'starts' | 'failed' | 'silent'> {
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
  readonly onCounted: (result: BlockResult, block: FleetBlock) => void
  readonly onFurther: (result: BlockResult) => void
}

type Answers = { readonly [Kind in AskKind]: (ask: Asks[Kind]['ask']) => Promise<Asks[Kind]['answer']> }

/** Answers what agents ask. Every question is checked before it is read, and every answer is signed. */
export function answering(input: AnsweringInput): Processor {
  const { broker, run } = input
  const answers = answersOf(input)
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

function answersOf({ broker, run, hosts, documents, store, ...input }: AnsweringInput): Answers {
  const { blocks, counted, starts, failed, silent } = input
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
    fetch: ({ sha256, offset }) => pieceOf(documents, sha256, offset),
    async offer(result) {
      return counted.has(blockOf(result).id) ? await addFurther(result) : { isWanted: true }
    },
    async chunk({ execution, offset, base64 }) {
      await store.addChunk(execution, offset, Buffer.from(base64, 'base64'))
      return {}
    },
    async collect(result) {
      blockOf(result)
      const { sharedFolder } = input
      return {
        isThere: sharedFolder !== null && result.run === run && (await store.addFile(result, sharedFolder)),
      }
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
    ready: commonStart({ broker, hosts: hosts ?? [], store, starts, failed, silent }),
  }
}

async function pieceOf(
  { textOf, pathOf }: PlanDocuments,
  sha256: string,
  offset: number,
): Promise<{ base64: string; sizeBytes: number }> {
  const text = textOf(sha256)
  if (text !== null) {
    const bytes = Buffer.from(text)
    return {
      base64: bytes.subarray(offset, offset + pieceBytes).toString('base64'),
      sizeBytes: bytes.length,
    }
  }
  const path = pathOf(sha256)
  if (path === null) throw new Error('the run has no such file')
  await using file = await open(path)
  const { size: sizeBytes } = await file.stat()
  const { bytesRead, buffer } = await file.read(Buffer.alloc(pieceBytes), 0, pieceBytes, offset)
  return { base64: buffer.subarray(0, bytesRead).toString('base64'), sizeBytes }
}
