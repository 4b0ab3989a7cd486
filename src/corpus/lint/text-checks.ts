import { counted } from '#prelude'
import type { HeardUtterance } from './hear.ts'
import { type LintCheck, onEach, type UnnamedFindings } from './lint-check.ts'

/** Fast speech has about 5 words/s, rap 10 syllables/s. @see Tauroza and Allison 1990, doi:10.1093/applin/11.1.90 */
const wordsPerSecond = { most: 6.5, least: 0.4 }

export const rate: LintCheck = {
  name: 'words-per-second',
  meaning:
    'The reference has more than 6.5 words for each second of the recording, or fewer than 0.4 for each of at least 3 s of speech.',
  find: onEach(({ utterance, words, speech }) => {
    if (words === 0 || speech === null) return null
    const seconds = Math.max(0.1, speech.toSeconds - speech.fromSeconds)
    const perSecond = words / seconds
    const isFast = words >= 3 && words / utterance.durationSeconds > wordsPerSecond.most
    const isSlow = perSecond < wordsPerSecond.least && seconds >= 3
    if (!isFast && !isSlow) return null
    return {
      what: `${perSecond.toFixed(1)} words a second: ${words} words, ${seconds.toFixed(1)} s of speech`,
      suggestion: `listen whether ${isFast ? 'all of the text is' : 'nothing else is'} said`,
    }
  }),
}

/** Minimum number of words, because shorter texts resemble several languages. */
const minWords = 4
/** Minimum difference of scores in 0..1; those of closely related languages differ less. */
const minMargin = 0.15

export const language: LintCheck = {
  name: 'language',
  meaning:
    'The text of at least four words is in another language than the manifest says, by a clear margin.',
  find: async (material) => {
    // The detector has several megabytes, so only this check loads it.
    const { eld } = await import('eld/small')
    return onEach((heard) => readLanguage(heard, eld))(material)
  },
}

type Detector = typeof import('eld/small').eld

function readLanguage(
  { utterance: { text, language: tag }, words }: HeardUtterance,
  eld: Detector,
): ReturnType<Parameters<typeof onEach>[0]> {
  if (tag === null || words < minWords) return null
  const expected = new Intl.Locale(tag).language
  if (!Object.values(eld.info().Languages).includes(expected)) return null
  const found = eld.detect(text)
  const scores = found.getScores()
  const margin = (scores[found.language] ?? 0) - (scores[expected] ?? 0)
  if (found.language === '' || found.language === expected || !found.isReliable() || margin < minMargin)
    return null
  const name = new Intl.DisplayNames('en', { type: 'language' })
  return {
    what: `reads as ${name.of(found.language)}, the manifest says ${name.of(expected)}`,
    suggestion: 'listen; correct the text or the language',
  }
}

const writeInOneWay =
  'write all references in one way, or check that the profile evens it out: transcribench explain'

const numberWords =
  /\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand)\b/iu

/** Other languages have words that look like these: “ten” is “this” in Polish. */
function mayBeEnglish({ utterance: { language: tag } }: HeardUtterance): boolean {
  return tag === null || new Intl.Locale(tag).language === 'en'
}

function numerals(text: string): 'figures' | 'number words' | null {
  if (/\p{Nd}/u.test(text)) return 'figures'
  return numberWords.test(text) ? 'number words' : null
}

export const numeralStyle: LintCheck = {
  name: 'numerals',
  meaning:
    'Some English references of a corpus write numbers as figures and others as words; the rarer of the two is listed.',
  find: ({ heard }) =>
    minority(heard.filter(mayBeEnglish), numerals).flatMap(({ name, members, usual }) =>
      members.map(({ utterance }) => ({
        utteranceId: utterance.id,
        what: `${name}, as ${members.length === 1 ? '1 reference has' : `${members.length} references have`}; ${usual.count} have ${usual.name}`,
        suggestion: writeInOneWay,
      })),
    ),
}

/** Maximum number of listed words; a last finding gives the number of the others. */
const maxWords = 20
const maxExamples = 3

type Case = 'capitals only' | 'small letters only' | 'both cases'

