import type { AttemptLine, RunRecord } from '#journal'
import { quantile, sortSamples } from '#statistics'
import type { ContenderEvaluation } from '../../documents/contender-evaluation.ts'
import type { ResolvedContender } from '../../requests/resolved-run.ts'
import type { Observation } from '../finding-definition.ts'
import { openLoadCommand } from '../next-commands.ts'
import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

/** Without an answer for so long, and for so many times what the next answer usually takes, a server stood still. */
const shortestStallMs = 1000
const leastTimes = 5
/** Stalls of a smaller share of the time are what any server has. */
const leastShare = 0.01
/** An open load that a server with such stalls can still follow, as a share of what it answered. */
const openShare = 0.7

/** @see Schroeder, Wierman and Harchol-Balter 2006, "Open versus closed: a cautionary tale" */
export const closedLoadHides = {
  code: 'CLOSED_LOAD_HIDES',
  severity: 'warning',
  meaning:
    'Under a closed load nothing is sent while a server stops, so that a long stop is met by as many requests as are kept in flight, and ' +
    'hardly moves a percentile. Here the server gave no answer for a second or more at a time, at least five times as long as the next answer ' +
    'usually takes, for a hundredth of the time or more. Users who come when they like meet each stop in proportion to its length, which an open load shows.',
  detect: ({ load, resolved, contenders, material: { record } }) =>
    load.kind !== 'closed'
      ? []
      : resolved.contenders.flatMap((contender, place) => hidden(contender, contenders[place], record)),
} satisfies RunFinding

function hidden(
  { contender, sendings }: ResolvedContender,
  figures: ContenderEvaluation | undefined,
  record: RunRecord,
): readonly Observation[] {
  const usualMs = usualTime(sendings)
  const blocks = [...Map.groupBy(sendings, ({ block, segment = 0 }) => `${block} ${segment}`).values()].map(
    (block) => stallsOf(block, usualMs),
  )
  const measuredMs = blocks.reduce((sum, block) => sum + block.forMs, 0)
  const stalls = blocks.flatMap((block) => block.stallsMs)
  const stalledMs = stalls.reduce((sum, ms) => sum + ms, 0)
  if (stalls.length === 0 || stalledMs < leastShare * measuredMs) return []
  const longest = stalls.reduce((most, ms) => Math.max(most, ms), 0)
  const p95 = figures?.latencyMs.p95.value ?? null
  const rate = (openShare * sendings.length) / (measuredMs / 1000)
  const share = Math.max(1, Math.round((100 * stalledMs) / measuredMs))
  return [
    {
      message:
        `${contender.id} gave no answer for up to ${(longest / 1000).toFixed(1)} s at a time, ${counted(stalls.length, 'time')}, ` +
        `${share}% of the time in all` +
        (p95 === null
          ? ': under a closed load hardly a request meets that'
          : `, of which p95 (${Math.round(p95)} ms) shows little: under a closed load hardly a request meets that`),
      advice: `what users would meet shows an open load: ${openLoadCommand(record, `${Number(rate.toPrecision(2))}/s`)}`,
    },
  ]
}

/** What an answer usually takes, by the length of its audio: the longer of the median time, and the median time for a second of audio. */
function usualTime(sendings: readonly AttemptLine[]): (sending: AttemptLine) => number {
  const took: number[] = []
  const perSecond: number[] = []
  for (const { outcome, sentAtMs, endedAtMs, audioSeconds } of sendings) {
    if (!outcome.ok) continue
    took.push(endedAtMs - sentAtMs)
    if (audioSeconds > 0) perSecond.push((endedAtMs - sentAtMs) / audioSeconds)
  }
  const [usualMs, usualPerSecond] = [took, perSecond].map((own) => quantile(sortSamples(own), 0.5) ?? 0)
  return ({ audioSeconds }) => Math.max(usualMs ?? 0, audioSeconds * (usualPerSecond ?? 0))
}

/** The times of a block without any answer that are too long for the answer that ended them. */
function stallsOf(
  block: readonly AttemptLine[],
  usualMs: (sending: AttemptLine) => number,
): { readonly forMs: number; readonly stallsMs: readonly number[] } {
  const inTime = [...block].sort((one, other) => one.endedAtMs - other.endedAtMs)
  const startMs = inTime.reduce((least, { sentAtMs }) => Math.min(least, sentAtMs), Number.POSITIVE_INFINITY)
  const stallsMs: number[] = []
  let beforeMs = startMs
  for (const sending of inTime) {
    // Not the time in which nothing was in flight, because of a pause for a rate limit or a wait before a repeat.
    const gapMs = sending.endedAtMs - Math.max(beforeMs, sending.sentAtMs)
    if (sending.outcome.ok && gapMs >= shortestStallMs && gapMs >= leastTimes * usualMs(sending))
      stallsMs.push(gapMs)
    beforeMs = sending.endedAtMs
  }
  return { forMs: (inTime.at(-1)?.endedAtMs ?? startMs) - startMs, stallsMs }
}
