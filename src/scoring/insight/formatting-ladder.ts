import { countErrors } from '../alignment/align.ts'
import { addCounts, type ErrorCounts, noErrors } from '../counts.ts'
import { basic } from '../profiles/basic.ts'
import { english } from '../profiles/english/english.ts'
import { defineProfile, normalise, type Profile } from '../profiles/profile.ts'
import { collapseWhitespace } from '../profiles/shared-stages.ts'
import { verbatim } from '../profiles/verbatim.ts'
import type { TextPair } from '../score-pair.ts'
import { tokeniseWords } from '../tokens/words.ts'

/** What no longer counts from a rung on, in this order. */
export type Rung = 'as written' | 'capitals' | 'punctuation' | 'numbers and contractions' | 'spellings'

/** The word errors that are left when so much does not count. */
export interface RungCounts {
  readonly rung: Rung
  readonly words: ErrorCounts
}

const withoutCapitals: Profile = defineProfile({
  ...verbatim,
  id: 'without-capitals',
  purpose: 'As written, but capitals do not count.',
  stages: [
    {
      name: 'lower case',
      does: "Unicode's own lower case.",
      example: ['The END.', 'the end.'],
      settings: null,
      apply: (text) => text.toLowerCase(),
    },
    collapseWhitespace,
  ],
})

const withoutSpellings: Profile = defineProfile({
  ...english,
  id: 'english-without-spellings',
  stages: english.stages.filter((stage) => stage.name !== 'spellings'),
})

/**
 * How much of a word error rate is a matter of writing: the errors of the same pairs when capitals, then
 * punctuation, then numbers and contractions, then spellings do not count. The last two rungs are English.
 */
export function climbLadder(pairs: Iterable<TextPair>, isEnglish: boolean): RungCounts[] {
  const rungs: readonly (readonly [Rung, Profile])[] = [
    ['as written', verbatim],
    ['capitals', withoutCapitals],
    ['punctuation', basic],
    ...(isEnglish
      ? ([
          ['numbers and contractions', withoutSpellings],
          ['spellings', english],
        ] as const)
      : []),
  ]
  const sums = rungs.map(() => noErrors)
  for (const pair of pairs) {
    for (const [index, [, profile]] of rungs.entries()) {
      sums[index] = addCounts(sums[index] ?? noErrors, countWords(pair, profile))
    }
  }
  return rungs.map(([rung], index) => ({ rung, words: sums[index] ?? noErrors }))
}

function countWords({ reference, hypothesis }: TextPair, profile: Profile): ErrorCounts {
  const words = (text: string): string[] => tokeniseWords(normalise(text, profile), profile.words)
  return countErrors(words(reference), words(hypothesis))
}
