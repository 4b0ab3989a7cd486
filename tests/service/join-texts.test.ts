import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createTranscript,
  joinOverlapping,
  joinTexts,
} from '../../src/service/segmentation/transcribe-pieces.ts'

test('texts are joined with single blanks, and silence adds none', () => {
  expect(joinTexts(joinTexts('', ' One two. '), '')).toBe('One two.')
  expect(joinTexts('One.', 'Two.')).toBe('One. Two.')
})

describe('texts that overlap', () => {
  test.each([
    ['and then the mouse ran u', 'a mouse ran up the clock', 'and then the mouse ran up the clock'],
    ['Down came the rain.', 'Came the rain, and washed', 'Down came the rain, and washed'],
    ['one two three', 'three four', 'one two three four'],
    ['one two', 'three four', 'one two three four'],
    ['', 'three four', 'three four'],
    ['one two', '', 'one two'],
    ['我们今天去公园玩', '今天去公园玩得很开心', '我们今天去公园玩得很开心'],
  ])('%j and %j make %j', (before, after, joined) => {
    expect(joinOverlapping(before, after)).toBe(joined)
  })

  test('are joined at the same place after hours of other text', () => {
    const hours = `${'other words were said before '.repeat(4_000)}。${'公园'.repeat(9_000)} `
    for (const [before, after, joined] of [
      ['and then the mouse ran u', 'a mouse ran up the clock', 'and then the mouse ran up the clock'],
      ['one two', 'three four', 'one two three four'],
    ] as const) {
      expect(joinOverlapping(hours + before, after)).toBe(hours + joined)
    }
  })

  test('one word that is alike by chance takes none of the others away', () => {
    const before = 'the cat sat on a mat and purred'
    const after = 'one day in spring the dog barked'
    expect(joinOverlapping(before, after)).toBe(`${before} ${after}`)
  })

  test('no word is lost or doubled, also where the cut went through a word', () => {
    const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,8}$/), { minLength: 8, maxLength: 40 })
    fc.assert(
      fc.property(words, fc.integer({ min: 2, max: 6 }), fc.nat(), (text, shared, seed) => {
        const cutAt = shared + (seed % (text.length - shared))
        const broken = (word: string | undefined): string[] => (word === undefined ? [] : [`${word}x9`])
        const before = [...text.slice(0, cutAt), ...broken(text[cutAt])].join(' ')
        const after = [...broken(text[cutAt - shared]), ...text.slice(cutAt - shared + 1)].join(' ')
        const joined = joinOverlapping(before, after)
        if (shared >= 2) expect(joined).toBe(text.join(' '))
      }),
    )
  })
})

describe('the transcript of pieces', () => {
  const piece = (startSeconds: number, durationSeconds: number, overlaps = false) => ({
    startSeconds,
    samples: new Float32Array(durationSeconds * 16_000),
    overlaps,
  })

  test('has a segment for each piece with words in it', () => {
    const transcript = createTranscript()
    transcript.add(piece(1.5, 10), { text: 'One.', language: 'en' })
    transcript.add(piece(12, 5), { text: '', language: null })
    transcript.add(piece(20.1, 5), { text: 'Two.', language: 'en' })
    expect(transcript.result()).toEqual({
      text: 'One. Two.',
      language: 'en',
      segments: [
        { id: 0, start: 1.5, end: 11.5, text: 'One.' },
        { id: 1, start: 20.1, end: 25.1, text: 'Two.' },
      ],
      words: undefined,
    })
  })

  test('keeps the times of the engine, and of an overlap each once', () => {
    const transcript = createTranscript()
    const word = (text: string, start: number) => ({ word: text, start, end: start + 0.5 })
    transcript.add(piece(0, 10), {
      text: 'a b c',
      language: null,
      words: [word('a', 1), word('b', 7), word('c', 9)],
    })
    transcript.add(piece(7, 10, true), {
      text: 'b c d',
      language: null,
      words: [word('b', 0), word('c', 2), word('d', 8)],
    })
    expect(transcript.result()).toMatchObject({
      text: 'a b c d',
      words: [word('a', 1), word('b', 7), word('c', 9), word('d', 15)],
    })
  })
})
