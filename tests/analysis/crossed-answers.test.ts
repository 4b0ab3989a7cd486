import { describe, expect, test } from 'vitest'
import type { Finding } from '#analysis/documents/finding'
import { evaluateRun } from '#analysis/evaluate-run'
import { findCrossedAnswers } from '#analysis/requests/crossed-answers'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import { transcriptScorer } from '#analysis/requests/transcript-scorer'
import type { PlannedUtterance } from '#journal/plan-line'
import { seededRandom } from '#prelude'
import { findProfile } from '#scoring/profiles/index'
import {
  atLimit,
  type Fate,
  findingIn,
  measuredRun,
  type ScriptedRun,
  type SpokenUtterance,
  times,
} from './measured-run.ts'

const syllables = ['ba', 'de', 'ki', 'lo', 'mu', 'na', 'pe', 'ri', 'so', 'tu', 'va', 'ze']

/** Sentences of words that occur in many of them, as those of a language do. */
function sentences(count: number, seed: number): readonly SpokenUtterance[] {
  const random = seededRandom(seed)
  const draw = (): string => syllables[Math.floor(random.unit() * syllables.length)] ?? ''
  const vocabulary = Array.from({ length: 60 }, () => draw() + draw())
  return Array.from({ length: count }, (_, index) => ({
    id: `u-${index}`,
    reference: Array.from({ length: 9 }, () => vocabulary[Math.floor(random.unit() * 60)]).join(' '),
  }))
}

/** Plays requests in a shuffled order that is another one in each round, and hands each fate the text of the one before. */
function played(
  utterances: readonly SpokenUtterance[],
  fate: (own: string, before: string, index: number) => Fate,
  options: Partial<ScriptedRun> = {},
): RunMaterial {
  const random = seededRandom(7)
  let before = ''
  let index = -1
  const run = measuredRun({
    utterances: random.shuffled(utterances),
    ...options,
    fate: ({ utterance: { reference } }) => {
      index += 1
      const text = fate(reference, before, index)
      before = reference
      return text
    },
  })
  return { ...run, utterances: utterances.flatMap(({ id }) => run.utterances.filter((one) => one.id === id)) }
}

function crossed(material: RunMaterial): Finding | undefined {
  return findingIn(material, 'ANSWERS_CROSSED')
}

/** Every fifth word is misheard. */
const misheard = (text: string): string =>
  text
    .split(' ')
    .map((word, index) => (index % 5 === 2 ? 'zork' : word))
    .join(' ')

test('a server that answers with the text of the request before is found, also where it mishears', () => {
  const all = played(sentences(40, 1), (own, before) => misheard(before === '' ? own : before))
  const finding = crossed(all)
  expect(finding).toMatchObject({ severity: 'decisive' })
  expect(finding?.message).toMatch(
    /^tiny: at least 39 of 40 answers are the text of another recording sent within 0\.1 s: a fault of the server's concurrency, and of privacy\. u-\d+ was answered with the text of u-\d+$/,
  )
  expect(finding?.utteranceIds).toHaveLength(39)
  // It stands before all others, and none of them calls it an invention of the engine.
  const { findings } = evaluateRun(all)
  expect(findings[0]?.code).toBe('ANSWERS_CROSSED')
  expect(findings.map(({ code }) => code)).not.toContain('UTTERANCE_OVER_100')
  expect(findings.map(({ code }) => code)).not.toContain('TEXTS_DEGENERATE')
})

test('nothing is found where an engine mishears most words', () => {
  const spoken = sentences(40, 5)
  const noise = seededRandom(9)
  const words = spoken.flatMap(({ reference }) => reference.split(' '))
  const weak = (own: string): string =>
    own
      .split(' ')
      .map((word) => (noise.unit() < 0.7 ? (words[Math.floor(noise.unit() * words.length)] ?? word) : word))
      .join(' ')
  expect(crossed(played(spoken, weak, { rounds: 5 }))).toBeUndefined()
})

/** One request: the recording that is sent, and its answer; default: the recording's own reference. */
interface Sent {
  readonly of: number
  readonly text?: string
  /** From the start of its moment; default: 0 ms, and 100 ms later. */
  readonly sentAtMs?: number
  readonly endedAtMs?: number
  readonly server?: string
}

/**
 * Returns how many answers are found to be of another recording. Moments are ten seconds apart, so that only their own
 * requests are near each other in time.
 */
