import { describe, expect, test } from 'vitest'
import { findIdiom, findIdiomInCode, readSentences } from '../../scripts/read-prose.ts'
import { faultOfTestName, readTestNames } from '../../scripts/read-test-names.ts'

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

describe('idiom in code', () => {
  test('is found in comments, texts and names, with its line', () => {
    const source = "// Nobody reads it.\nconst told = `as told`\nconst isTold = 'storytelling'\n"
    expect(findIdiomInCode(source, [])).toEqual([
      { line: 1, word: 'Nobody' },
      { line: 2, word: 'told' },
      { line: 2, word: 'told' },
      { line: 3, word: 'isTold' },
    ])
  })

  test('is allowed where a word is data of the file', () => {
    expect(findIdiomInCode("const verbs = ['tell', 'told']", ['tell'])).toEqual([{ line: 1, word: 'told' }])
  })
})

describe('the names of tests', () => {
  test('are read with their describe blocks, past tables of cases', () => {
    const source = `
describe('a run', () => {
  test('ends with a report', () => {})
  describe.each([['a', 'b']])('of %s', (name) => {
    test.each([
      ['x', () => f('y', 1)],
    ] as const)("is read: %s", async (value) => {})
  })
  test.skipIf(process.platform === 'win32')('is kept', () => {})
})
test('a file is closed', { timeout: 5 }, async () => {})
`
    expect(readTestNames(source)).toEqual([
      { line: 3, names: ['a run', 'ends with a report'] },
      { line: 5, names: ['a run', 'of %s', 'is read: %s'] },
      { line: 9, names: ['a run', 'is kept'] },
      { line: 11, names: ['a file is closed'] },
    ])
  })

  test.each([
    [['rejects a manifest with two utterances of one id'], null],
    [['a manifest', 'names both lines'], null],
    [['a manifest', 'is read'], null],
    [['a file', '%s'], 'has 3 words, at least 4'],
    [['the text of a transcript', 'without its capitals'], 'has no verb'],
    [['a run is refused', 'but not for its name'], 'begins with a conjunction'],
  ])('are sentences of four words with a verb: %j', (names, fault) => {
    expect(faultOfTestName({ names })).toBe(fault)
  })
})
