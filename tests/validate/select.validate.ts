import { describe, expect, test } from 'vitest'
import { type Evaluation, evaluateRun, requiredUtterances } from '#analysis'
import { selectUtterances, type VerifiedUtterance } from '#corpus'
import { type Random, seededRandom } from '#prelude'
import { measuredRun, type PlayedRun } from '../analysis/measured-run.ts'

const words = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')
const speakerCount = 60
const pilotSize = 150
const repeats = 50

interface Simulated extends VerifiedUtterance {
  /** Wrong words of each contender. */
  readonly wrong: { readonly tiny: readonly number[]; readonly base: readonly number[] }
}

/** Utterances of speakers who differ in how hard they are, of which tiny gets one word in a hundred more wrong. */
function simulatedCorpus(utteranceCount: number, spread: number, random: Random): readonly Simulated[] {
  const speakers = Array.from({ length: speakerCount }, () => ({
    rate: 0.04 + 0.12 * random.unit(),
    difference: 0.01 + spread * (random.unit() - 0.5),
  }))
  return Array.from({ length: utteranceCount }, (_, index) => {
    const speaker = index % speakerCount
    const { rate, difference } = speakers[speaker] as { rate: number; difference: number }
    const wrong = { tiny: [] as number[], base: [] as number[] }
    for (const at of words.keys()) {
      const hardness = random.unit()
      const isOdd = random.unit() < 0.03
      if (hardness < rate + difference || (isOdd && random.unit() < 0.5)) wrong.tiny.push(at)
      if (hardness < rate || (isOdd && random.unit() < 0.5)) wrong.base.push(at)
    }
    return utteranceOf(`u${index}`, `s${speaker}`, wrong)
  })
}

function utteranceOf(id: string, speaker: string, wrong: Simulated['wrong']): Simulated {
  return {
    ...{
      id,
      speaker,
      wrong,
      audioPath: `/${id}.wav`,
      text: words.join(' '),
      alternatives: [],
      hasChoices: false,
    },
    ...{
      durationSeconds: 4,
      sha256: '',
      language: 'en',
      tags: [],
      keywords: [],
      source: null,
      derived: null,
    },
    ...{ line: 1, sizeBytes: 1, mimeType: 'audio/wav' },
  }
}

function runOver(utterances: readonly Simulated[]): {
  readonly run: PlayedRun
  readonly evaluation: Evaluation
} {
  const byId = new Map(utterances.map((utterance) => [utterance.id, utterance]))
  const run = measuredRun({
    contenders: ['tiny', 'base'],
    utterances: utterances.map(({ id, speaker, text }) => ({ id, reference: text, speaker: speaker ?? '' })),
    fate: ({ contenderId, utterance }) => {
      const wrong = byId.get(utterance.id)?.wrong[contenderId === 'tiny' ? 'tiny' : 'base'] ?? []
      return words.map((word, at) => (wrong.includes(at) ? 'wrong' : word)).join(' ')
    },
  })
  return { run, evaluation: evaluateRun(run) }
}

describe('a corpus chosen for a difference of one point', () => {
  test.each([
    ['speakers alike', 0],
    ['speakers who differ', 0.04],
  ])('resolves it in at least 80%% of 50 simulated repeats: %s', (_, spread) => {
    const random = seededRandom(21)
    const found: { readonly count: number; readonly isResolved: boolean }[] = []
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const corpus = simulatedCorpus(6000, spread, random)
      const choose = (count: number): readonly Simulated[] =>
        selectUtterances(corpus, {
          count,
          seed: repeat,
          balance: ['duration', 'speaker'],
        }) as readonly Simulated[]
      const pilot = runOver(choose(pilotSize))
      const speakerSizes = Array.from({ length: speakerCount }, () => 6000 / speakerCount)
      const { utteranceCount } = requiredUtterances(pilot.evaluation, pilot.run, {
        difference: 0.01,
        speakerSizes,
      })
      const count = Math.min(utteranceCount ?? 6000, 6000)
      const { difference } = runOver(choose(count)).evaluation
      found.push({ count, isResolved: difference?.isResolved === true && difference.better === 'base' })
    }
    const share = found.filter(({ isResolved }) => isResolved).length / repeats
    const counts = found.map(({ count }) => count).sort((left, right) => left - right)
    process.stdout.write(
      `resolved in ${share * 100}% of ${repeats}; utterances ${counts[0]} to ${counts.at(-1)}, median ${counts[repeats / 2]}\n`,
    )
    expect(share).toBeGreaterThanOrEqual(0.8)
  })
})
