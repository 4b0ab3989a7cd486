import type { AlignmentStep } from '../shapes.ts'

/** The rule behind each kind, word for word as the report shows it. */
export const pathologyRules = {
  hallucination:
    'Words where the reference has none. Or at least eight inserted words in a row. Or at least four inserted words in a row ' +
    'while the answer has more than seven words per second of audio.',
  loop:
    'One to eight words at least four times in a row, twelve words or more in all, or three times in a row and a third ' +
    'of the answer. In both cases at least twice as often as in the reference.',
  emptyOutput: 'No word where the reference has some.',
  missingStart: 'The first five words or more are missing, and a fifth of the reference with them.',
  missingMiddle: 'Eight words or more in a row are missing, with recognised words on both sides.',
  missingEnd: 'The last five words or more are missing, and a fifth of the reference with them.',
  wrongScript:
    'At least half of the letters are of a script that the reference does not use, ten letters or more.',
} as const

/** A way to fail that an error rate does not distinguish from ordinary errors. */
export type PathologyKind = keyof typeof pathologyRules

/** Something that was found in one utterance. */
export interface Pathology {
  readonly kind: PathologyKind
  /** Words concerned: inserted, repeated, missing; letters for a wrong script. */
  readonly size: number
  /** The words, or the script. */
  readonly detail: string
}

const fastestSpeech = 7
const invention = { words: 8, wordsWhenTooFast: 4 }
const missing = { ends: 5, share: 0.2, middle: 8 }
const foreign = { letters: 10, share: 0.5 }

/**
 * Looks at one answered utterance. Several things can be wrong with it at once.
 *
 * @param steps the word alignment, canonical
 * @param audioSeconds length of the recording; null where it is not known
 */
export function findPathologies(steps: readonly AlignmentStep[], audioSeconds: number | null): Pathology[] {
  const said = steps.flatMap((step) => step.reference ?? [])
  const heard = steps.flatMap((step) => step.hypothesis ?? [])
  if (said.length > 0 && heard.length === 0) {
    return [{ kind: 'emptyOutput', size: said.length, detail: said.join(' ') }]
  }
  return [
    ...findHallucination(steps, said.length, heard, audioSeconds),
    ...findLoop(said, heard),
    ...findMissing(steps, said.length),
    ...findWrongScript(said, heard),
  ]
}

function findHallucination(
  steps: readonly AlignmentStep[],
  saidCount: number,
  heard: readonly string[],
  audioSeconds: number | null,
): Pathology[] {
  if (saidCount === 0) {
    return heard.length === 0 ? [] : [{ kind: 'hallucination', size: heard.length, detail: heard.join(' ') }]
  }
  const isTooFast = audioSeconds !== null && audioSeconds > 0 && heard.length / audioSeconds > fastestSpeech
  const least = isTooFast ? invention.wordsWhenTooFast : invention.words
  return runsOf(steps, 'insertion')
    .filter(({ words }) => words.length >= least)
    .map(({ words }) => ({ kind: 'hallucination', size: words.length, detail: words.join(' ') }))
}

function findLoop(said: readonly string[], heard: readonly string[]): Pathology[] {
  const loop = longestLoop(heard)
  if (loop === null) return []
  const { words, repeats } = loop
  const covered = words.length * repeats
  const isLong = repeats >= 4 && covered >= 12
  const isMostOfIt = repeats >= 3 && covered * 3 >= heard.length
  if (!isLong && !isMostOfIt) return []
  // A song may repeat itself; a loop goes on where the singer does not.
  if (repeats < 2 * repeatsOf(words, said)) return []
  return [{ kind: 'loop', size: covered, detail: `${words.join(' ')} ×${repeats}` }]
}

function findMissing(steps: readonly AlignmentStep[], saidCount: number): Pathology[] {
  return runsOf(steps, 'deletion').flatMap(({ words, start, end }): Pathology[] => {
    const found = { size: words.length, detail: words.join(' ') }
    const isLargeEnd = words.length >= missing.ends && words.length >= missing.share * saidCount
    if (start === 0) return isLargeEnd ? [{ kind: 'missingStart', ...found }] : []
    if (end === steps.length) return isLargeEnd ? [{ kind: 'missingEnd', ...found }] : []
    return words.length >= missing.middle ? [{ kind: 'missingMiddle', ...found }] : []
  })
}

interface Run {
  readonly words: readonly string[]
  readonly start: number
  readonly end: number
}

/** Unbroken runs of one kind of step. */
function runsOf(steps: readonly AlignmentStep[], kind: 'insertion' | 'deletion'): Run[] {
  const runs: Run[] = []
  let start = 0
  while (start < steps.length) {
    let end = start
    while (steps[end]?.kind === kind) end += 1
    if (end > start) {
      const words = steps.slice(start, end).flatMap((step) => step.reference ?? step.hypothesis ?? [])
      runs.push({ words, start, end })
    }
    start = end + 1
  }
  return runs
}

const scripts = (
  'Latin Cyrillic Greek Arabic Hebrew Devanagari Bengali Tamil Telugu Thai Han ' +
  'Hiragana Katakana Hangul Georgian Armenian Khmer Lao Myanmar Ethiopic'
).split(' ')

function findWrongScript(said: readonly string[], heard: readonly string[]): Pathology[] {
  if (heard.every(isAscii) && said.every(isAscii)) return []
  const expected = lettersByScript(said.join(''))
  const actual = lettersByScript(heard.join(''))
  const all = [...actual.values()].reduce((sum, count) => sum + count, 0)
  if (expected.size === 0 || all < foreign.letters) return []
  const strange = [...actual].filter(([script]) => !expected.has(script))
  const size = strange.reduce((sum, [, count]) => sum + count, 0)
  if (size < foreign.letters || size < foreign.share * all) return []
  return [{ kind: 'wrongScript', size, detail: strange.map(([script]) => script).join(', ') }]
}

function isAscii(word: string): boolean {
  return /^[ -~]*$/.test(word)
}

function lettersByScript(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const script of scripts) {
    const letters = text.match(new RegExp(String.raw`\p{Script=${script}}`, 'gu'))
    if (letters !== null) counts.set(script, letters.length)
  }
  return counts
}

/** A group of words that is said several times in a row. */
interface Loop {
  readonly words: readonly string[]
  readonly repeats: number
}

const maxGroupLength = 8

/**
 * The immediate repetition that covers the most words: groups of one to eight words, at least twice in a row;
 * the shorter group where several cover as many.
 *
 * @returns null where nothing is repeated. Time O(8 · words).
 */
function longestLoop(words: readonly string[]): Loop | null {
  let best: Loop | null = null
  for (let length = 1; length <= maxGroupLength; length += 1) {
    let equal = 0
    for (let index = length; index <= words.length; index += 1) {
      if (index < words.length && words[index] === words[index - length]) {
        equal += 1
        continue
      }
      // A run of `equal` words that each repeat the word `length` before them.
      const repeats = Math.floor(equal / length) + 1
      const covered = best === null ? 0 : best.words.length * best.repeats
      if (repeats >= 2 && repeats * length > covered) {
        const start = index - equal - length
        best = { words: words.slice(start, start + length), repeats }
      }
      equal = 0
    }
  }
  return best
}

/** How often a group of words is said in a row at most; 0 where it is not said. */
function repeatsOf(group: readonly string[], words: readonly string[]): number {
  const text = ` ${words.join(' ')} `
  const once = `${group.join(' ')} `
  let repeats = 0
  while (text.includes(` ${once.repeat(repeats + 1)}`)) repeats += 1
  return repeats
}
