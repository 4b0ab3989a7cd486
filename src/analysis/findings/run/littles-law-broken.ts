import type { AttemptLine } from '#journal/attempt-line'
import { counted } from '#prelude'
import type { ResolvedContender } from '../../requests/resolved-run.ts'
import type { Observation } from '../finding-definition.ts'
import { isGivenUp, runFinding } from '../run-facts.ts'

/** Tolerance for rounded time stamps: a closed load cannot have more in flight than its concurrency. */
const tolerableOverlap = 0.002

/**
 * A gap of this length and share of a closed load is no busy moment of the machine: the measuring process stalled.
 * LOAD_NOT_KEPT reports the effect of shorter gaps.
 */
const tolerableGapShare = 0.02
const tolerableGapMs = 1000

const namedRequests = 5

export const littlesLawBroken = runFinding('LITTLES_LAW_BROKEN', 'invalid', (facts) =>
  facts.resolved.contenders.flatMap((resolved) => {
    const { contender } = resolved
    const isWhole = facts.material.record.status === 'finished' && !isGivenUp(contender.id, facts)
    const concurrency = contender.concurrency ?? facts.load.concurrency
    const slots = concurrency === null ? [] : slotProblem(resolved, concurrency)
    return [...missedAttempts(resolved, isWhole), ...[slots].flat()]
  }),
)

/**
 * Finds attempts that are missing or duplicated in the journal. The attempts of a request are numbered from 1, and a
 * finished run has sent all planned requests.
 */
function missedAttempts(
  { contender, requests, sendings }: ResolvedContender,
  isWhole: boolean,
): readonly Observation[] {
  // The numbers 1 to n add up to n (n + 1) / 2, unless one is missing or duplicated.
  const attempts = new Map<number, { last: number; count: number; sum: number }>()
  for (const { index, attempt } of sendings) {
    const tally = attempts.get(index) ?? { last: 0, count: 0, sum: 0 }
    attempts.set(index, tally)
    tally.last = Math.max(tally.last, attempt)
    tally.count += 1
    tally.sum += attempt
  }
  const missing: number[] = []
  const twice: number[] = []
  for (const { request, status, reused } of requests) {
    const tally = attempts.get(request.index)
    if (tally === undefined) {
      if (isWhole && status === 'notSent' && reused === null) missing.push(request.index)
    } else if (tally.count > tally.last) twice.push(request.index)
    else if (tally.count < tally.last || tally.sum !== (tally.last * (tally.last + 1)) / 2)
      missing.push(request.index)
  }
  return [
    observed(contender.id, missing, 'missing from the journal'),
    observed(contender.id, twice, 'in the journal more than once'),
  ].flat()
}

function observed(id: string, indexes: readonly number[], problem: string): Observation | readonly [] {
  if (indexes.length === 0) return []
  const named = indexes.slice(0, namedRequests).join(', ')
  const more = indexes.length > namedRequests ? ' …' : ''
  return {
    message: `attempts of ${counted(indexes.length, 'request')} to ${id} are ${problem} (request ${named}${more})`,
    advice: 'restore the run folder, or measure again',
  }
}

/** Slot time of a closed load in milliseconds × slots: `keptMs` is its capacity, `aboveMs` the excess over it. */
interface SlotTime {
  readonly keptMs: number
  readonly aboveMs: number
  /** The period without sendings, although slots were free, that lost the most. */
  readonly gap: { readonly forMs: number; readonly lostMs: number }
}

function slotProblem(
  { contender, sendings }: ResolvedContender,
  concurrency: number,
): Observation | readonly [] {
  const blocks = [...Map.groupBy(sendings, ({ block, segment = 0 }) => `${block} ${segment}`).values()]
  const slots = blocks.map((block) => addSlotTimes(block, concurrency))
  const keptMs = slots.reduce((sum, slot) => sum + slot.keptMs, 0)
  const aboveMs = slots.reduce((sum, slot) => sum + slot.aboveMs, 0)
  if (aboveMs > tolerableOverlap * keptMs) {
    const mean = concurrency * (1 + aboveMs / keptMs)
    return {
      message:
        `${mean.toFixed(2)} requests to ${contender.id} were in flight on average, where the load keeps ` +
        `${concurrency}: the times in the journal are not those of one run`,
      advice: 'measure again',
    }
  }
  const gap = slots.reduce((most, slot) => (slot.gap.lostMs > most.lostMs ? slot.gap : most), {
    forMs: 0,
    lostMs: 0,
  })
  if (gap.forMs <= tolerableGapMs || gap.lostMs <= tolerableGapShare * keptMs) return []
  return {
    message:
      `for ${(gap.forMs / 1000).toFixed(1)} s nothing was sent to ${contender.id} although fewer than ${concurrency} ` +
      `${concurrency === 1 ? 'request was' : 'requests were'} in flight: this program stood still`,
    advice: 'close other work on this machine, and measure again',
  }
}

/**
 * Adds up the used slots of a closed load in one block, from its first sending to its last start, after which no
 * request is left for a free slot. A request uses its slot from the time at which it could be sent, through pauses
 * for a rate limit and retries, until its last attempt ends.
 */
function addSlotTimes(block: readonly AttemptLine[], concurrency: number): SlotTime {
  const spans = new Map<number, { fromMs: number; untilMs: number }>()
  for (const { index, dueAtMs, pacedMs = 0, sentAtMs, endedAtMs } of block) {
    const fromMs = pacedMs > 0 ? Math.min(sentAtMs, dueAtMs - pacedMs) : sentAtMs
    const span = spans.get(index) ?? { fromMs, untilMs: endedAtMs }
    spans.set(index, span)
    span.fromMs = Math.min(span.fromMs, fromMs)
    span.untilMs = Math.max(span.untilMs, endedAtMs)
  }
  const starts = Float64Array.from(spans.values(), ({ fromMs }) => fromMs).sort()
  const ends = Float64Array.from(spans.values(), ({ untilMs }) => untilMs).sort()
  const [firstMs, lastMs] = [starts[0] ?? 0, starts.at(-1) ?? 0]
  let [started, ended, atMs, aboveMs] = [0, 0, firstMs, 0]
  let [gapFromMs, lostMs] = [firstMs, 0]
  let gap = { forMs: 0, lostMs: 0 }
  while (atMs < lastMs) {
    while ((starts[started] ?? Number.POSITIVE_INFINITY) <= atMs) {
      started += 1
      gapFromMs = atMs
      lostMs = 0
    }
    while ((ends[ended] ?? Number.POSITIVE_INFINITY) <= atMs) ended += 1
    const nextMs = Math.min(starts[started] ?? lastMs, ends[ended] ?? lastMs, lastMs)
    const inFlight = started - ended
    if (inFlight >= concurrency) {
      aboveMs += (inFlight - concurrency) * (nextMs - atMs)
      gapFromMs = nextMs
      lostMs = 0
    } else {
      lostMs += (concurrency - inFlight) * (nextMs - atMs)
      if (lostMs > gap.lostMs) gap = { forMs: nextMs - gapFromMs, lostMs }
    }
    atMs = nextMs
  }
  return { keptMs: concurrency * (lastMs - firstMs), aboveMs, gap }
}
