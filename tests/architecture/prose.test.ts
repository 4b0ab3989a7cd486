import { describe, expect, test } from 'vitest'
import { findIdiom, readSentences } from '../../scripts/read-prose.ts'

const counts = (markdown: string): number[] => readSentences(markdown).map(({ wordCount }) => wordCount)

describe('sentences of a Markdown page', () => {
  test('counts the words of each sentence, across the lines of a paragraph', () => {
    expect(counts('One two three. Four\nfive.\n\nSix seven!')).toEqual([3, 2, 2])
  })

  test('ends a sentence with a list item and with a cell of a table', () => {
    expect(counts('- one two\n- three\n  four\n\n| a b | c |\n|---|---|\n| d e f | |\n')).toEqual([
      2, 2, 2, 1, 3,
    ])
  })

  test('marks the cells of tables', () => {
    const sentences = readSentences('Outside.\n\n| a b |\n|---|\n')
    expect(sentences.map(({ isInTable }) => isInTable)).toEqual([false, true])
  })

  test('leaves out code blocks and headings, and counts code in a line as one word', () => {
    expect(counts('# A heading\n\n```\nnot a sentence at all\n```\n\nRun `npm run check` now.')).toEqual([3])
  })

  test('counts a link by its words, and a number as a word', () => {
    expect(counts('See [two words](https://a.example/b.c) for 3.5 s.')).toEqual([6])
  })

  test('reports the line on which a sentence begins', () => {
    expect(readSentences('# A\n\n```\nx\n```\nHere it is.').map(({ line }) => line)).toEqual([6])
  })
})

describe('idiom', () => {
  test('is found as a whole word, in any case, with its line', () => {
    expect(findIdiom('fine\nUnless Told otherwise\nstorytelling and forebears')).toEqual([
      { line: 2, word: 'Told' },
    ])
  })

  test('is allowed in code and in quotations', () => {
    expect(findIdiom('`told`, "nobody", “whoever”\n```\nsomebody\n```\n')).toEqual([])
  })
})
