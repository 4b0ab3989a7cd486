import { Profanity } from '@2toad/profanity'

/** The English list of `@2toad/profanity`, word by word, so that no innocent word is hit for what it contains. */
const profanity = new Profanity({ languages: ['en'], wholeWord: true })

/** Leaves the first letter of a profane word and hides the others: `d***`. */
export function hideProfanity(text: string): string {
  return text.replaceAll(/\p{L}+/gu, (word) => {
    if (!profanity.exists(word)) return word
    const [first = '', ...others] = word
    return first + '*'.repeat(others.length)
  })
}
