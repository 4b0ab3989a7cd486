import { expect, test } from 'vitest'
import type { Finding } from '#analysis/documents/finding'
import { evaluateRun } from '#analysis/evaluate-run'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import { seededRandom } from '#prelude'
import { type Fate, findingIn, measuredRun, type ScriptedRun, type SpokenUtterance } from './measured-run.ts'

const syllables = ['ba', 'de', 'ki', 'lo', 'mu', 'na', 'pe', 'ri', 'so', 'tu', 'va', 'ze']

/** Sentences of words that occur in many of them, as those of a language do. */
function sentences(count: number, seed: number, words = 9): readonly SpokenUtterance[] {
  const random = seededRandom(seed)
  const draw = (): string => syllables[Math.floor(random.unit() * syllables.length)] ?? ''
  const vocabulary = Array.from({ length: 60 }, () => draw() + draw())
  return Array.from({ length: count }, (_, index) => ({
    id: `u-${index}`,
    reference: Array.from({ length: words }, () => vocabulary[Math.floor(random.unit() * 60)]).join(' '),
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

test('one answer in ten that belongs to another recording is found, and a single long one', () => {
  const tenth = played(sentences(200, 2), (own, before, index) => (index % 10 === 9 ? before : misheard(own)))
  expect(crossed(tenth)?.message).toContain('20 of 200 answers are')
  const single = played(sentences(200, 3), (own, before, index) => (index === 77 ? before : own))
  expect(crossed(single)?.message).toContain('at least 1 of 200 answers is the text of another recording')
})

test('answers that two requests at the same time exchange are found in every round', () => {
  const spoken = sentences(30, 4)
  const swapped = played(spoken, (own, before, index) => (index % 4 === 3 ? before : own), {
    rounds: 3,
    concurrency: 4,
    durationMs: () => 1500,
  })
  expect(crossed(swapped)?.message).toMatch(/2[012] of 90 answers/)
})

test('nothing is found where an engine invents one text, mishears, or answers in short or repeated sentences', () => {
  const spoken = sentences(40, 5)
  const invented = spoken[3]?.reference ?? ''
  expect(crossed(played(spoken, (own, _, index) => (index % 2 === 0 ? invented : own)))).toBeUndefined()
  const noise = seededRandom(9)
  const words = spoken.flatMap(({ reference }) => reference.split(' '))
  const weak = (own: string): string =>
    own
      .split(' ')
      .map((word) => (noise.unit() < 0.7 ? (words[Math.floor(noise.unit() * words.length)] ?? word) : word))
      .join(' ')
  expect(crossed(played(spoken, weak, { rounds: 5 }))).toBeUndefined()
  const short = sentences(40, 6, 3)
  expect(crossed(played(short, (_, before) => before))).toBeUndefined()
  const repeated = Array.from({ length: 40 }, (_, index) => ({
    id: `r-${index}`,
    reference: spoken[index % 8]?.reference ?? '',
  }))
  expect(crossed(played(repeated, (own, before, index) => (index % 3 === 0 ? before : own)))).toBeUndefined()
  const similar = spoken.map(({ id, reference }, index) => ({
    id,
    reference: `turn on the light in the room ${reference.split(' ')[0]}${index}`,
  }))
  expect(crossed(played(similar, (_, before) => before))).toBeUndefined()
})

test.each([2, 5])(
  'answers are found where %i recordings have the same sentence, of speakers or with noises',
  (count) => {
    const spoken = sentences(40, 12).flatMap(({ id, reference }) =>
      Array.from({ length: count }, (_, index) => ({ id: `${id}-${index}`, reference })),
    )
    const everyFourth = played(spoken, (own, before, index) => (index % 4 === 3 ? before : misheard(own)), {
      durationMs: () => 1500,
    })
    const [, found] = /at least (\d+) of/.exec(crossed(everyFourth)?.message ?? '') ?? []
    expect(Number(found)).toBeGreaterThanOrEqual(9 * count)
    expect(crossed(played(spoken, misheard))).toBeUndefined()
  },
)

test('nothing is found where references of several recordings each were exchanged', () => {
  const spoken = sentences(40, 13).flatMap(({ id, reference }) =>
    ['anna', 'bela'].map((speaker) => ({ id: `${speaker}-${id}`, reference })),
  )
  const [first, second] = [spoken[0]?.reference ?? '', spoken[2]?.reference ?? '']
  const exchanged = new Map([
    [first, second],
    [second, first],
  ])
  expect(crossed(played(spoken, (own) => exchanged.get(own) ?? own))).toBeUndefined()
})

test('nothing is found where one file is in the corpus twice, with two references', () => {
  const spoken = sentences(6, 11)
  const [first, second] = spoken
  const run = played(spoken, (own) => (own === second?.reference ? (first?.reference ?? '') : own))
  const [original, copy] = [first, second].map((one) => run.utterances.find(({ id }) => id === one?.id))
  expect(crossed(run)?.message).toContain('at least 1 of 6 answers')
  const utterances = run.utterances.map((one) =>
    one === copy ? { ...one, sha256: original?.sha256 ?? '' } : one,
  )
  expect(crossed({ ...run, utterances })).toBeUndefined()
})

test('nothing is found where references were exchanged, or the lines of the manifest are shifted', () => {
  const spoken = sentences(40, 8)
  const nextOf = new Map(
    spoken.map(({ reference }, index) => [reference, spoken[(index + 1) % 40]?.reference]),
  )
  expect(crossed(played(spoken, (own) => nextOf.get(own) ?? own))).toBeUndefined()
  // Ten pairs of references are exchanged, in a run of a minute and a half.
  const otherOf = new Map(
    spoken.slice(0, 20).map(({ reference }, index) => [reference, spoken[19 - index]?.reference]),
  )
  const exchanged = played(spoken, (own) => otherOf.get(own) ?? own, { rounds: 3, durationMs: () => 700 })
  expect(crossed(exchanged)).toBeUndefined()
  // One pair of two hundred recordings, sent half a second apart: near each other only by chance.
  const many = sentences(200, 10)
  const [one = '', two = ''] = many.map(({ reference }) => reference)
  const found = Array.from({ length: 8 }, (_, seed) => {
    const order = seededRandom(seed).shuffled(many)
    const single = played(order, (own) => (own === one ? two : own === two ? one : own))
    return crossed({
      ...single,
      utterances: order.flatMap(({ id }) => single.utterances.filter((each) => each.id === id)),
    })
  })
  expect(found.filter((finding) => finding !== undefined)).toEqual([])
})

test('in a short run, where all is near in time, one exchanged pair is a confusion only if it is not always exchanged', () => {
  const few = sentences(10, 11)
  const atOnce = { concurrency: 10, durationMs: () => 900 }
  const [one = '', two = ''] = few.map(({ reference }) => reference)
  const exchange = (own: string): string => (own === one ? two : own === two ? one : own)
  expect(crossed(played(few, exchange, atOnce))).toBeUndefined()
  expect(crossed(played(few, exchange, { ...atOnce, rounds: 4 }))).toBeUndefined()
  const once = played(few, (own, _, index) => (index < 10 ? exchange(own) : own), { ...atOnce, rounds: 4 })
  expect(crossed(once)?.message).toContain('at least 2 of 40 answers are the text of another recording')
  const otherOf = new Map(few.map(({ reference }, index) => [reference, few[9 - index]?.reference]))
  const everywhere = played(few, (own) => otherOf.get(own) ?? own, atOnce)
  expect(crossed(everywhere)?.message).toContain('10 of 10 answers')
})
