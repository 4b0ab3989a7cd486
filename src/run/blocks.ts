import type { PlannedRequest } from '#journal'

/** What one contender is sent in one go. */
export interface Block {
  readonly contenderId: string
  readonly requests: PlannedRequest[]
  /** Measured blocks of the same contender before this one: blocks of one turn meet the same arrivals. */
  readonly turn: number
}

/** The plan cut into its blocks. */
export function blocksOf(requests: readonly PlannedRequest[]): Block[] {
  const blocks: Block[] = []
  const turns = new Map<string, number>()
  let previous: PlannedRequest | null = null
  for (const request of requests) {
    const { block, contenderId, phase } = request
    if (previous?.block === block && previous.contenderId === contenderId) {
      blocks.at(-1)?.requests.push(request)
    } else {
      const turn = turns.get(contenderId) ?? 0
      blocks.push({ contenderId, requests: [request], turn })
      if (phase === 'measure') turns.set(contenderId, turn + 1)
    }
    previous = request
  }
  return blocks
}
