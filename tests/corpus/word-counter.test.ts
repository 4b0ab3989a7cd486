import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wordCounter } from '../../src/corpus/words.ts'

test('words are counted as the segmenter of the language counts them', () => {
  const pieces = fc.constantFrom('a', 'Bc', "'", '.', ',', ' ', '-', '"', '!', '\n', ';', '1', 'é', '_', ':')
  const texts = fc.array(pieces, { maxLength: 12 }).map((list) => list.join(''))
  const count = wordCounter()
  for (const language of ['en', 'fi', 'sv', null]) {
    const segmenter = new Intl.Segmenter(language ?? undefined, { granularity: 'word' })
    fc.assert(
      fc.property(texts, (text) => {
        const words = [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike === true)
        expect(count(text, language), JSON.stringify(text)).toBe(words.length)
      }),
      { numRuns: 2000 },
    )
  }
})
