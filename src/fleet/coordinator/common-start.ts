import type { Broker } from '../queue/broker.ts'
import type { Asks } from '../queue/messages.ts'
import type { PartStore } from '../queue/part-store.ts'
import { blockId } from './fleet-blocks.ts'

export interface CommonStart {
  readonly broker: Broker
  readonly hosts: readonly string[]
  readonly store: PartStore
  /** When parts started, as far as an earlier process of this run knew. */
  readonly starts: ReadonlyMap<number, number>
  /** Blocks that no host measures any more, by their ids. */
  readonly failed: ReadonlyMap<string, unknown>
  /** Hosts on which no agent measures. */
  readonly silent: ReadonlySet<string | null>
}

type Ready = Asks['ready']

/** Hosts have so long to hear of it, to compare their clocks with that of Redis and to close their connections. */
const startsInMs = 3000

/** A host that is ready asks twice a second; one that has not asked for so long is absent. */
const presentMs = 10_000

/**
 * Starts a part when all hosts are ready for it. They ask again and again, so that a coordinator that is resumed hears of all of them, and
 * one host that cannot take part makes it fail on the others too: measured together later, it still is one load. A host that
 * comes after the start is given that of the others, and says how late it was.
 */
export function commonStart({
  broker,
  hosts,
  store,
  failed,
  silent,
  ...before
}: CommonStart): (ask: Ready['ask']) => Promise<Ready['answer']> {
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
