import type { AttemptLine } from '#journal'
import type { LoadShape } from '#load'
import type { WindowPart } from '../documents/utterance-evaluation.ts'
import type { ResolvedRequest } from './resolved-run.ts'

/** The first attempt of a request: it is what the load sent. */
interface Sending extends Pick<AttemptLine, 'sentAtMs' | 'dueAtMs' | 'endedAtMs'> {
  readonly resolved: ResolvedRequest
  readonly speaker: number
}

/**
 * The part of every request of one contender, in their order; null for one that was not sent. Ramp and drain are decided by the moment of
 * sending, never by that of the answer: of what ends late, the slow would be excluded.
 *
 * - Closed, N in flight: the first N of a block, which leave at once, and the last N, which have fewer and fewer next to
 *   them. One in flight has neither.
 * - Concurrent users: the first N, and whatever is sent after the first of them has sent their last.
 * - Open: what is due before the first answer, while the server was filling up, and in as long a time before the last
 *   moment. Not what has no answer by then, which under overload would be the worst of all.
 *
 * A block that a run was resumed in is two, each with its own ramp.
 */
export function windowParts(
  requests: readonly ResolvedRequest[],
  load: LoadShape,
): readonly (WindowPart | null)[] {
  if (load.kind === 'closed' && load.concurrency === 1) {
    return requests.map(({ first }) => (first === null ? null : 'steady'))
  }
  const parts = new Map<ResolvedRequest, WindowPart>()
  const blocks = Map.groupBy(
    requests.filter(({ attempt }) => attempt !== null),
    ({ request, attempt }) => `${request.block} ${attempt?.segment ?? 0}`,
  )
  for (const block of blocks.values()) {
    const sendings = block.flatMap(firstSending).sort((a, b) => a.sentAtMs - b.sentAtMs)
    const partOf = partsOfBlock(sendings, load)
    for (const [position, sending] of sendings.entries()) {
      parts.set(sending.resolved, partOf(sending, position))
    }
  }
  return requests.map((request) => parts.get(request) ?? null)
}

function firstSending(resolved: ResolvedRequest): readonly Sending[] {
  const { first, request } = resolved
  if (first === null) return []
  const { sentAtMs, dueAtMs, endedAtMs } = first
  const speaker = request.send?.kind === 'spoken' ? request.send.speaker : 0
  return [{ resolved, sentAtMs, dueAtMs, endedAtMs, speaker }]
}

/** @param sendings at least one, in the order of sending */
function partsOfBlock(
  sendings: readonly Sending[],
  load: LoadShape,
): (sending: Sending, position: number) => WindowPart {
  switch (load.kind) {
    case 'closed': {
      const { concurrency } = load
      return (_, position) => between(position, concurrency, sendings.length - concurrency)
    }
    case 'users': {
      const lastOf = new Map(sendings.map(({ speaker, sentAtMs }) => [speaker, sentAtMs]))
      const firstSilenceMs = least(lastOf.values())
      return ({ sentAtMs }, position) =>
        position < load.users ? 'ramp' : sentAtMs > firstSilenceMs ? 'drain' : 'steady'
    }
    default: {
      const dueAtMs = sendings.map((sending) => sending.dueAtMs)
      const [firstMs, lastMs] = [least(dueAtMs), -least(dueAtMs.map((ms) => -ms))]
      const rampMs = least(sendings.map(({ endedAtMs }) => endedAtMs)) - firstMs
      return (sending) =>
        sending.dueAtMs < firstMs + rampMs ? 'ramp' : sending.dueAtMs > lastMs - rampMs ? 'drain' : 'steady'
    }
  }
}

function between(position: number, from: number, until: number): WindowPart {
  if (position < from) return 'ramp'
  return position < until ? 'steady' : 'drain'
}

function least(values: Iterable<number>): number {
  let smallest = Number.POSITIVE_INFINITY
  for (const value of values) smallest = Math.min(smallest, value)
  return smallest
}
