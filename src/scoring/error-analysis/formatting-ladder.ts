import { countErrors } from '../alignment/align.ts'
import { addCounts, noErrors } from '../counts.ts'
import { basic } from '../profiles/basic.ts'
import { pairTexts } from '../profiles/pairing.ts'
import { defineProfile, normaliseForPair, type Profile } from '../profiles/profile.ts'
import { type RememberedProfile, rememberTexts } from '../profiles/remembered-profile.ts'
import { collapseWhitespace } from '../profiles/shared-stages.ts'
import { verbatim } from '../profiles/verbatim.ts'
import type { TextPair } from '../score-pair.ts'
import type { ErrorCounts } from '../shapes.ts'
import { tokeniseWords } from '../tokens.ts'

/** What no longer counts from a rung on, in this order. */
export const rungs = [
  'as written',
  'capitals',
  'punctuation',
  'numbers and contractions',
  'spellings',
] as const
export type Rung = (typeof rungs)[number]

/** The word errors that are left when so much does not count. */
export interface RungCounts {
  readonly rung: Rung
  readonly words: ErrorCounts
}

const withoutCapitals: Profile = /* @__PURE__ */ defineProfile({
  id: 'without-capitals',
  version: 1,
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
  words: verbatim.words,
  quirks: [],
})

/**
 * How much of a word error rate is a matter of writing: the errors of the same pairs when capitals, then
 * punctuation, then numbers and contractions, then spellings do not count.
 *
 * @param language the profile of their language, which the last two rungs are of; null for one without rules
 */
export function climbLadder(pairs: Iterable<TextPair>, language: Profile | null): RungCounts[] {
  const climb = makeLadder(language === null ? null : rememberTexts(language))
  let sums = climb({ reference: '', hypothesis: '' })
  for (const pair of pairs) {
    const found = climb(pair)
    sums = sums.map(({ rung, words }, index) => ({
      rung,
      words: addCounts(words, found[index]?.words ?? noErrors),
    }))
  }
  return sums
}

/** A text on one rung: as it is there, and its words. */
interface TextOnRung {
  readonly text: string
  readonly words: readonly string[]
}

/**
 * A ladder for pairs that share texts, as all answers to one recording share its reference: what a text is on
 * each rung is found once, and kept with the ladder.
 */
export function makeLadder(language: RememberedProfile | null): (pair: TextPair) => RungCounts[] {
  const rungs = rungsOf(language)
  const known = new Map<string, readonly TextOnRung[]>()
  const onRungs = (text: string): readonly TextOnRung[] => {
    const found = known.get(text) ?? textOnRungs(text, rungs)
    known.set(text, found)
    return found
  }
  return ({ reference, hypothesis }) => {
    const said = onRungs(reference)
    const heard = onRungs(hypothesis)
    let words = noErrors
    return rungs.map(([rung, profile], index) => {
      // Mostly a rung takes nothing away from either text; then it has the errors of the one below.
      if (index === 0 || said[index] !== said[index - 1] || heard[index] !== heard[index - 1]) {
        words = countOnRung(said[index], heard[index], profile)
      }
      return { rung, words }
    })
  }
}

function countOnRung(
  said: TextOnRung | undefined,
  heard: TextOnRung | undefined,
  { pairing, words }: Profile,
): ErrorCounts {
  if (pairing === undefined) return countErrors(said?.words ?? [], heard?.words ?? [])
  const pair = pairTexts(said?.text ?? '', heard?.text ?? '', pairing)
  return countErrors(tokeniseWords(pair.said, words), tokeniseWords(pair.heard, words))
}

function rungsOf(language: RememberedProfile | null): readonly (readonly [Rung, Profile])[] {
  const rungs = [
    ['as written', verbatim],
    ['capitals', withoutCapitals],
    ['punctuation', basic],
  ] as const
  if (language === null) return rungs
  const { profile, withoutSpellings } = language
  return [...rungs, ['numbers and contractions', withoutSpellings], ['spellings', profile]]
}

function textOnRungs(written: string, rungs: readonly (readonly [Rung, Profile])[]): readonly TextOnRung[] {
  let below: (TextOnRung & { readonly rule: Profile['words'] }) | null = null
  return rungs.map(([, profile]) => {
    const text = normaliseForPair(written, profile)
    if (below === null || below.text !== text || below.rule !== profile.words) {
      below = { text, words: tokeniseWords(text, profile.words), rule: profile.words }
    }
    return below
  })
}
