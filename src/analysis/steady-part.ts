import type { AttemptLine } from '#journal'
import type { LoadShape } from '#load'
import type { Rows } from '#prelude'
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
type Sent = Pick<AttemptLine, 'sentAtMs' | 'dueAtMs' | 'endedAtMs'> & {
  readonly row: number
  readonly speaker: number
}

/**
 * The part of every request of one contender, in their order; null for one that was not sent. Ramp and drain are told by the moment of
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
export function windowParts(requests: Rows<JudgedRequest>, load: LoadShape): readonly (WindowPart | null)[] {
  const parts: (WindowPart | null)[] = []
  const blocks = new Map<string, number[]>()
  for (const { request, attempt } of requests) {
    const row = parts.push(null) - 1
    if (attempt === null) continue
    const key = `${request.block} ${attempt.sitting ?? 0}`
    const block = blocks.get(key)
    if (block === undefined) blocks.set(key, [row])
    else block.push(row)
  }
  for (const rows of blocks.values()) {
    const block = rows.flatMap((row) => sentAt(requests, row)).sort((a, b) => a.sentAtMs - b.sentAtMs)
    const partOf = partsOfBlock(block, load)
    for (const [position, one] of block.entries()) parts[one.row] = partOf(one, position)
  }
  return parts
}

function sentAt(requests: Rows<JudgedRequest>, row: number): readonly Sent[] {
  const judged = requests.at(row)
  const first = judged?.first ?? null
  if (judged === undefined || first === null) return []
  const { sentAtMs, dueAtMs, endedAtMs } = first
  const { send } = judged.request
  return [{ row, sentAtMs, dueAtMs, endedAtMs, speaker: send?.kind === 'spoken' ? send.speaker : 0 }]
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
      const lastOf = new Map(block.map(({ speaker, sentAtMs }) => [speaker, sentAtMs]))
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

function least(values: readonly number[]): number {
  return values.reduce((smallest, value) => Math.min(smallest, value), Number.POSITIVE_INFINITY)
}
