import { type Stage, wordStage } from '../profile.ts'

export interface LetterRules {
  /** Letters that are words: `a` and `i` in English. Two letters, one of them such a word, are no initialism. */
  readonly words: readonly string[]
  /** Two letters with such a word that may be an initialism all the same: a i. */
  readonly possiblePairs?: readonly string[]
  /** The letter that is a pronoun, and words before which it is one at the end of an initialism: the b b c i think. */
  readonly pronoun: { readonly letter: string; readonly before: readonly string[] } | null
}

/**
 * A stage that writes letters that are spelt one by one as one word.
 *
 * @param isTaken whether a word means something to an earlier stage after the word before it: no letters become such a word
 */
export function letterStage(
  { words, pronoun, possiblePairs = [] }: LetterRules,
  isTaken: (word: string, before: string | undefined) => boolean,
  example: Stage['example'],
): Stage {
  const isWord = new Set(words)
  const isPossible = new Set(possiblePairs)
  const verbs = new Set(pronoun?.before)
  const endRun = (run: string[], next: string | undefined, written: string[]): void => {
    const hasPronoun = run.length > 1 && run.at(-1) === pronoun?.letter && verbs.has(next ?? '')
    const letters = hasPronoun ? run.slice(0, -1) : run
    const joined = letters.join('')
    if (isInitialism(letters, isWord) && !isTaken(joined, written.at(-1))) written.push(joined)
    else if (isPossible.has(joined)) written.push(`${letters.join('_')}|${letters.join('_')}|${joined}`)
    else written.push(...letters)
    if (hasPronoun) written.push(pronoun?.letter ?? '')
  }
  return wordStage({
    name: 'letters',
    does: 'Letters that are spelt one by one become one word.',
    example,
    settings: {
      words,
      pronoun: pronoun === null ? null : { letter: pronoun.letter, before: pronoun.before },
      ...(possiblePairs.length === 0 ? {} : { possiblePairs }),
    },
    concerns: isLetter,
    applyToWords(tokens) {
      if (!tokens.some((token, index) => isLetter(token) && isLetter(tokens[index - 1] ?? ''))) return tokens
      const written: string[] = []
      let run: string[] = []
      for (const token of tokens) {
        if (isLetter(token)) run.push(token)
        else {
          endRun(run, token, written)
          run = []
          written.push(token)
        }
      }
      endRun(run, undefined, written)
      return written
    },
  })
}

// The letter o is a nought as a figure: two of them are no initialism.
const zero = 'o'

function isInitialism(letters: readonly string[], isWord: ReadonlySet<string>): boolean {
  const hasWord = letters.some((letter) => isWord.has(letter))
  return (
    letters.length > (hasWord ? 2 : 1) && letters.some((letter) => !isWord.has(letter) && letter !== zero)
  )
}

function isLetter(token: string): boolean {
  return token.length === 1 && token >= 'a' && token <= 'z'
}