function crossedIn(
  moments: readonly (readonly Sent[])[],
  references: Readonly<Record<number, string | Partial<PlannedUtterance>>> = {},
  { utteranceCount = 100, profile = 'basic' } = {},
): number {
  const scorer = transcriptScorer(findProfile(profile))
  const utterances = times(utteranceCount, (index): PlannedUtterance => {
    const more = { durationSeconds: 2, language: null, speaker: null, tags: [], source: null, audio: 'a.wav' }
    const given = references[index] ?? {}
    const own = typeof given === 'string' ? { reference: given } : given
    return {
      kind: 'utterance',
      id: `u${index}`,
      sha256: `${index}`,
      reference: sentence(index),
      ...more,
      ...own,
    }
  })
  const answers = moments.flatMap((moment, nth) =>
    moment.map(({ of, text, sentAtMs = 0, endedAtMs = sentAtMs + 100, server = 'a' }) => {
      const utterance = utterances[of] as PlannedUtterance
      const heard = text ?? utterance.reference
      const sending = { server, sentAtMs: 10_000 * nth + sentAtMs, endedAtMs: 10_000 * nth + endedAtMs }
      const counts = scorer.score(utterance, heard)[scorer.profile.leads]
      return { ...sending, utteranceId: utterance.id, text: heard, counts }
    }),
  )
  return findCrossedAnswers({ utterances, sendings: answers, answers, scorer })?.answerCount ?? 0
}

/** Words of a sentence, none of which is in another sentence. */
const sentence = (index: number, words = 8, from = 0): string =>
  times(words - from, (word) => `s${index}w${from + word}`).join(' ')
/** Characters, none of which is there twice. */
const characters = (count: number, from = 0): string =>
  times(count - from, (index) => String.fromCodePoint(0x4e50 + 7 * (from + index))).join('')

/** A moment in which a recording gets the text of another one, which is sent at the same time. */
const gets = (of: number, other: number, text = sentence(other)): readonly Sent[] => [
  { of, text },
  { of: other },
]
const twice = (text: string): readonly (readonly Sent[])[] => [gets(0, 1, text), gets(0, 1, text)]
const getsAlone = (of: number, other: number, more: Partial<Sent> = {}): readonly Sent[] => [
  { of, text: sentence(other), ...more },
]
const exchange = (a: number, b: number): readonly Sent[] => [...getsAlone(a, b), ...getsAlone(b, a)]
const others = (count: number): readonly Sent[] => times(count, (index) => ({ of: 10 + index }))
const crowd = (count: number): readonly Sent[] => [...gets(0, 1), ...others(count - 2)]
/** Recordings that get the text of another one each, at distances in the manifest that are all different. */
const scattered = (count: number, from = 20): readonly (readonly Sent[])[] =>
  times(count, (index) => gets(from + index, 50 + index * index))
const unspaced = { profile: 'unspaced' }

