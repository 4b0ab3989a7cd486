import type { PlannedRequest } from '#journal'
import { groupRows, type Rows } from '#prelude'

/** What one contender is sent in one go. */
export interface Block {
  readonly contenderId: string
  readonly requests: Rows<PlannedRequest>
  /** Measured blocks of the same contender before this one: blocks of one turn meet the same arrivals. */
  readonly turn: number
}

/** The plan cut into its blocks. */
export function blocksOf(requests: Rows<PlannedRequest>): Block[] {
  const turns = new Map<string, number>()
  // Those of a block follow each other, and in the warm-up so do those of a contender.
  return groupRows(requests, ({ block, contenderId }) => `${block} ${contenderId}`).flatMap((own) => {
    const first = own.at(0)
    if (first === undefined) return []
    const { contenderId, phase } = first
    const turn = turns.get(contenderId) ?? 0
    if (phase === 'measure') turns.set(contenderId, turn + 1)
    return [{ contenderId, requests: own, turn }]
  })
}
