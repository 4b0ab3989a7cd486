import type { AttemptLine } from '#journal'
import type { LoadShape } from '#load'
import { groupNumbers, lazyRows, type Rows } from '#prelude'
import type { WindowPart } from '../documents/utterance-evaluation.ts'
import type { ResolvedRequest } from './resolved-run.ts'

/** A byte a request; what was not sent has no part. */
const partCodes: readonly (WindowPart | null)[] = [null, 'ramp', 'steady', 'drain']

/** The first attempt of a request: it is what the load sent. */
type Sent = Pick<AttemptLine, 'sentAtMs' | 'dueAtMs' | 'endedAtMs'> & { readonly speaker: number }

/** What was sent in one go. */
interface Block {
  /** At least one, in the order of sending. */
  readonly rows: Uint32Array
  sentOf(row: number): Sent
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
export function windowParts(requests: Rows<ResolvedRequest>, load: LoadShape): Rows<WindowPart | null> {
  const isOne = load.kind === 'closed' && load.concurrency === 1
  const parts = isOne ? steadyWhereSent(requests) : partsByBlock(requests, load)
  return lazyRows(parts.length, (row) => partCodes[parts[row] as number] ?? null)
}

function steadyWhereSent(requests: Rows<ResolvedRequest>): Uint8Array {
  const parts = new Uint8Array(requests.length)
  let row = 0
  for (const { first } of requests) {
    parts[row] = partCodes.indexOf(first === null ? null : 'steady')
    row += 1
  }
  return parts
}

function partsByBlock(requests: Rows<ResolvedRequest>, load: LoadShape): Uint8Array {
  const parts = new Uint8Array(requests.length)
  const sentAtMs = new Float64Array(requests.length)
  for (const rows of blocksOf(requests, sentAtMs)) {
    rows.sort((a, b) => (sentAtMs[a] as number) - (sentAtMs[b] as number))
    const partOf = partsOfBlock({ rows, sentOf: (row) => sentAt(requests.at(row)) }, load)
    for (const [position, row] of rows.entries()) parts[row] = partCodes.indexOf(partOf(row, position))
  }
  return parts
}

/**
 * The rows of what was sent, block by block.
 *
 * @param sentAtMs is given the moment at which each of them was first sent
 */
function* blocksOf(requests: Rows<ResolvedRequest>, sentAtMs: Float64Array): Iterable<Uint32Array> {
  const numbers = new Map<string, number>()
  const [sent, blocks] = [new Uint32Array(requests.length), new Uint32Array(requests.length)]
  let [row, count] = [-1, 0]
  for (const { request, attempt, first } of requests) {
    row += 1
    if (attempt === null || first === null) continue
    const key = `${request.block} ${attempt.segment ?? 0}`
    const block = numbers.get(key) ?? numbers.size
    numbers.set(key, block)
    sent[count] = row
    blocks[count] = block
    sentAtMs[row] = first.sentAtMs
    count += 1
  }
  const { ends, rows } = groupNumbers(blocks.subarray(0, count))
  let start = 0
  for (const end of ends) {
    yield rows.slice(start, end).map((at) => sent[at] as number)
    start = end
  }
}

function sentAt(resolved: ResolvedRequest | undefined): Sent {
  const first = resolved?.first ?? null
  if (resolved === undefined || first === null) throw new TypeError('a request of a block was not sent')
  const { sentAtMs, dueAtMs, endedAtMs } = first
  const { send } = resolved.request
  return { sentAtMs, dueAtMs, endedAtMs, speaker: send?.kind === 'spoken' ? send.speaker : 0 }
}

type PartOf = (row: number, position: number) => WindowPart

function partsOfBlock({ rows, sentOf }: Block, load: LoadShape): PartOf {
  switch (load.kind) {
    case 'closed': {
      const { concurrency } = load
      return (_, position) => between(position, concurrency, rows.length - concurrency)
    }
    case 'users': {
      const lastOf = new Map<number, number>()
      for (const row of rows) {
        const { speaker, sentAtMs } = sentOf(row)
        lastOf.set(speaker, sentAtMs)
      }
      const firstSilenceMs = least(lastOf.values())
      return (row, position) =>
        position < load.users ? 'ramp' : sentOf(row).sentAtMs > firstSilenceMs ? 'drain' : 'steady'
    }
    default: {
      const [dueAtMs, endedAtMs] = [new Float64Array(rows.length), new Float64Array(rows.length)]
      for (const [position, row] of rows.entries()) {
        const sent = sentOf(row)
        dueAtMs[position] = sent.dueAtMs
        endedAtMs[position] = sent.endedAtMs
      }
      const [firstMs, lastMs] = [least(dueAtMs), -least(dueAtMs.map((ms) => -ms))]
      const rampMs = least(endedAtMs) - firstMs
      return (_, position) => {
        const dueMs = dueAtMs[position] as number
        return dueMs < firstMs + rampMs ? 'ramp' : dueMs > lastMs - rampMs ? 'drain' : 'steady'
      }
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
