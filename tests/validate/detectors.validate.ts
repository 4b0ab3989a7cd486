import { expect, test } from 'vitest'
import { findPathologies, type PathologyKind, pathologyRules } from '#scoring/error-analysis/pathologies'
import { findProfile } from '#scoring/profiles/index'
import { alignPair } from '#scoring/score-utterance'
import { utterances } from '../bench/scoring-corpus.ts'

const pairCount = 100_000
/** As fast as people read aloud. */
const wordsPerSecond = 2.5

test('ordinary errors, a tenth of the words, hardly ever look like an engine gone astray', () => {
  const alarms = new Map<PathologyKind, number>()
  for (const { reference, hypothesis } of utterances(pairCount)) {
    const { steps } = alignPair({ reference, hypothesis }, findProfile('verbatim'))
    for (const { kind } of findPathologies(steps, reference.split(' ').length / wordsPerSecond)) {
      alarms.set(kind, (alarms.get(kind) ?? 0) + 1)
    }
  }
  for (const kind of Object.keys(pathologyRules) as PathologyKind[]) {
    process.stdout.write(`${kind}: ${alarms.get(kind) ?? 0} of ${pairCount} clean pairs\n`)
    // One in ten thousand.
    expect(alarms.get(kind) ?? 0, kind).toBeLessThanOrEqual(pairCount / 10_000)
  }
})
