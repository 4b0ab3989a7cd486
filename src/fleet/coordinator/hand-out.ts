import type { Broker } from '../queue/broker.ts'
import { type BlockJob, validMs } from '../queue/messages.ts'
import { blockQueue, jobPlace } from '../queue/places.ts'
import { seal } from '../queue/seal.ts'
import type { FleetBlock } from './fleet-blocks.ts'

export interface HandingOut {
  readonly broker: Broker
  readonly run: string
  readonly partCount: number
  /** SHA-256 of the documents, by the number of the part. */
  readonly hashes: readonly string[]
}

const blocksAtOnce = 500

/** Puts blocks into their queues. Those that are there already stay as they are. */
export async function handOut(input: HandingOut, blocks: readonly FleetBlock[]): Promise<void> {
  const { broker, hashes, partCount, run } = input
  const expiresAtMs = (await broker.nowMs()) + validMs
  for (const [host, own] of Map.groupBy(blocks, (block) => block.host)) {
    const queue = broker.queue(blockQueue(host))
    const jobs = own.map((block) => {
      const jobId = jobIdOf(run, block)
      const { part } = block
      const body: BlockJob = { run, part, partCount, host, documentSha256: hashes[part] ?? '' }
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
    await queue.remove(jobIdOf(run, block)).catch(() => undefined)
  }
}

export function jobIdOf(run: string, { id }: FleetBlock): string {
  return `${run}@${id}`
}
