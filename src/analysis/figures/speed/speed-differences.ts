import type { RunRecord } from '#journal/run-record'
import { makeSchedule } from '#load/loads/registry'
import { fewestTurns } from '#load/what-is-sent'
import { sumOf } from '#prelude'
import type { PairedRatioTerm } from '#statistics/bootstrap'
import { type Bounds, mapBounds } from '#statistics/bounds'
import { estimateMean } from '#statistics/distributions'
import { ratioOfRatios } from '#statistics/intervals'
import { mean } from '#statistics/quantiles'
import type { Verdict } from '../../documents/contender-comparison.ts'
import type { ContenderEvaluation } from '../../documents/contender-evaluation.ts'
import type { EvaluatedLoad, Evaluation } from '../../documents/evaluation.ts'
import type { Crossover } from '../../documents/latency.ts'
import type { SpeedDifference, SpeedDifferences } from '../../documents/speed.ts'
import { configuredRounds } from '../../requests/evaluated-load.ts'
import { type LatencySample, type ScoredRequest, steadyLatency } from '../../requests/request-times.ts'
import type { ScoredContender } from '../../requests/scored-contender.ts'
import { confirmedCrossover, findCrossover, type PairedLatency } from '../latency/latency-crossover.ts'
import { type Claim, decideWithConfidence } from '../ranking/claims.ts'
import { defaultMargins, recordedMargins } from './margins.ts'
import { blockWindows } from './system-speed.ts'

/** Ratio below which processor times count as equal: counters have steps, and other programs have a small effect. */
export const likeProcessorTime = 1.02

/**
 * Compares the speeds of all contenders of a run. The unit is a pair of turns in ABBA order, in which both got the
 * same utterances within a short time. The interval covers the spread between pairs of turns in this run, not that
 * between runs, so a difference within the margin is not claimed.
 *
 * Other programs that slow a server down hardly change its processor time per second of audio. If that contradicts
 * the clock, no difference is claimed.
 *
 * A single contender has no pairs; the result then only shows whether its speed is comparable.
 *
 * @param withheld why speeds of this run are not comparable; null where they are
 */
export function speedDifferences(
  record: RunRecord,
  { contenders, load }: Pick<Evaluation, 'contenders' | 'load'>,
  scored: readonly ScoredContender[],
  withheld: string | null,
): SpeedDifferences {
  const { speed: margin } = { ...defaultMargins, ...recordedMargins(record) }
  const sides = scored.map((contender) => makeSide(contender, contenders, load))
  const turnCount = Math.min(...sides.map(({ turns }) => turns.length))
  // An unfinished run may still get the missing turns.
  const lacksTurns = scored.length > 1 && turnCount < fewestTurns && record.status === 'finished'
  const needed = lacksTurns ? roundsNeeded(record, contenders, turnCount) : null
  const shared = { withheld, margin, turnCount, roundsNeeded: needed }
  if (withheld !== null) return { ...shared, pairs: [], crossovers: [] }
  // Hosts were not interleaved, so a difference between them in a single run may be chance.
  const onOneHost = everyTwo(sides).filter(([first, second]) => findHost(first) === findHost(second))
  const drafts = onOneHost
    .filter(isOneStepApart)
    .flatMap(([first, second]) => draftDifference(first, second, load, margin) ?? [])
  const decisions = decideWithConfidence(drafts.map(({ claim }) => claim))
  return {
    ...shared,
    pairs: drafts.map(({ row, intervalAt, opposite, turns }, index) => {
      const { verdict, confidence } = decisions[index] ?? { verdict: 'unresolved', confidence: 0.95 }
      const interval = intervalAt(confidence)
      return {
        ...row,
        interval: interval === null ? null : { ...interval, confidence, method: 'pairs-of-turns' },
        verdict: judgeSpeed(verdict === 'better' && opposite !== null ? 'unresolved' : verdict),
        reason: interval === null ? `needs ${fewestTurns} turns, has ${turns}` : opposite,
      }
    }),
    crossovers:
      sides.length > maxCrossed
        ? []
        : onOneHost.map(([first, second]) => ({
            first: first.id,
            second: second.id,
            crossover: confirmCrossover(first, second, load),
          })),
  }
}

/** Max number of contenders whose crossovers are listed; more have too many pairs to read. */
const maxCrossed = 4

/** Selects pairs of matrix cells that differ in one dimension, so that the difference has one cause. */
function isOneStepApart([first, second]: readonly [Side, Side]): boolean {
  const [one, other] = [first.figures.contender, second.figures.contender]
  const differences = (['threads', 'concurrency', 'transport'] as const).filter(
    (key) => one[key] !== other[key],
  )
  const isOtherModel = one.model !== other.model || one.engine !== other.engine
  return differences.length === 0 || (differences.length === 1 && !isOtherModel)
}

function everyTwo<Item>(items: readonly Item[]): readonly (readonly [Item, Item])[] {
  return items.flatMap((first, index) => items.slice(index + 1).map((second) => [first, second] as const))
}

/** Returns null in a run on one host. */
function findHost({ figures }: Side): string | null {
  return figures.contender.merged?.host ?? null
}

