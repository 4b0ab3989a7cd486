import type { ScoredContender } from '../../requests/scored-contender.ts'
import type { ScoredRequest } from '../../requests/scored-request.ts'

/** A block of one contender: what it was sent in one turn. */
export interface TurnBlock {
  readonly block: number
  /** In the order of the plan; the n-th request of every contender's block is of the same utterance. */
  readonly requests: readonly ScoredRequest[]
}

/** The blocks of a contender by turn. A block of which a request was not sent has no partner, and is null. */
export function turnBlocks({ requests }: Pick<ScoredContender, 'requests'>): readonly (TurnBlock | null)[] {
  const blocks = new Map<number, ScoredRequest[]>()
  for (const request of requests) {
    const { block } = request.resolved.request
    const known = blocks.get(block)
    if (known === undefined) blocks.set(block, [request])
    else known.push(request)
  }
  return [...blocks]
    .sort(([a], [b]) => a - b)
    .map(([block, own]) => (own.every(isSent) ? { block, requests: own } : null))
}

function isSent({ resolved: { status, reused } }: ScoredRequest): boolean {
  return (status === 'scored' && reused === null) || status === 'failed'
}

/**
 * Turns in pairs, as they were planned: two turns in ABBA order are the unit of a speed within a run. What slows the
 * machine from the end of one turn to the beginning of the next falls on the same contender in both, and would make turns
 * by themselves look more alike than they are.
 *
 * @returns only pairs of which both turns are there
 */
export function pairsOfTurns<Turn>(turns: readonly (Turn | null)[]): readonly (readonly [Turn, Turn])[] {
  const pairs: (readonly [Turn, Turn])[] = []
  for (let turn = 0; turn + 1 < turns.length; turn += 2) {
    const [first, second] = [turns[turn], turns[turn + 1]]
    if (first != null && second != null) pairs.push([first, second])
  }
  return pairs
}
