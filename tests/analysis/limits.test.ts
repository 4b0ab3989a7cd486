import { warmUpFigures } from '#analysis/figures/latency/cold-start'
import { hostSpeedDifference } from '#analysis/figures/machine/conditions'
import type { FindingDetector } from '#analysis/findings/finding-definition'
import { textsDegenerate, textsUnstable } from '#analysis/findings/references'
import { driftWithinRun } from '#analysis/findings/run/drift-within-run'
import { generatorLate, hostBusy } from '#analysis/findings/run/host'
import { littlesLawBroken } from '#analysis/findings/run/littles-law-broken'
import * as load from '#analysis/findings/run/load'
import { fewSpeakers, fewUtterances, utteranceDominates } from '#analysis/findings/run/utterances'
import { coldText, repeatsFaster } from '#analysis/findings/run/warm-up'
import { atLimit, times } from './measured-run.ts'

type Detector = FindingDetector<never>

/** Number of findings. The facts are those that the detector looks at. */
function count({ detect }: Detector, facts: object): number {
  const material = { record: { host: { cpuCount: 10 }, status: 'finished', command: [], corpus: {} } }
  const machine = { instrument: { foreignProcessors: null, sendLagMs: null }, resources: { host: {} } }
  const whole = { material, ...machine, load: { kind: 'closed', concurrency: 1 }, contenders: [], ...facts }
  return [detect(whole as never)].flat().length
}

/** A contender with one answered request for each two numbers, at which it is sent and answered. */
const sent = (...edges: readonly number[]) => ({
  ...{ contender: { id: 'tiny' }, requests: [], utterances: [], warmup: [] },
  sendings: times(edges.length / 2, (index) => ({
    ...{ index, attempt: 1, block: 0, dueAtMs: 0, audioSeconds: 1, outcome: { ok: true } },
    ...{ sentAtMs: edges[2 * index] ?? 0, endedAtMs: edges[2 * index + 1] ?? 0 },
  })),
})
const inFlight = (detector: Detector, ...edges: readonly number[]) =>
  count(detector, { resolved: { contenders: [sent(...edges)] } })

const texts = (detector: Detector, numerator: number, low: number) => {
  const rate = { numerator, denominator: 40, interval: { low } }
  const pathologies = [{ kind: 'loop', rate, examples: [] }]
  const flakiness = { rate, betweenRepeatsRate: null, unstableIds: [] }
  return count(detector, { crossedIds: new Set(), analyses: [{ pathologies, flakiness }] })
}
atLimit('TEXTS_DEGENERATE needs 3 texts', { 3: 1, 2: 0 }, (n) => texts(textsDegenerate, n, 1))
atLimit('TEXTS_DEGENERATE needs 5%', { 0.05: 1, 0.0499: 0 }, (low) => texts(textsDegenerate, 9, low))
atLimit('TEXTS_UNSTABLE needs 3 texts', { 3: 1, 2: 0 }, (n) => texts(textsUnstable, n, 1))
atLimit('TEXTS_UNSTABLE needs 10%', { 0.1: 1, 0.0999: 0 }, (low) => texts(textsUnstable, 9, low))

const corpus = (detector: Detector, referenceLength: number, high: number, speakerCount = 2) => {
  const words = { referenceLength, rate: 0.1, interval: { low: 0, high } }
  const contenders = [{ words, utteranceCount: 1, scoredCount: 1, speakerCount }]
  return count(detector, { scorer: { profile: { leads: 'words' } }, contenders, difference: null })
}
atLimit('FEW_SPEAKERS needs 2 to 19', { 1: 0, 2: 1, 19: 1, 20: 0 }, (n) => corpus(fewSpeakers, 1000, 1, n))
atLimit('FEW_UTTERANCES needs over 2 points', { 0.0201: 1, 0.02: 0 }, (high) =>
  corpus(fewUtterances, 1000, high),
)
atLimit('FEW_UTTERANCES needs under 300 words', { 299: 1, 300: 0 }, (words) =>
  corpus(fewUtterances, words, 0.01),
)

