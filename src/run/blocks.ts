import type { PlannedRequest } from '#journal'

/** What one contender is sent in one go. */
export interface Block {
  readonly contenderId: string
  readonly requests: readonly PlannedRequest[]
  /** Turns before this one: blocks of one turn meet the same arrivals. */
  readonly turn: number
}

/** The plan cut into its blocks. */
export function blocksOf(requests: readonly PlannedRequest[]): Block[] {
  // Every contender has a block in every turn, also where no request of a random load falls into it.
  const contenders = new Set<string>()
  for (const { phase, contenderId } of requests) if (phase === 'measure') contenders.add(contenderId)
  // Those of a block follow each other, and in the warm-up so do those of a contender.
  return [...Map.groupBy(requests, ({ block, contenderId }) => `${block} ${contenderId}`).values()].flatMap(
    (own) => {
      const first = own.at(0)
      if (first === undefined) return []
      const { contenderId, block } = first
      return [{ contenderId, requests: own, turn: Math.max(0, Math.floor(block / contenders.size)) }]
    },
  )
}