/** The case of a text; null where it has too few letters to tell. */
function findCase(text: string): Case | null {
  const letters = text.match(/\p{Lu}|\p{Ll}/gu) ?? []
  if (letters.length < 5) return null
  if (letters.every((letter) => /\p{Lu}/u.test(letter))) return 'capitals only'
  return letters.every((letter) => /\p{Ll}/u.test(letter)) ? 'small letters only' : 'both cases'
}

export const caseStyle: LintCheck = {
  name: 'case',
  meaning:
    'References of a corpus differ in their use of capitals: the rarer uses, and words that are written in several ways within sentences, the most frequent first.',
  find({ heard }) {
    const styles = minority(heard, findCase).map(({ name, members, usual }) => ({
      utteranceId: members[0]?.utterance.id ?? null,
      what: `${name}: ${references(members.map(({ utterance }) => utterance.id))}; ${usual.count} have ${usual.name}`,
      suggestion: writeInOneWay,
    }))
    // A text in capitals is listed as a whole, because each of its words would differ.
    const mixed = heard.filter(({ utterance }) => findCase(utterance.text) !== 'capitals only')
    return [...styles, ...wordsOfSeveralCases(mixed)]
  },
}

/** Ids of the references that contain each form of a word. */
type Forms = Map<string, string[]>

function wordsOfSeveralCases(heard: readonly HeardUtterance[]): UnnamedFindings {
  const words = new Map<string, Forms>()
  for (const { utterance } of heard) {
    for (const form of new Set(wordsWithin(utterance.text))) {
      const word = form.toLowerCase()
      const forms: Forms = words.get(word) ?? new Map()
      const ids = forms.get(form) ?? []
      ids.push(utterance.id)
      words.set(word, forms.set(form, ids))
    }
  }
  const several = [...words.values()]
    .filter((forms) => forms.size > 1)
    .map((forms) => [...forms].sort(([, left], [, right]) => right.length - left.length))
    .sort((left, right) => rareCount(right) - rareCount(left))
  const listed = several.slice(0, maxWords).map(([usual, ...rarer]) => ({
    utteranceId: rarer[0]?.[1][0] ?? null,
    what: `${rarer.map(([form, ids]) => `“${form}”: ${references(ids)}`).join('; ')}; ${usual?.[1].length} have “${usual?.[0]}”`,
    suggestion: writeInOneWay,
  }))
  const rest = several.length - listed.length
  if (rest === 0) return listed
  const what = `${rest} more ${rest === 1 ? 'word is' : 'words are'} written in several ways`
  return [...listed, { utteranceId: null, what, suggestion: writeInOneWay }]
}

function rareCount([, ...rarer]: readonly (readonly [string, readonly string[]])[]): number {
  return rarer.reduce((sum, [, ids]) => sum + ids.length, 0)
}

/** Words that are not at the beginning of a sentence, where the case is forced. */
function* wordsWithin(text: string): Iterable<string> {
  let end: number | null = null
  for (const { 0: word, index } of text.matchAll(/\p{L}[\p{L}\p{M}'’]*/gu)) {
    if (end !== null && !/[.!?:…]/.test(text.slice(end, index))) yield word
    end = index + word.length
  }
}

/** Number of references with examples: `3 references, as a, b, c`. */
function references(ids: readonly string[]): string {
  const examples = ids.slice(0, maxExamples).join(', ')
  return `${counted(ids.length, 'reference')}, as ${examples}`
}

/**
 * Utterances whose reference has another style than most.
 *
 * @param styleOf the style of a reference; null where it shows none
 */
function minority<Style extends string>(
  heard: readonly HeardUtterance[],
  styleOf: (text: string) => Style | null,
) {
  const styled = heard.flatMap((each) => {
    const name = styleOf(each.utterance.text)
    return name === null ? [] : [{ name, each }]
  })
  const groups = Map.groupBy(styled, ({ name }) => name)
  const [usual, ...others] = [...groups].sort(([, left], [, right]) => right.length - left.length)
  if (usual === undefined) return []
  const [name, { length: count }] = usual
  return others.map(([other, members]) => ({
    name: other,
    members: members.map(({ each }) => each),
    usual: { name, count },
  }))
}
