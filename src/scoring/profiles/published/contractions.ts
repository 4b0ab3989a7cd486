import { lazily } from '#prelude'
import type { Stage } from '../profile.ts'
import tables from './contractions.json' with { type: 'json' }
import { matches, type PythonPattern, pythonPattern, substitute } from './python-text.ts'

/** Pattern and replacement, applied one after another: an earlier one can make work for a later one. */
export type Rewriting = readonly [pattern: string, replacement: string]

/** Whole words and titles, and what is after a word. */
const wholeWords = rewritings(tables.wholeWords, (word) => String.raw`\b${word}\b`)
const titles = rewritings(tables.titles, (short) => String.raw`\b${short}\b`, ' ')
const perfectTenses = rewritings(tables.perfectTenses, (ending) => String.raw`${ending}\b`)
const endings = rewritings(tables.endings, (ending) => String.raw`${ending}\b`)

function rewritings(
  table: Readonly<Record<string, string>>,
  pattern: (text: string) => string,
  after = '',
): readonly Rewriting[] {
  return Object.entries(table).map(([text, written]) => [pattern(text), written + after])
}

/** Whisper's 49 rewritings in their published order. */
export const whisperContractions: readonly Rewriting[] = [
  ...wholeWords,
  ...titles,
  ...perfectTenses,
  [String.raw`'s\b`, ' is'],
  ...endings,
]

const pronounIs: Rewriting = [
  String.raw`\b(it|he|she|what|that|who|here|there|how|when|where|why|this)'s\b`,
  '$1 is',
]

/** What Whisper's and the leaderboard's rewritings do. */
export const contractionExample: Stage['example'] = [
  "mr. park won't, she's been there",
  'mister . park will not, she has been there',
]

/** The same with 's written out only after a pronoun or a question word, so that possessives stay. */
export const leaderboardContractions: readonly Rewriting[] = [
  ...wholeWords,
  ...titles,
  ...perfectTenses,
  pronounIs,
  ...endings,
]

/** Verbs that take n’t. */
export const negatedVerbs: string =
  'do|does|did|is|are|was|were|has|have|had|ca|could|wo|would|sha|should|must|need|might|ai'

/** A stage that applies rewritings in their order. */
export function contractionStage(rewritings: readonly Rewriting[], example: Stage['example']): Stage {
  const prepared = lazily(() => rewritings.map(prepare))
  const plainWords = lazily(() => anyOf(rewritings))
  return {
    name: 'contractions and titles',
    does: 'Contractions are written out (won’t, I’m, gonna), titles too (Mr., Dr., Capt.), each in its turn.',
    example,
    settings: rewritings,
    apply(text) {
      // Most texts have little to rewrite. No rewriting makes a plain word that another one rewrites, so
      // looking once for all of them is enough.
      const hasPlainWord = matches(text, plainWords())
      if (!hasPlainWord && !text.includes("'")) return text
      let result = text
      for (const { needle, isPlainWord, pattern, replacement } of prepared()) {
        if (isPlainWord && !hasPlainWord) continue
        if (result.includes(needle)) result = substitute(result, pattern, replacement)
      }
      return result
    },
  }
}

/** Word characters between word boundaries, without an apostrophe. */
const plainWord = /^\\b\w+\\b$/

function anyOf(rewritings: readonly Rewriting[]): PythonPattern {
  const words = rewritings.flatMap(([source]) => (plainWord.test(source) ? [needleOf(source)] : []))
  return pythonPattern(String.raw`\b(?:${words.join('|')})\b`)
}

interface PreparedRewriting {
  /** Letters that every match holds: a search for them is many times cheaper than the pattern. */
  readonly needle: string
  readonly isPlainWord: boolean
  readonly pattern: PythonPattern
  readonly replacement: string
}

function needleOf(source: string): string {
  return source.replace(/\(.*\)/, '').replaceAll(String.raw`\b`, '')
}

function prepare([source, replacement]: Rewriting): PreparedRewriting {
  return {
    needle: needleOf(source),
    isPlainWord: plainWord.test(source),
    pattern: pythonPattern(source),
    replacement,
  }
}
