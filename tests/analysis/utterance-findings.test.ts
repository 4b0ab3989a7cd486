import { expect, test } from 'vitest'
import { findingIn, measuredRun, type PlayedRun, type SpokenUtterance } from './measured-run.ts'

const spoken: readonly SpokenUtterance[] = [
  { id: 'long', reference: 'a b c d e f g h i j k l m n o p q r s t' },
  ...Array.from({ length: 8 }, (_, index) => ({
    id: `short-${index}`,
    reference: 'one two three four five',
  })),
]

/** The long one misheard for so many words, and one word of each short one that is named. */
function run(longErrors: number, shortErrors: readonly string[], rounds = 2): PlayedRun {
  return measuredRun({
    utterances: spoken,
    contenders: ['tiny', 'base'],
    rounds,
    fate: ({ contenderId, utterance: { id, reference } }) => {
      if (contenderId === 'base') return reference
      if (id === 'long') return reference.split(' ').slice(longErrors).join(' ')
      return shortErrors.includes(id) ? reference.replace('three', 'tree') : reference
    },
  })
}

test('an utterance that holds most errors of a contender is named with its share and the rate without it', () => {
  const finding = findingIn(run(12, ['short-1', 'short-3', 'short-5', 'short-7']), 'UTTERANCE_DOMINATES')
  expect(finding).toMatchObject({ severity: 'decisive', utteranceIds: ['long'] })
  // Two rounds: 24 and 8 errors, in 40 of 120 words.
  expect(finding?.message).toBe(
    'one utterance holds most errors of tiny: long has 24 of 32 (75%), in 33% of the words; ' +
      'the WER is 26.7% with it and 10.0% without it',
  )
  expect(finding?.advice).toBe('listen to it: transcribench review 2026-11-21T07-31-02Z-quick')
})

test('recordings that the server says it cut are counted and named with the places', () => {
  const made = run(0, [])
  const attempts = made.attempts.map((attempt) => {
    const { contenderId, utteranceId, outcome } = attempt
    if (!outcome.ok || contenderId !== 'tiny' || !['long', 'short-2'].includes(utteranceId)) return attempt
    const cutsSeconds = utteranceId === 'long' ? [28.4, 55.12, 83, 110.9, 139.5] : [29.75]
    return { ...attempt, outcome: { ok: true as const, answer: { ...outcome.answer, cutsSeconds } } }
  })
  const finding = findingIn({ ...made, attempts }, 'RECORDINGS_CUT')
  expect(finding).toMatchObject({ severity: 'note', utteranceIds: ['long', 'short-2'] })
  expect(finding?.message).toBe(
    'the service cut 2 long recordings at silences for tiny: long at 28.4 s, 55.1 s, 83.0 s, 110.9 s and 1 more; ' +
      'short-2 at 29.8 s',
  )
  expect(findingIn(made, 'RECORDINGS_CUT')).toBeUndefined()
})

/** Forty sentences of ten words that no other has. */
const many: readonly SpokenUtterance[] = Array.from({ length: 40 }, (_, index) => ({
  id: `u-${index}`,
  reference: Array.from({ length: 10 }, (_word, place) => `w${index}x${place}`).join(' '),
}))

function answered(text: (own: string, index: number, round: number) => string, rounds = 1): PlayedRun {
  return measuredRun({
    utterances: many,
    rounds,
    fate: ({ utterance, round }) => text(utterance.reference, many.indexOf(utterance), round),
  })
}

test('lost ends and loops in a part of the utterances change what the figures say', () => {
  const cut = (below: number) => (own: string, index: number) => (index < below ? own.slice(0, 20) : own)
  const finding = findingIn(answered(cut(18)), 'TEXTS_DEGENERATE')
  expect(finding).toMatchObject({ severity: 'decisive' })
  expect(finding?.message).toBe('tiny: of 40 utterances, it answered 18 without their end')
  expect(finding?.utteranceIds).toHaveLength(18)
  const loops = answered((own, index) => (index % 4 === 0 ? `${own} ${'and so on '.repeat(10).trim()}` : own))
  expect(findingIn(loops, 'TEXTS_DEGENERATE')?.message).toContain('10 with words repeated in a loop')
})

test('texts that differ between rounds change what the figures say', () => {
  const run = answered(
    (own, index, round) => (index < 36 && round === 2 ? own.replace(/^\S+/, 'zork') : own),
    2,
  )
  const finding = findingIn(run, 'TEXTS_UNSTABLE')
  expect(finding).toMatchObject({ severity: 'decisive' })
  expect(finding?.message).toBe(
    'tiny: the text of 36 of 40 utterances differs between rounds (9.0% of their words)',
  )
  const loaded = { ...run, record: { ...run.record, load: { kind: 'closed', concurrency: 4 } as const } }
  expect(findingIn(loaded, 'TEXTS_UNSTABLE')?.message).toContain('differs between rounds under load')
})

test('first answers that are slower than the same utterances later say that the warm-up was too short', () => {
  const run = measuredRun({
    utterances: spoken,
    rounds: 10,
    fate: ({ utterance: { reference } }) => reference,
    durationMs: ({ utterance: { id }, round }) =>
      round === 1 && ['long', 'short-0', 'short-1'].includes(id) ? 600 : 100,
  })
  const finding = findingIn(run, 'WARM_UP_UNSETTLED')
  expect(finding?.message).toMatch(/^the first 3 measured answers of tiny took 6\.0 times as long as/)
  expect(finding?.advice).toBe('warm it up for longer: --warmup 12')
})
