import { expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import { requiredUtterances } from '#analysis/figures/ranking/required-utterances'
import { seededRandom } from '#prelude'
import { pairedBootstrap, sumByCluster } from '#statistics/bootstrap'
import { measuredRun } from '../analysis/measured-run.ts'

const repeats = 200
const words = 'one two three four five six seven eight nine ten'

test('as many utterances as a pilot asks for resolve one point in at least 80 % of 200 repeats', () => {
  const seed = 1
  const random = seededRandom(seed)
  const spoken = words.split(' ')
  const speakerCount = 60
  const outcomes = Array.from({ length: repeats }, () => {
    // Speakers differ in how hard they are, and in by how much tiny is worse: by one point in the mean.
    const speakers = Array.from({ length: speakerCount }, () => {
      return { rate: 0.04 + 0.12 * random.unit(), difference: 0.01 + 0.02 * (random.unit() - 0.5) }
    })
    const draw = (index: number): { readonly tiny: number; readonly base: number } => {
      const { rate, difference } = speakers[index % speakerCount] ?? { rate: 0, difference: 0 }
      let [tiny, base] = [0, 0]
      for (const _ of spoken) {
        const hardness = random.unit()
        const isOdd = random.unit() < 0.03
        if (hardness < rate + difference || (isOdd && random.unit() < 0.5)) tiny += 1
        if (hardness < rate || (isOdd && random.unit() < 0.5)) base += 1
      }
      return { tiny, base }
    }
    const drawn = Array.from({ length: 150 }, (_, index) => draw(index))
    const run = measuredRun({
      contenders: ['tiny', 'base'],
      utterances: drawn.map((_, index) => ({
        id: `u${index}`,
        reference: words,
        speaker: `s${index % speakerCount}`,
      })),
      fate: ({ contenderId, utterance }) => {
        const wrong = drawn[Number(utterance.id.slice(1))]?.[contenderId === 'tiny' ? 'tiny' : 'base'] ?? 0
        return spoken.map((word, at) => (at < wrong ? 'wrong' : word)).join(' ')
      },
    })
    const speakerSizes = Array.from({ length: speakerCount }, () => 500)
    const { utteranceCount } = requiredUtterances(evaluateRun(run), run, { difference: 0.01, speakerSizes })
    const count = utteranceCount ?? 0
    const terms = Array.from({ length: count }, (_, index) => {
      const { tiny, base } = draw(index)
      const side = (numerator: number) => ({ numerator, denominator: spoken.length })
      return { base: side(base), run: side(tiny) }
    })
    const bySpeaker = sumByCluster(
      terms,
      terms.map((_, index) => `s${index % speakerCount}`),
    )
    const { interval } = pairedBootstrap(bySpeaker, { random, replicates: 1000 })
    return { count, isResolved: interval !== null && interval.low > 0 }
  })
  const share = outcomes.filter(({ isResolved }) => isResolved).length / outcomes.length
  const counts = outcomes.map(({ count }) => count).sort((left, right) => left - right)
  process.stdout.write(
    `seed ${seed}: ${Math.round(repeats * share)} of ${repeats} resolve one point; utterances ${counts[0]} to ${counts.at(-1)}, ${counts[repeats / 2]} in the middle\n`,
  )
  expect(share).toBeGreaterThanOrEqual(0.8)
  // Nor are they many more than needed: 200 are enough in the middle.
  expect(counts[repeats / 2]).toBeLessThan(400)
})
