import { lazily } from '#prelude'
import type { Stage } from '../profile.ts'
import { matches, type PythonPattern, pythonPattern, substitute } from './python-text.ts'

/** Pattern and replacement, applied one after another: an earlier one can make work for a later one. */
export type Rewriting = readonly [pattern: string, replacement: string]

const wholeWords: readonly Rewriting[] = [
  [String.raw`\bwon't\b`, 'will not'],
  [String.raw`\bcan't\b`, 'can not'],
  [String.raw`\blet's\b`, 'let us'],
  [String.raw`\bain't\b`, 'aint'],
  [String.raw`\by'all\b`, 'you all'],
  [String.raw`\bwanna\b`, 'want to'],
  [String.raw`\bgotta\b`, 'got to'],
  [String.raw`\bgonna\b`, 'going to'],
  [String.raw`\bi'ma\b`, 'i am going to'],
  [String.raw`\bimma\b`, 'i am going to'],
  [String.raw`\bwoulda\b`, 'would have'],
  [String.raw`\bcoulda\b`, 'could have'],
  [String.raw`\bshoulda\b`, 'should have'],
  [String.raw`\bma'am\b`, 'madam'],
]

const titles: readonly Rewriting[] = Object.entries({
  mr: 'mister',
  mrs: 'missus',
  st: 'saint',
  dr: 'doctor',
  prof: 'professor',
  capt: 'captain',
  gov: 'governor',
  ald: 'alderman',
  gen: 'general',
  sen: 'senator',
  rep: 'representative',
  pres: 'president',
  rev: 'reverend',
  hon: 'honorable',
  asst: 'assistant',
  assoc: 'associate',
  lt: 'lieutenant',
  col: 'colonel',
  jr: 'junior',
  sr: 'senior',
  esq: 'esquire',
}).map(([short, long]) => [String.raw`\b${short}\b`, `${long} `])

const perfectTenses: readonly Rewriting[] = [
  [String.raw`'d been\b`, ' had been'],
  [String.raw`'s been\b`, ' has been'],
  [String.raw`'d gone\b`, ' had gone'],
  [String.raw`'s gone\b`, ' has gone'],
  [String.raw`'d done\b`, ' had done'],
  [String.raw`'s got\b`, ' has got'],
  [String.raw`n't\b`, ' not'],
  [String.raw`'re\b`, ' are'],
]

const endings: readonly Rewriting[] = [
  [String.raw`'d\b`, ' would'],
  [String.raw`'ll\b`, ' will'],
  [String.raw`'t\b`, ' not'],
  [String.raw`'ve\b`, ' have'],
  [String.raw`'m\b`, ' am'],
]

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
