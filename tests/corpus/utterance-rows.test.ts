import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { utteranceRows, type VerifiedUtterance } from '#corpus'

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const words = text.filter((value) => value !== '')
const texts = fc.array(words, { maxLength: 2 })
const folder = '/corpora/voices'

const utterance: fc.Arbitrary<VerifiedUtterance> = fc.record({
  id: words,
  audioPath: fc.oneof(
    fc.constantFrom('/elsewhere/a.wav', '/corpora/voices-2/a.wav'),
    fc.stringMatching(/^[a-z]{1,9}$/).map((name) => `${folder}/audio/${name}.wav`),
  ),
  text,
  alternatives: texts,
  hasChoices: fc.boolean(),
  isDraft: fc.boolean(),
  durationSeconds: fc.double({ min: 0.001, max: 1e6, noNaN: true }),
  sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
  language: fc.constantFrom(null, 'en', 'de'),
  speaker: fc.option(words),
  tags: texts,
  keywords: texts,
  entities: fc.constantFrom([], [{ type: 'name' as const, text: 'Anne' }]),
  times: fc.constantFrom([], [{ text: 'Anne', startSeconds: 0.25, endSeconds: 1 }]),
  source: fc.option(words),
  derived: fc.constant(null),
  line: fc.integer({ min: 1, max: 2 ** 31 }),
  sizeBytes: fc.integer({ min: 1, max: 2 ** 40 }),
  mimeType: fc.constantFrom('audio/wav', 'audio/flac'),
})
const corpora = fc.uniqueArray(utterance, { selector: ({ id }) => id, maxLength: 20 })

describe('utterances kept as bytes', () => {
  test('come back as they were added, also those beyond the first piece', () => {
    fc.assert(
      fc.property(corpora, fc.constantFrom(1, 300), (few, times) => {
        const all = Array.from({ length: times }, (_, round) =>
          few.map((each) => ({ ...each, id: `${round} ${each.id}` })),
        ).flat()
        const rows = utteranceRows(folder, all)
        expect(rows.length).toBe(all.length)
        for (const position of [0, 1, 2047, 2048, all.length - 1]) {
          expect(rows.at(position)).toEqual(all.at(position))
        }
        expect([...rows].every(({ id }, position) => id === all[position]?.id)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  test('give each field alone as they give it with the others', () => {
    fc.assert(
      fc.property(corpora, (all) => {
        const rows = utteranceRows(folder, all)
        const names = [...new Set(all.flatMap((each) => Object.keys(each)))] as (keyof VerifiedUtterance)[]
        for (const name of names) expect([...rows.column(name)]).toEqual(all.map((each) => each[name]))
      }),
      { numRuns: 60 },
    )
  })

  test('are found by their ids, and by no other text', () => {
    fc.assert(
      fc.property(corpora, text, (all, other) => {
        const rows = utteranceRows(folder, all)
        for (const each of all) expect(rows.byId(each.id)).toEqual(each)
        if (all.every(({ id }) => id !== other)) expect(rows.byId(other)).toBeUndefined()
      }),
    )
  })
})