function judgeSpeed(verdict: Verdict): SpeedDifference['verdict'] {
  if (verdict === 'better') return 'faster'
  return verdict === 'equivalent' ? 'alike' : 'unresolved'
}

interface Side {
  readonly id: string
  readonly samples: readonly LatencySample[]
  readonly figures: ContenderEvaluation
  readonly turns: readonly (TurnBlock | null)[]
  /** Audio and length of the steady windows of each block. */
  readonly windows: ReadonlyMap<number, { readonly audioSeconds: number; readonly lengthMs: number }>
}

function makeSide(
  scored: ScoredContender,
  contenders: readonly ContenderEvaluation[],
  { concurrency }: EvaluatedLoad,
): Side {
  const { id } = scored.resolved.contender
  const figures = contenders.find(({ contender }) => contender.id === id)
  if (figures === undefined) throw new TypeError(`contender ${id} was scored and not evaluated`)
  const windows = new Map<number, { audioSeconds: number; lengthMs: number }>()
  const context = {
    concurrency: scored.resolved.contender.concurrency ?? concurrency,
    isDrained: () => false,
  }
  for (const { block, steady } of blockWindows(scored.resolved.sendings, context)) {
    if (steady === null) continue
    const window = windows.get(block) ?? { audioSeconds: 0, lengthMs: 0 }
    window.audioSeconds += steady.audioSeconds
    window.lengthMs += steady.lengthMs
    windows.set(block, window)
  }
  return { id, samples: scored.latencies, figures, turns: turnBlocks(scored), windows }
}

interface Estimate {
  readonly ratio: number
  /** Returns null with too few pairs of turns. */
  readonly intervalAt: (confidence: number) => Bounds | null
}

interface SpeedDraft {
  readonly row: Pick<SpeedDifference, 'faster' | 'slower' | 'basis' | 'ratio'>
  readonly claim: Claim
  readonly intervalAt: Estimate['intervalAt']
  /** Number of turns in which both got all requests. */
  readonly turns: number
  /** Note that processor time contradicts the clock; null where it does not. */
  readonly opposite: string | null
}

function draftDifference(first: Side, second: Side, load: EvaluatedLoad, margin: number): SpeedDraft | null {
  const isBySpeed =
    load.kind === 'closed' &&
    first.figures.systemSpeed.value !== null &&
    second.figures.systemSpeed.value !== null
  const estimateOf = isBySpeed ? speedRatio : (a: Side, b: Side) => latencyRatio(a, b, load)
  const estimate = estimateOf(first, second)
  if (estimate === null) return null
  const isFirst = estimate.ratio >= 1
  const [faster, slower] = isFirst ? [first, second] : [second, first]
  const { ratio, intervalAt } = isFirst ? estimate : inverted(estimate)
  return {
    row: { faster: faster.id, slower: slower.id, basis: isBySpeed ? 'speed' : 'latency', ratio },
    claim: {
      better: 'higher',
      margin: Math.log1p(margin),
      canDecideAt: () => true,
      intervalAt: (confidence) => mapBounds(intervalAt(confidence), Math.log),
    },
    intervalAt,
    turns: bothTurns(first, second).filter((turn) => turn !== null).length,
    opposite: findOpposite(faster.figures, slower.figures),
  }
}

function inverted({ ratio, intervalAt }: Estimate): Estimate {
  return {
    ratio: 1 / ratio,
    intervalAt: (confidence) => {
      const interval = intervalAt(confidence)
      return interval === null ? null : { low: 1 / interval.high, high: 1 / interval.low }
    },
  }
}

/** Min number of pairs of turns for a reliable interval. */
const fewestPairs = fewestTurns / 2

/** Returns the ratio of the two system speeds, first / second. */
function speedRatio(first: Side, second: Side): Estimate | null {
  const [firstSpeed, secondSpeed] = [first.figures.systemSpeed.value, second.figures.systemSpeed.value]
  if (firstSpeed === null || secondSpeed === null || firstSpeed <= 0 || secondSpeed <= 0) return null
  const pairs = pairsOfTurns(bothTurns(first, second))
  const units = pairs.flatMap((pair): PairedRatioTerm | readonly [] => {
    const [base, run] = [second, first].map(({ windows }, side) => {
      const pairWindows = pair.map((turn) => windows.get((side === 0 ? turn.second : turn.first).block))
      if (pairWindows.some((window) => window === undefined)) return null
      return {
        numerator: sumOf(pairWindows, (window) => window?.audioSeconds ?? 0),
        denominator: sumOf(pairWindows, (window) => window?.lengthMs ?? 0),
      }
    })
    return base == null || run == null ? [] : { base, run }
  })
  const estimate = units.length < fewestPairs ? null : ratioOfRatios(units)
  return {
    ratio: estimate?.ratio ?? firstSpeed / secondSpeed,
    intervalAt: (confidence) => estimate?.intervalAt(confidence) ?? null,
  }
}