const dominated = (passes: number, ...errors: readonly number[]) => {
  const tally = { leads: 'words', idAt: String, errors, lengths: errors.map(() => 100), passes }
  return count(utteranceDominates, { utteranceTallies: [tally] })
}
atLimit('UTTERANCE_DOMINATES needs over half', { 11: 1, 10: 0 }, (most) => dominated(1, most, 10, 0))
atLimit('UTTERANCE_DOMINATES needs 10 errors a round', { 20: 1, 19: 0 }, (all) => dominated(2, all, 0, 0))
atLimit('UTTERANCE_DOMINATES needs 3 utterances', { 3: 1, 2: 0 }, (n) =>
  dominated(1, 10, ...times(n - 1, () => 0)),
)

const busy = (foreignProcessors: number, p99: number, p50 = 100, cpuStalledRate: number | null = null) => {
  const instrument = { foreignProcessors, sendLagMs: { p99, max: p99 } }
  const contenders = [{ latencyMs: { p50: { value: p50 } } }]
  return count(hostBusy, { contenders, instrument, resources: { host: { cpuStalledRate } } })
}
atLimit('HOST_BUSY needs over a fifth of 10 processors', { 2.01: 1, 2: 0 }, (foreign) => busy(foreign, 0))
atLimit('HOST_BUSY needs a lag over 20 ms', { 20.1: 1, 20: 0 }, (lagMs) => busy(0, lagMs))
atLimit('HOST_BUSY needs a lag over a tenth of 400 ms', { 40.1: 1, 40: 0 }, (lagMs) => busy(0, lagMs, 400))
atLimit('HOST_BUSY needs a fifth of the time', { 0.2: 1, 0.199: 0 }, (rate) => busy(0, 30, 100, rate))

const late = (lateCount: number, lagMs: number) => {
  const contenders = [sent(...times(100, (index) => [index < lateCount ? lagMs : 0, 100]).flat())]
  return count(generatorLate, { load: { latencyCountsFrom: 'due' }, resolved: { contenders } })
}
atLimit('GENERATOR_LATE needs 4 of 100 requests', { 4: 1, 3: 0 }, (lateCount) => late(lateCount, 30))
atLimit('GENERATOR_LATE needs over 20 ms', { 20.1: 1, 20: 0 }, (lagMs) => late(10, lagMs))
atLimit('GENERATOR_LATE needs over 10 ms a request', { 1001: 1, 1000: 0 }, (lagMs) => late(1, lagMs))

atLimit('CLOCK_STEPPED needs over 250 ms', { 251: 1, 250: 0 }, (clockStepMaxMs) =>
  count(load.clockStepped, { instrument: { clockStepMaxMs } }),
)
atLimit('LOAD_NOT_KEPT needs under 95% of 100 requests', { 94.9: 1, 95: 0 }, (meanInFlight) => {
  const contenders = [{ contender: { concurrency: 100 }, systemSpeed: { value: 1, meanInFlight } }]
  return count(load.loadNotKept, { contenders })
})

const stalled = (usualMs: number, usualCount: number, stallMs: number) => {
  const usual = times(usualCount, (nth) => [nth * usualMs, (nth + 1) * usualMs]).flat()
  return inFlight(load.closedLoadHides, ...usual, usualCount * usualMs, usualCount * usualMs + stallMs)
}
atLimit('CLOSED_LOAD_HIDES needs 1 s', { 1000: 1, 999: 0 }, (ms) => stalled(100, 10, ms))
atLimit('CLOSED_LOAD_HIDES needs 5 times 300 ms', { 1500: 1, 1499: 0 }, (ms) => stalled(300, 10, ms))
atLimit('CLOSED_LOAD_HIDES needs 1% of the time', { 990: 1, 991: 0 }, (usual) => stalled(100, usual, 1000))

atLimit('LITTLES_LAW_BROKEN needs an excess over 0.2%', { 201: 1, 200: 0 }, (ms) =>
  inFlight(littlesLawBroken, 0, 1000 + ms, 1000, 100_000, 100_000, 100_100),
)
atLimit('LITTLES_LAW_BROKEN needs a gap over 1 s', { 1001: 1, 1000: 0 }, (ms) =>
  inFlight(littlesLawBroken, 0, 10_000, 10_000 + ms, 20_000),
)
atLimit('LITTLES_LAW_BROKEN needs a gap over 2%', { 2001: 1, 2000: 0 }, (ms) =>
  inFlight(littlesLawBroken, 0, 100_000 - ms, 100_000, 100_100),
)
const dependent = (latenciesMs: readonly number[]) => {
  const scored = [{ resolved: sent(), latencies: latenciesMs.map((latencyMs) => ({ latencyMs })) }]
  return count(load.latenciesDependent, { load: { latencyCountsFrom: 'due' }, scored })
}
atLimit('LATENCIES_DEPENDENT needs 100 requests', { 100: 1, 99: 0 }, (n) => dependent(times(n, (at) => at)))
// Two values alternate so many times, then each stays: an autocorrelation of 0.97 - 2 * alternations / 100.
atLimit('LATENCIES_DEPENDENT needs an autocorrelation of 0.3', { 32: 1, 34: 0 }, (alternations) =>
  dependent(times(100, (at) => (at < alternations ? at % 2 : Number(2 * at >= 100 + alternations)))),
)

