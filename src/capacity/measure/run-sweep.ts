import { type CrossedAnswers, findCrossedAnswers } from '#analysis/requests/crossed-answers'
import { type TranscriptScorer, transcriptScorer } from '#analysis/requests/transcript-scorer'
import type { BenchConfig } from '#config/bench-config'
import { sumOf } from '#prelude'
import { scoringProfile } from '#run/inputs'
import { errorCount, referenceLength } from '#scoring/counts'
import { countProcessors } from '#telemetry/host'
import type { LevelSample, LoadedServer, Turn } from '../loaded-server.ts'
import { analyseSweep, type CountErrors, type SweepInput, textsAlone } from '../sweep.ts'
import type { ContenderInput } from './contender-input.ts'

/** Results of a sweep, with the closed levels that the simulation is made from. */
export type SweptServer = Awaited<ReturnType<typeof runSweep>>

/** Share of the budget for the sweep, whose results the search starts from. */
const sweepShare = 0.18
const shortestLevelSeconds = 1
const maxLevelSeconds = 20
const shortestTurnSeconds = 3
/** Minimum duration of a turn, in multiples of the time to process all requests in flight. */
const queuesOfTurn = 2
const maxRounds = 4
/** Maximum share of the budget for processing one full queue; more in flight than that is skipped, except 2. */
const queueShare = 0.06
/** Minimum number of requests alone for the simulation, and their maximum share of the budget. */
const minAlone = 6
const aloneShare = 0.15

/**
 * Durations of the levels of a sweep, and the number of turns. With turns, a gradual slowdown of the machine does not
 * affect later levels alone.
 *
 * @param inFlights ascending, 1 first
 * @param aloneSeconds time of a request alone; null without an answer
 */
export function planSweep(budgetSeconds: number, inFlights: readonly number[], aloneSeconds: number | null) {
  const levels = inFlights.filter(
    (inFlight, index) => index < 2 || inFlight * (aloneSeconds ?? 0) <= queueShare * budgetSeconds,
  )
  const part = (sweepShare * budgetSeconds) / (levels.length + 2)
  const seconds = Math.min(maxLevelSeconds, Math.max(shortestLevelSeconds, part))
  const queueSeconds = (levels.at(-1) ?? 1) * (aloneSeconds ?? Number.POSITIVE_INFINITY)
  const shortest = Math.max(shortestTurnSeconds, queuesOfTurn * queueSeconds)
  const rounds = Math.min(maxRounds, Math.max(1, Math.floor(seconds / shortest)))
  const longest = Math.min(aloneShare * budgetSeconds, minAlone * (aloneSeconds ?? 0))
  return {
    rounds,
    // The first and the last level last twice as long, because everything is compared with them.
    levels: levels.map((inFlight, index) => ({
      inFlight,
      turnSeconds:
        Math.max(index === 0 ? longest : 0, (index === 0 || index === levels.length - 1 ? 2 : 1) * seconds) /
        rounds,
    })),
  }
}

/** The part of a contender's input that a sweep needs. */
type SweptInput = Pick<ContenderInput, 'config' | 'stop' | 'corpus' | 'spoken'> & {
  readonly request: Pick<ContenderInput['request'], 'budgetSeconds' | 'inFlights'>
  readonly clock: Pick<ContenderInput['clock'], 'nowMs'>
  readonly spent: Pick<ContenderInput['spent'], 'between' | 'busyBecause'>
}

/** Measures the levels in turns: ascending, then descending, and so on. */
export async function runSweep(input: SweptInput, server: LoadedServer, aloneSeconds: number | null) {
  const { request, config, clock, spent, stop } = input
  const plan = planSweep(request.budgetSeconds, request.inFlights, aloneSeconds)
  const levels = plan.levels.map((level) => ({
    ...level,
    turns: [] as Turn[],
    used: [] as ReturnType<typeof spent.between>[],
  }))
  const sweptFromMs = clock.nowMs()
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const level of round % 2 === 0 ? levels : levels.toReversed()) {
      if (stop?.aborted === true) break
      const fromMs = clock.nowMs()
      const { inFlight, turnSeconds: forSeconds } = level
      const seed = config.seed + 10 + inFlight + 1000 * round
      level.turns.push(await server.measure({ kind: 'closed', inFlight, forSeconds, seed }))
      level.used.push(spent.between(fromMs, clock.nowMs()))
    }
  }
  const swept = levels.filter(({ turns }) => turns.length > 0)
  const inputs = swept.map(({ inFlight, turns, used }): SweepInput => {
    const seen = used.filter((turn) => turn !== null)
    return {
      inFlight,
      turns,
      // The audio of every turn counts, so the CPU time is only known if every turn has it.
      serverCpuSeconds: seen.length < turns.length ? null : sumOf(seen, ({ cpuSeconds }) => cpuSeconds),
      // A process keeps the memory of a larger concurrency, so only the first ascending pass measures it.
      peakResidentBytes: used[0]?.peakResidentBytes ?? null,
    }
  })
  const single = inputs.filter(({ inFlight }) => inFlight === 1).flatMap(({ turns }) => turns.flat())
  const busyBecause = spent.busyBecause(sweptFromMs, countProcessors())
  return {
    sweep: analyseSweep(inputs, errorCounter(input), { seed: config.seed, busyBecause }),
    alone: textsAlone(single),
    closed: swept,
  }
}

/** The input for scoring texts. */
export type ScoredInput = Pick<ContenderInput, 'corpus' | 'spoken'> & {
  readonly config: Pick<BenchConfig, 'contenders' | 'scoring'>
}

function makeScorer({ corpus, config }: ScoredInput): TranscriptScorer {
  return transcriptScorer(scoringProfile(config, corpus))
}

/** Answers to one contender that belong to other recordings; null if there are none. */
export function crossedAnswers(
  input: ScoredInput,
  answered: readonly Pick<LevelSample, 'utteranceId' | 'sentAtMs' | 'endedAtMs' | 'text'>[],
): CrossedAnswers | null {
  const scorer = makeScorer(input)
  const utterances = input.spoken
  const spoken = new Map(utterances.map((utterance) => [utterance.id, utterance]))
  const sendings = answered.map((sending) => ({ ...sending, server: '' }))
  return findCrossedAnswers({
    utterances,
    scorer,
    sendings,
    answers: sendings.flatMap((sending) => {
      const { text, utteranceId } = sending
      const utterance = spoken.get(utteranceId)
      if (text === null || utterance === undefined) return []
      return [{ ...sending, text, counts: scorer.score(utterance, text)[scorer.profile.leads] }]
    }),
  })
}

/** Counts errors like the score of the run, in the unit of its leading rate. */
export function errorCounter(input: ScoredInput): CountErrors {
  const scorer = makeScorer(input)
  const spoken = new Map(input.spoken.map((utterance) => [utterance.id, utterance]))
  const { leads } = scorer.profile
  return {
    leads,
    count(utteranceId, text) {
      const utterance = spoken.get(utteranceId)
      if (utterance === undefined) return null
      const scored = scorer.score(utterance, text)
      const { [leads]: counts, words } = scored
      return { errors: errorCount(counts), length: referenceLength(counts), correctWords: words.hits }
    },
  }
}
