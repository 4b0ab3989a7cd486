import { describe, expect, test } from 'vitest'
import { compareSides } from '#analysis/comparison/compare-runs'
import type { Evaluation } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import { canDecide } from '#analysis/figures/ranking/paired-rates'
import { poolScores, scoresWithFailures } from '#analysis/figures/ranking/pooled-scores'
import { contenderDifference, rankContenders } from '#analysis/figures/ranking/ranking'
import { seededRandom } from '#prelude'
import { renderComparison } from '#reports/comparison/render-comparison'
import { renderSummary } from '#reports/run/render-summary'
import { anUtterance } from '../journal/a-run.ts'
import { measuredRun, spokenUtterances, timedOut } from './measured-run.ts'

const utterances = spokenUtterances(40, 'a b c d e f g h')
const terminal = { width: 80, color: false, unicode: true }

/** Contenders that get each word wrong, each with its probability. */
function evaluated(rates: Readonly<Record<string, number>>, seed: number): Evaluation {
  return evaluateRun(runOf(rates, seed))
}

function runOf(rates: Readonly<Record<string, number>>, seed: number) {
  const random = seededRandom(seed)
  return measuredRun({
    utterances,
    contenders: Object.keys(rates),
    fate: ({ contenderId, utterance }) =>
      utterance.reference
        .split(' ')
        .map((word) => (random.unit() < (rates[contenderId] ?? 0) ? 'x' : word))
        .join(' '),
  })
}

test('the answers of several runs can be pooled as often as they are needed', () => {
  const [utterance] = runOf({ one: 0 }, 1).utterances
  if (utterance === undefined) return expect.unreachable()
  const sums = { wordErrors: 1, characterErrors: 2, words: 8, characters: 8 }
  const own = { utterance, hypotheses: ['a b'], roundCount: 1, ...sums }
  const runs = Array.from({ length: 2 }, () => ({
    answered: new Map([[utterance.id, own]]),
    failed: new Map([[utterance.id, { ...own, hypotheses: [''] }]]),
  }))
  const errors = { words: 1, characters: 2 }
  for (let time = 0; time < 2; time += 1) {
    expect(poolScores(runs).get(utterance.id)).toMatchObject({ hypotheses: ['a b', 'a b'], errors })
    const all = ['a b', '', 'a b', '']
    expect(scoresWithFailures(runs).get(utterance.id)).toMatchObject({ hypotheses: all, errors })
  }
})

