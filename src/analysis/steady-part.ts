import type { AttemptLine } from '#journal'
import type { LoadShape } from '#load'
import type { JudgedRequest } from './judged-run.ts'

/**
 * Where in its block a request was sent: while the load built up, while it was what it is called, or while it ran out.
 *
 *   in flight │      ┌──────────────────┐
 *             │   ┌──┘                  └──┐
 *             │ ──┘                        └──
 *             └──ramp──┴─────steady─────┴─drain──► time
 */
export type WindowPart = 'ramp' | 'steady' | 'drain'

/** The first attempt of a request: it is what the load sent. */
type Sent = Pick<JudgedRequest, 'request'> & Pick<AttemptLine, 'sentAtMs' | 'dueAtMs' | 'endedAtMs'>

/**
 * The part of every request of one contender that was sent, by its index. Ramp and drain are told by the moment of
 * sending, never by that of the answer: of what ends late, the slow would be left out.
 *
 * - Closed, N in flight: the first N of a block, which leave at once, and the last N, which have fewer and fewer beside
 *   them. One in flight has neither.
 * - Speakers: the first N, and whatever is sent after the first of them has sent their last.
 * - Open: what is due before the first answer, while the server was filling up, and in as long a time before the last
 *   moment. Not what has no answer by then, which under overload would be the worst of all.
 *
 * A block that a run was resumed in is two, each with a ramp of its own.
 */
export function windowParts(
  requests: readonly JudgedRequest[],
  load: LoadShape,
): ReadonlyMap<number, WindowPart> {
  const sent = requests.flatMap(({ request, attempt, first }): (Sent & { readonly block: string })[] => {
    if (attempt === null || first === null) return []
    const block = `${request.block} ${attempt.sitting ?? 0}`
    return [{ request, block, sentAtMs: first.sentAtMs, dueAtMs: first.dueAtMs, endedAtMs: first.endedAtMs }]
  })
  const parts = new Map<number, WindowPart>()
  for (const unordered of Map.groupBy(sent, (one) => one.block).values()) {
    const block = unordered.toSorted((a, b) => a.sentAtMs - b.sentAtMs)
    const partOf = partsOfBlock(block, load)
    for (const [position, one] of block.entries()) parts.set(one.request.index, partOf(one, position))
  }
  return parts
}

type PartOf = (one: Sent, position: number) => WindowPart

/** @param block at least one, in the order of sending */
function partsOfBlock(block: readonly Sent[], load: LoadShape): PartOf {
  switch (load.kind) {
    case 'closed': {
      const { concurrency } = load
      if (concurrency === 1) return () => 'steady'
      return (_, position) => between(position, concurrency, block.length - concurrency)
    }
    case 'speakers': {
      const lastOf = new Map(block.map((one) => [speakerOf(one), one.sentAtMs]))
      const firstSilenceMs = least([...lastOf.values()])
      return ({ sentAtMs }, position) =>
        position < load.speakers ? 'ramp' : sentAtMs > firstSilenceMs ? 'drain' : 'steady'
    }
    default: {
      const dueAtMs = block.map((one) => one.dueAtMs)
      const [firstMs, lastMs] = [least(dueAtMs), -least(dueAtMs.map((ms) => -ms))]
      const rampMs = least(block.map(({ endedAtMs }) => endedAtMs)) - firstMs
      return (one) =>
        one.dueAtMs < firstMs + rampMs ? 'ramp' : one.dueAtMs > lastMs - rampMs ? 'drain' : 'steady'
    }
  }
}

function between(position: number, from: number, until: number): WindowPart {
  if (position < from) return 'ramp'
  return position < until ? 'steady' : 'drain'
}

function speakerOf({ request }: Sent): number {
  return request.send?.kind === 'spoken' ? request.send.speaker : 0
}

function least(values: readonly number[]): number {
  return values.reduce((smallest, value) => Math.min(smallest, value), Number.POSITIVE_INFINITY)
}
