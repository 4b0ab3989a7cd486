import { describe, expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import type { AttemptLine } from '#journal/attempt-line'
import type { TelemetryLine } from '#journal/telemetry-line'
import { seededRandom } from '#prelude'
import { blank } from '../journal/a-run.ts'
import { normalDraws } from '../statistics/normal-draws.ts'
import { measuredRun } from './measured-run.ts'

const utterances = ['short', 'long', 'longer'].map((id) => ({ id, reference: 'yes' }))
const lengthMs: Readonly<Record<string, number>> = { short: 100, long: 400, longer: 900 }

/** Ten rounds; each takes so much longer than the one before, by contender. */
function drifting(growth: Readonly<Record<string, number>>): RunMaterial {
  return measuredRun({
    utterances,
    contenders: Object.keys(growth),
    rounds: 10,
    fate: () => 'yes',
    durationMs: ({ contenderId, utterance, round }) =>
      (lengthMs[utterance.id] ?? 0) * (growth[contenderId] ?? 1) ** (round + (round % 3) / 10),
  })
}

/** The same where the server says of its own time what is given. */
function reporting(run: RunMaterial, ownMs: (line: AttemptLine) => number | null): RunMaterial {
  const attempts = run.attempts.map((line): AttemptLine => {
    if (!line.outcome.ok) return line
    const own = { serverLatencyMs: ownMs(line), serverDecodeMs: null }
    return { ...line, outcome: { ok: true, answer: { ...line.outcome.answer, ...own } } }
  })
  return { ...run, attempts }
}

const silent = (run: RunMaterial): RunMaterial => reporting(run, () => null)

/** Thirty samples over the time of a run. */
function sampled(
  { attempts }: RunMaterial,
  readings: (sample: number, atMs: number) => Partial<TelemetryLine>,
): TelemetryLine[] {
  const spanMs = Math.max(...[...attempts].map(({ endedAtMs }) => endedAtMs))
  return Array.from({ length: 30 }, (_, sample) => {
    const atMs = (sample * spanMs) / 30
    return { ...blank, atMs, ...readings(sample, atMs) }
  })
}

const driftsOf = (run: RunMaterial): readonly string[] =>
  evaluateRun(run).findings.flatMap(({ code, message }) => (code === 'DRIFT_WITHIN_RUN' ? [message] : []))

describe('a change while a run lasts', () => {
  test('is that of the contender where the server reports it itself', () => {
    expect(driftsOf(drifting({ tiny: 1.05 }))).toEqual([
      expect.stringMatching(/^tiny became (5|6)\d% slower .*95% interval/),
    ])
    expect(driftsOf(drifting({ tiny: 0.95 }))).toEqual([expect.stringMatching(/^tiny became \d+% faster/)])
  })

  test('is not that of the contender where the server was steady by its own times', () => {
    const steady = reporting(drifting({ tiny: 0.95 }), ({ utteranceId }) => (lengthMs[utteranceId] ?? 0) - 30)
    expect(driftsOf(steady)).toEqual([
      expect.stringMatching(/less time .* they did not change: what changed is this machine or the way/),
    ])
  })

  test('is that of a contender where another one in the same turns was steady, and of the machine where it was not', () => {
    expect(driftsOf(silent(drifting({ tiny: 1.05, base: 1 })))).toEqual([
      expect.stringMatching(/^tiny became (5|6)\d% slower/),
    ])
    const both = driftsOf(silent(drifting({ tiny: 1.05, base: 1.04 })))
    expect(both).toHaveLength(2)
    for (const message of both) expect(message).toContain('in the same turns: what changed is the machine')
  })

  test('of a contender that is alone is that of the client where this program stood still, and of an unknown one otherwise', () => {
    const alone = silent(drifting({ tiny: 0.95 }))
    const telemetry = sampled(alone, (sample) => ({ ownLoopDelayMs: sample < 10 ? 200 : 5 }))
    expect(driftsOf({ ...alone, telemetry })).toEqual([
      expect.stringMatching(/stood still for 195 ms less at a time then: what changed is the client/),
    ])
    expect(driftsOf(alone)).toEqual([expect.stringContaining('cannot be known from one contender')])
  })

  test('is not that of a contender while other programs keep the machine busy', () => {
    const run = silent(drifting({ tiny: 1.05, base: 1 }))
    const telemetry = sampled(run, (_, atMs) => ({
      serverCpuSeconds: 0,
      ownCpuSeconds: 0,
      hostCpuSeconds: atMs / 1000,
    }))
    expect(driftsOf({ ...run, telemetry })).toEqual([
      expect.stringMatching(/^requests to tiny took .* processors busy, so it is not known what changed$/),
    ])
  })

  test('is none where each turn was fast or slow by chance: its requests are not measurements apart', () => {
    // Of 80 runs whose turns differ by 8 %, the ends of some differ by 10 %, and a twentieth may be called certain.
    const random = seededRandom(3)
    const draw = normalDraws(random)
    const found = Array.from({ length: 80 }, () => {
      const turns = Array.from({ length: 8 }, () => draw())
      const run = measuredRun({
        utterances: Array.from({ length: 10 }, (_, at) => ({ id: `u${at}`, reference: 'yes' })),
        contenders: ['tiny'],
        rounds: 8,
        fate: () => 'yes',
        durationMs: ({ utterance, round }) =>
          (200 + 50 * Number(utterance.id.slice(1))) *
          Math.exp(0.08 * (turns[round] ?? 0) + 0.01 * random.unit()),
      })
      return driftsOf(run).length
    })
    expect(found.filter((count) => count > 0).length).toBeLessThanOrEqual(4)
  })
})