describe('places by word error rate', () => {
  test('are shared by contenders that cannot be distinguished, and held alone by those that can', () => {
    const { ranking } = evaluated({ poor: 0.6, good: 0.1, fair: 0.1 }, 3)
    expect(ranking).toMatchObject({ metric: 'wer.all', confidence: 0.95, comparisonCount: 3 })
    expect(ranking?.bands.at(-1)).toEqual({ contenderId: 'poor', firstPlace: 3, lastPlace: 3 })
    expect(ranking?.bands.slice(0, 2).map(({ firstPlace, lastPlace }) => [firstPlace, lastPlace])).toEqual([
      [1, 2],
      [1, 2],
    ])
  })

  test('divide the errors of all rounds by the lengths of the readings that they were counted with', () => {
    const readings = { reference: 'a b c d', alternatives: ['e f'] }
    const run = measuredRun({
      utterances: [{ id: 'u0', reference: readings.reference }],
      rounds: 2,
      fate: ({ round }) => (round === 1 ? 'e f x' : 'a b c d x'),
    })
    const spoken = { ...run, utterances: run.utterances.map((one) => ({ ...one, ...readings })) }
    const compared = compareSides([spoken], [spoken])
    if (!compared.ok) throw compared.failure
    const [words] = compared.value.contenders[0]?.rates ?? []
    expect(words?.base).toEqual({ errors: 1, referenceLength: 3, rate: 1 / 3 })
    expect(evaluateRun(spoken).contenders[0]?.words.rate).toBe(1 / 3)
  })

  test('count failed requests as empty transcripts, so that sentence, places and table agree', () => {
    const run = measuredRun({
      utterances,
      contenders: ['lazy', 'good', 'poor'],
      fate: ({ contenderId, utterance }) => {
        const number = Number(utterance.id.slice(1))
        if (contenderId === 'lazy') return number % 7 < 3 ? timedOut : utterance.reference
        return contenderId === 'good' ? utterance.reference.replace('a', 'x') : 'a b c d x x x x'
      },
    })
    const evaluation = evaluateRun(run)
    expect(evaluation.ranking?.bands.map(({ contenderId }) => contenderId)).toEqual(['good', 'lazy', 'poor'])
    const text = renderSummary(evaluation, { terminal: { ...terminal, width: 1000 }, folder: null })
    expect(text.split('\n')[0]).toContain('good made')
    expect(text.split('\n')[0]).toContain(
      'lazy failed 18 of 40 requests (45.0%), which count as empty transcripts.',
    )
    expect(text).toMatch(/\n {2}good .*\n {2}lazy .*\n {2}poor /)
    expect(text).toMatch(/places +1 good · 2(–3)? lazy · (2–)?3 poor/)
  })

  test('are all shared by equal contenders, however many pairs there are', () => {
    const equal = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`c${index}`, 0.2]))
    const parted = Array.from({ length: 4 }, (_, seed) => evaluated(equal, seed + 1)).filter(
      ({ ranking }) =>
        ranking?.bands.some(({ firstPlace, lastPlace }) => firstPlace !== 1 || lastPlace !== 5) ?? true,
    )
    // One of twenty is, at most; with ranks instead of places it would be every one.
    expect(parted.length).toBeLessThanOrEqual(1)
  })

  test('agree with the difference of the first two and its interval, whatever the number of speakers and contenders', () => {
    const verdicts = { resolved: 0, open: 0 }
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = seededRandom(seed)
      const speakerCount = 6 + random.below(8)
      const spoken = Array.from({ length: 40 }, (_, index) => ({
        ...anUtterance,
        id: `u${index}`,
        speaker: `s${index % speakerCount}`,
      }))
      const harder = Array.from({ length: speakerCount }, () => 0.5 + random.unit())
      const pooled = [0.06, 0.11, 0.12].slice(0, 2 + (seed % 2)).map((rate, place) => {
        const scores = spoken.map((utterance, index) => {
          const chance = rate * (harder[index % speakerCount] ?? 1)
          const errors = Array.from({ length: 10 }, () => random.unit() < chance).filter(Boolean).length
          const sums = {
            errors: { words: errors, characters: errors },
            lengths: { words: 10, characters: 40 },
          }
          return [utterance.id, { utterance, hypotheses: [''], ...sums }] as const
        })
        return [`c${place}`, new Map(scores)] as const
      })
      const ranked = rankContenders(new Map(pooled), { leads: 'words', seed: 1 })
      const found = contenderDifference(ranked, { leads: 'words', seed: 1 })
      if (ranked === null || found === null) return expect.unreachable()
      const { better, worse, isResolved, wordErrorRate, differingCount } = found
      const isRanked = ranked.ranking.resolved.some((pair) => pair.better === better && pair.worse === worse)
      expect([seed, isRanked]).toEqual([seed, isResolved])
      const { low = 0, confidence = 0 } = wordErrorRate?.interval ?? {}
      const isApart = low > 0 && canDecide({ differingCount }, confidence)
      expect([seed, isApart]).toEqual([seed, isResolved])
      verdicts[isResolved ? 'resolved' : 'open'] += 1
    }
    expect(Math.min(verdicts.resolved, verdicts.open)).toBeGreaterThan(10)
  })

  test('are not there for one contender, nor reported from five utterances', () => {
    expect(evaluated({ only: 0.2 }, 1).ranking).toBeNull()
    const few = measuredRun({
      utterances: utterances.slice(0, 5),
      contenders: ['good', 'poor'],
      fate: ({ contenderId, utterance }) => (contenderId === 'good' ? utterance.reference : 'x'),
    })
    expect(evaluateRun(few).ranking?.bands.map(({ lastPlace }) => lastPlace)).toEqual([2, 2])
  })

  test('stand under the table of three contenders and of a comparison of three, and are left out for two', () => {
    const rates = { poor: 0.6, good: 0.1, fair: 0.1 }
    const shown = renderSummary(evaluated(rates, 3), { terminal, folder: null })
    expect(shown.replaceAll(/\s+/g, ' ')).toMatch(
      /places 1–2 \w+ · 1–2 \w+ · 3 poor \(by word error rate, failures as empty transcripts; sure together at 95% over 3 pairs\)/,
    )
    const compared = compareSides([runOf(rates, 3)], [runOf(rates, 4)])
    if (!compared.ok) throw compared.failure
    expect(compared.value.ranking.run?.bands).toHaveLength(3)
    expect(renderComparison(compared.value, [], terminal)).toMatch(/places +1–2/)
    const two = renderSummary(evaluated({ good: 0.1, poor: 0.6 }, 3), { terminal, folder: null })
    expect(two).not.toContain('places')
  })
})