const answered = (detector: Detector, recordings: readonly (readonly number[])[]) => {
  const byIndex = new Map(recordings.map((edges, index) => [index, sent(...edges).sendings]))
  return count(detector, { closedLoadAnswers: [{ resolved: sent(), answered: byIndex }] })
}
const repeats = (ms: number, recordings: number, slower = 0) =>
  answered(
    repeatsFaster,
    times(recordings, (nth) => [0, 100, 200, 200 + (nth < slower ? 101 : ms)]),
  )
atLimit('REPEATS_FASTER needs half of the time', { 50: 1, 51: 0 }, (ms) => repeats(ms, 9))
atLimit('REPEATS_FASTER needs 6 recordings', { 6: 1, 5: 0 }, (recordings) => repeats(10, recordings))
atLimit('REPEATS_FASTER needs all but one of 9', { 9: 1, 8: 0 }, (recordings) => repeats(10, recordings, 1))
atLimit('a speed that is not compared needs a slow start of 1%', { 0.01: 1, 0.0099: 0 }, (timeShare) => {
  const evaluation = { contenders: [{ contender: {}, warmUp: { slowBeginning: { timeShare } } }] }
  return coldText(evaluation as never) === null ? 0 : 1
})

/** Two recordings are sent ten times each, every second, and take longer by one factor from one to the next. */
const drifting = (change: number, answers: number) => {
  const tookMs = (nth: number) => 100 * (1 + change) ** (nth / 19)
  const every = times(answers, (nth) => [1000 * nth, 1000 * nth + tookMs(nth)])
  return answered(
    driftWithinRun,
    [0, 1].map((own) => every.filter((_, nth) => nth % 2 === own).flat()),
  )
}
atLimit('DRIFT_WITHIN_RUN needs 10%', { 0.101: 1, 0.099: 0 }, (change) => drifting(change, 20))
atLimit('DRIFT_WITHIN_RUN needs 20 answers', { 20: 1, 19: 0 }, (answers) => drifting(0.5, answers))

/** How many of the first answers are slow: two, or so many, took longer than the 100 ms of all others. */
const slow = (ms: number, { answers = 80, utteranceCount = 16, slowCount = 2 } = {}) => {
  const requests = times(answers, (nth) => {
    const attempt = { sentAtMs: 1000 * nth, endedAtMs: 1000 * nth + (nth < slowCount ? ms : 100) }
    return { status: 'scored', utteranceIndex: nth % utteranceCount, attempt }
  })
  const { slowBeginning } = warmUpFigures({ warmup: [], requests } as never, { kind: 'closed' })
  return slowBeginning?.requestCount ?? -1
}
atLimit('a slow beginning needs 2 answers', { 2: 2, 1: 0 }, (slowCount) => slow(500, { slowCount }))
atLimit('a slow beginning needs over 125 ms', { 126: 2, 125: 0 }, (ms) => slow(ms))
atLimit('a slow beginning needs 40 later answers', { 80: 2, 78: -1 }, (answers) => slow(500, { answers }))
atLimit('a slow beginning needs 3 answers each', { 40: 2, 60: -1 }, (utteranceCount) =>
  slow(500, { answers: 120, utteranceCount }),
)

atLimit('machines are as fast down to 85%', { 0.849: 1, 0.85: 0, 1.176: 0, 1.177: 1 }, (ratio) => {
  const side = (value: number) =>
    [{ host: { speed: { integerMillionsPerSecond: value, floatBillionsPerSecond: value } } }] as never
  return Number(hostSpeedDifference(side(1), side(ratio)) !== null)
})
