import type { HeardUtterance } from '../heard-utterance.ts'
import type { LintCheck, UnnamedFindings } from '../lint-check.ts'
import { minority } from './minority.ts'

/** Longer lists are not read; the last line says how many more there are. */
const maxWords = 20
const maxExamples = 3

type Case = 'capitals only' | 'small letters only' | 'both cases'

/** Null for a text with too few letters to show its case. */
function caseOf(text: string): Case | null {
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
    const styles = minority(heard, caseOf).map(({ name, members, usual }) => ({
      utteranceId: members[0]?.utterance.id ?? null,
      what: `${name}: ${references(members.map(({ utterance }) => utterance.id))}; ${usual.count} have ${usual.name}`,
      suggestion,
    }))
    // In a text of capitals every word differs: it is listed once, as a whole.
    const mixed = heard.filter(({ utterance }) => caseOf(utterance.text) !== 'capitals only')
    return [...styles, ...wordsOfSeveralCases(mixed)]
  },
}

const suggestion =
  'write all references in one way, or check that the profile evens it out: transcribench explain'

/** Ids of the references with each form of a word. */
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
    suggestion,
  }))
  const rest = several.length - listed.length
  if (rest === 0) return listed
  const what = `${rest} more ${rest === 1 ? 'word is' : 'words are'} written in several ways`
  return [...listed, { utteranceId: null, what, suggestion }]
}

function rareCount([, ...rarer]: readonly (readonly [string, readonly string[]])[]): number {
  return rarer.reduce((sum, [, ids]) => sum + ids.length, 0)
}

/** Words whose case is not that of the beginning of a sentence. */
function* wordsWithin(text: string): Iterable<string> {
  let end: number | null = null
  for (const { 0: word, index } of text.matchAll(/\p{L}[\p{L}\p{M}'’]*/gu)) {
    if (end !== null && !/[.!?:…]/.test(text.slice(end, index))) yield word
    end = index + word.length
  }
}

/** `3 references, as a, b, c` */
function references(ids: readonly string[]): string {
  const examples = ids.slice(0, maxExamples).join(', ')
  return `${ids.length === 1 ? '1 reference' : `${ids.length} references`}, as ${examples}`
}
