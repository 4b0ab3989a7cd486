import { describe, expect, test } from 'vitest'
import type { AttemptLine } from '#journal'
import { findProfile } from '#scoring'
import { errorsSoFar } from '../../src/cli/progress/errors-so-far.ts'
import { meterProgress } from '../../src/cli/progress/run-progress.ts'
import { measuredRun } from '../analysis/measured-run.ts'

const run = measuredRun({
  utterances: [
    { id: 'a', reference: 'one two three four' },
    { id: 'b', reference: 'five six' },
  ],
  contenders: ['tiny', 'base'],
  fate: ({ contenderId, utterance }) =>
    contenderId === 'tiny' && utterance.id === 'a' ? 'one two three' : utterance.reference,
})
const utterances = run.utterances.map(({ id, reference }) => ({
  id,
  text: reference,
  alternatives: [],
  hasChoices: false,
}))
const errorsUnder = (kind: 'closed' | 'poisson') =>
  errorsSoFar({ kind }, { utterances }, findProfile('basic'))
const counts = { planned: 4, answered: 1, failed: 0, dropped: 0, notSent: 3 }

describe('while a run goes on', () => {
  const progressAfter = (kind: 'closed' | 'poisson', lines: readonly AttemptLine[] = run.attempts) => {
    const meter = meterProgress(run.requests, errorsUnder(kind))
    const [latest] = lines.map((line) => meter.add(line, counts, 1)).slice(-1)
    if (latest === undefined) throw new TypeError('nothing was added')
    return latest
  }

  test('errors are counted for each contender under a closed load', () => {
    expect(
      progressAfter('closed')
        .soFar()
        .map(({ contenderId, wordErrorRate }) => [contenderId, wordErrorRate]),
    ).toEqual([
      ['tiny', 1 / 6],
      ['base', 0],
    ])
  })

  test('nothing is scored under a load that has moments to keep', () => {
    expect(
      progressAfter('poisson')
        .soFar()
        .map(({ wordErrorRate }) => wordErrorRate),
    ).toEqual([null, null])
  })

  test('a contender that has not answered has no figures', () => {
    expect(progressAfter('closed', run.attempts.slice(0, 1)).soFar()[1]).toEqual({
      contenderId: 'base',
      speed: null,
      wordErrorRate: null,
    })
  })

  test('the time that it took is that of measuring', () => {
    expect(progressAfter('closed').elapsedSeconds).toBeCloseTo(0.4, 12)
  })
})