/** Returns the ratio of request latencies, second / first. */
function latencyRatio(first: Side, second: Side, load: EvaluatedLoad): Estimate | null {
  const byPair = Map.groupBy(pairedLatencies(first, second, load), ({ unit }) => unit)
  const means = [...byPair.values()].map((latencies) => mean(latencies.map(({ logRatio }) => logRatio)))
  if (means.length === 0) return null
  const estimate = means.length < fewestPairs ? null : estimateMean(means)
  return {
    ratio: Math.exp(mean(means)),
    intervalAt: (confidence) => mapBounds(estimate?.intervalAt(confidence) ?? null, Math.exp),
  }
}

/** Returns the requests of the steady part that both answered, with their pair of turns. */
function pairedLatencies(first: Side, second: Side, load: EvaluatedLoad): readonly PairedLatency[] {
  return pairsOfTurns(bothTurns(first, second)).flatMap((turns, unit) =>
    turns.flatMap((turn) =>
      turn.first.requests.flatMap((request, position) => {
        const other = turn.second.requests[position]
        const ours = steadyLatency(request, load)
        const theirs = other === undefined ? null : steadyLatency(other, load)
        if (ours === null || theirs === null) return []
        const audioSeconds = request.resolved.utterance.durationSeconds
        return [{ unit, audioSeconds, logRatio: Math.log(theirs / ours) }]
      }),
    ),
  )
}

function confirmCrossover(first: Side, second: Side, load: EvaluatedLoad): Crossover {
  const found = confirmedCrossover(
    findCrossover(first.samples, second.samples),
    pairedLatencies(first, second, load),
    { fewest: fewestPairs, unitName: 'turns' },
  )
  if (found.kind !== 'none') return found
  const [faster, slower] = found.faster === 'first' ? [first, second] : [second, first]
  const opposite = findOpposite(faster.figures, slower.figures)
  return opposite === null ? found : { kind: 'unresolved', reason: opposite }
}

interface BothTurn {
  readonly first: TurnBlock
  readonly second: TurnBlock
}

/** Returns the turns of both contenders; null for a turn with an unsent request. */
function bothTurns(first: Side, second: Side): readonly (BothTurn | null)[] {
  return first.turns.map((turn, index) => {
    const other = second.turns[index]
    return turn === null || other == null ? null : { first: turn, second: other }
  })
}

function findOpposite(faster: ContenderEvaluation, slower: ContenderEvaluation): string | null {
  const fasterCost = faster.cpuSecondsPerAudioSecond.value
  const slowerCost = slower.cpuSecondsPerAudioSecond.value
  if (fasterCost === null || slowerCost === null || fasterCost <= slowerCost * likeProcessorTime) return null
  const times = (fasterCost / slowerCost).toFixed(fasterCost / slowerCost < 1.95 ? 2 : 1)
  return `${faster.contender.id} took less time, but ${times} times the processor time`
}

/** Returns the rounds that give enough turns; null where this run's rounds should, as in runs of older versions. */
function roundsNeeded(
  record: RunRecord,
  contenders: readonly ContenderEvaluation[],
  turnCount: number,
): number | null {
  const { steadyCount, ...schedule } = makeSchedule(record.load, { seed: 0, meanAudioSeconds: 1 })
  const requests = Math.max(...contenders.map(({ counts }) => counts.planned))
  if (turnCount === 0 || requests === 0) return null
  const isTimed = schedule.requestCount() !== null
  const rounds = isTimed ? configuredRounds(record) : record.rounds
  const needed = isTimed
    ? (fewestTurns * rounds) / turnCount
    : (fewestTurns * steadyCount * rounds) / requests
  return needed > rounds ? Math.ceil(needed) : null
}

/** The block of one contender in one turn. */
interface TurnBlock {
  readonly block: number
  /** Requests in the order of the plan; the n-th requests of all contenders' blocks have the same utterance. */
  readonly requests: readonly ScoredRequest[]
}

/** Returns the blocks of a contender by turn; null for a block with an unsent request, which has no partner. */
function turnBlocks({ requests }: Pick<ScoredContender, 'requests'>): readonly (TurnBlock | null)[] {
  return [...Map.groupBy(requests, ({ resolved }) => resolved.request.block)]
    .sort(([a], [b]) => a - b)
    .map(([block, turnRequests]) => (turnRequests.every(isSent) ? { block, requests: turnRequests } : null))
}

function isSent({ resolved: { status, reused } }: ScoredRequest): boolean {
  return (status === 'scored' && reused === null) || status === 'failed'
}

/**
 * Pairs turns as planned, because two turns in ABBA order are the unit of speed within a run. A disturbance across
 * two adjacent turns affects the same contender in both, and would make single turns look more similar than they are.
 *
 * @returns only pairs with both turns
 */
function pairsOfTurns<Turn>(turns: readonly (Turn | null)[]): readonly (readonly [Turn, Turn])[] {
  const pairs: (readonly [Turn, Turn])[] = []
  for (let turn = 0; turn + 1 < turns.length; turn += 2) {
    const [first, second] = [turns[turn], turns[turn + 1]]
    if (first != null && second != null) pairs.push([first, second])
  }
  return pairs
}