describe('an answer is found to be of another recording only if', () => {
  atLimit('that one ended at most two seconds before the request was sent', { 2000: 1, 2001: 0 }, (ms) =>
    crossedIn([[...getsAlone(0, 1, { sentAtMs: 100 + ms }), { of: 1 }]]),
  )
  atLimit('that one was sent before the answer came', { 700: 1, 701: 0 }, (sentAtMs) =>
    crossedIn([[...getsAlone(0, 1, { endedAtMs: 700 }), { of: 1, sentAtMs }]]),
  )
  atLimit('that one was sent to the same server', { 1: 1, 2: 0 }, (server) =>
    crossedIn([[...getsAlone(0, 1, { server: '1' }), { of: 1, server: `${server}` }]]),
  )
  atLimit('that one is another file', { 1: 1, 0: 0 }, (sha256) =>
    crossedIn([gets(0, 1)], { 1: { sha256: `${sha256}` } }),
  )
  atLimit('60 of 100 words of the recording are wrong', { 40: 1, 41: 0 }, (right) =>
    crossedIn([gets(0, 1, sentence(1, 100))], {
      0: `${sentence(1, right)} ${sentence(0, 100, right)}`,
      1: sentence(1, 100),
    }),
  )
  atLimit('at most 34 of 100 words of the other reference are wrong', { 66: 1, 65: 0 }, (right) =>
    crossedIn([gets(0, 1, sentence(1, right))], { 1: sentence(1, 100) }),
  )
  atLimit('it does not match two references equally', { 8: 1, 7: 0 }, (words) =>
    crossedIn([gets(0, 1)], {
      2: `${sentence(1, words)} or`,
      1: `${sentence(1, 7)} ${words === 8 ? 's1w7' : 'and'}`,
    }),
  )
  atLimit('it alone has eight words', { 8: 1, 7: 0 }, (words) => crossedIn([gets(0, 1, sentence(1, words))]))
  atLimit('it alone has twenty characters where words are not spaced', { 20: 1, 19: 0 }, (count) =>
    crossedIn([gets(0, 1, characters(count))], { 1: characters(count) }, unspaced),
  )
  atLimit('it has five words', { 5: 2, 4: 0 }, (words) =>
    crossedIn(twice(sentence(1, words)), { 1: sentence(1, 5) }),
  )
  atLimit('the other reference has five words, in the reading that fits', { 5: 2, 4: 0 }, (words) =>
    crossedIn(twice(sentence(1, words + 1)), {
      1: { reference: sentence(1, 20), alternatives: [sentence(1, words)] },
    }),
  )
  atLimit('it has twelve characters where words are not spaced', { 12: 2, 11: 0 }, (count) =>
    crossedIn(twice(characters(count)), { 1: characters(count) }, unspaced),
  )
  atLimit('three consecutive words are right', { 3: 2, 2: 0 }, (words) =>
    crossedIn(twice(`${sentence(1, words)} or ${sentence(1, 2 * words + 1, words + 1)} or`), {
      1: sentence(1, 2 * words + 2),
    }),
  )
  atLimit('six consecutive characters are right where words are not spaced', { 6: 2, 5: 0 }, (count) =>
    crossedIn(
      twice(`${characters(count)}一${characters(2 * count + 1, count + 1)}一`),
      { 1: characters(2 * count + 2) },
      unspaced,
    ),
  )
  atLimit('its words are in at most 50 references', { 50: 1, 51: 0 }, (count) =>
    crossedIn([gets(0, 1)], {
      ...times(count + 1, (index) => `${sentence(1)} ${sentence(index)}`),
      0: '',
      1: sentence(1),
    }),
  )
  atLimit('its words are in few sentences, however many recordings have them', { 2: 1, 60: 1 }, (count) =>
    crossedIn(
      [gets(0, 1)],
      { ...times(count + 1, () => sentence(1)), 0: sentence(0) },
      { utteranceCount: 800 },
    ),
  )
  atLimit('at most two references have more of its words in a row', { 2: 1, 3: 0 }, (count) =>
    crossedIn([gets(0, 1, `${sentence(1, 7)} or`)], {
      ...times(count + 2, (index) => `${sentence(1, 7)} or ${sentence(index)}`),
      0: sentence(0),
      1: sentence(1),
    }),
  )
  atLimit('it is one of the first 20 000 wrong texts', { 19999: 1, 20000: 0 }, (count) =>
    crossedIn([times(count, (index) => ({ of: 2, text: `no ${index}`, server: 'b' })), gets(0, 1)]),
  )
  atLimit('that one is near in 80 of 100 such answers', { 20: 80, 21: 0 }, (farCount) =>
    crossedIn([...times(100 - farCount, () => gets(0, 1)), ...times(farCount, () => getsAlone(0, 1))]),
  )
  atLimit('at most two recordings got one text, which is all that was crossed', { 2: 2, 3: 0 }, (count) =>
    crossedIn(times(count, (index) => gets(index, 9))),
  )
  atLimit('no text that three recordings got makes up more than half of all', { 3: 6, 2: 2 }, (count) =>
    crossedIn([...times(3, (index) => gets(index, 9)), ...scattered(count)]),
  )
  atLimit('a text that five recordings got is near for more than half of them', { 2: 8, 3: 5 }, (farCount) =>
    crossedIn([
      ...times(5, (index) => (index < farCount ? getsAlone(index, 9) : gets(index, 9))),
      ...scattered(5),
    ]),
  )
  atLimit('at most three recordings got the text of the next one', { 3: 3, 4: 0 }, (count) =>
    crossedIn(times(count, (index) => gets(index, index + 1))),
  )
  atLimit('less than 80 of 100 recordings got the text of the next one', { 79: 100, 80: 0 }, (count) =>
    crossedIn(
      [...times(count, (index) => gets(index, index + 1)), ...scattered(100 - count, 200)],
      {},
      { utteranceCount: 800 },
    ),
  )
  atLimit('at most a quarter of the recordings are near in time', { 25: 1, 26: 0 }, (count) =>
    crossedIn([crowd(count)]),
  )
  atLimit('a quarter is not reached by recordings of the same sentence either', { 12: 1, 13: 0 }, (count) =>
    crossedIn([crowd(count)], { 99: sentence(1) }),
  )
  atLimit('at most a twentieth is near in time to two that exchange their texts', { 3: 2, 4: 0 }, (count) =>
    crossedIn([[...exchange(0, 1), ...others(count)]]),
  )
  atLimit('chance does not bring it near in four of five answers', { 9: 4, 10: 0 }, (count) =>
    crossedIn([...times(4, () => crowd(count)), getsAlone(0, 1)]),
  )
})

describe('where half of all recordings are near in time, an answer is found to be of another one only if', () => {
  atLimit('it is half, below which it may be chance', { 50: 1, 49: 0 }, (count) => crossedIn([crowd(count)]))
  atLimit('three pairs exchange their texts, as fewer are exchanged references', { 3: 6, 2: 0 }, (count) =>
    crossedIn([times(count, (index) => exchange(index, 7 - index)).flat()], {}, { utteranceCount: 8 }),
  )
  atLimit('two that exchange their texts do not so every time', { 0: 2, 2: 0 }, (of) =>
    crossedIn([exchange(0, 1), [{ of }]], {}, { utteranceCount: 3 }),
  )
  atLimit('no other recording has the same sentence', { 3: 1, 1: 0 }, (same) =>
    crossedIn([gets(0, 1)], { 2: sentence(same) }, { utteranceCount: 4 }),
  )
})

test('answers of another recording are found in a run of hundreds of thousands of requests', () => {
  const moments = times(30_000, () => scattered(5)).flat()
  expect(crossedIn(moments)).toBe(150_000)
})
