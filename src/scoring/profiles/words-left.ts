import { profiles } from './index.ts'
import { normalise, type Profile } from './profile.ts'

/**
 * No brackets, within which a profile may drop words, and a first word of letters that is apart from what follows: no profile of
 * this module drops it because of what follows.
 */
const plainText = /^\s*(\p{L}{2,40})(?=\s|$)[\p{L}\p{M}\p{Nd}\s.,?!'’-]*$/u
/** First words of texts: more different ones than this are not worth a table. */
const maxRemembered = 100_000

/**
 * Whether texts have words left after normalisation. Mostly the first word says so, and many texts begin alike: a hundred
 * thousand of them take a tenth of the time that normalising them takes.
 */
export function wordsLeft(profile: Profile): (text: string) => boolean {
  const isLeft = (text: string): boolean => normalise(text, profile).trim() !== ''
  // Rules of a user may drop any phrase.
  if (!profiles.includes(profile)) return isLeft
  const isLeftByText = new Map<string, boolean>()
  return (text) => {
    const [, first = ''] = plainText.exec(text) ?? []
    const remembered = isLeftByText.get(first) ?? (first !== '' && isLeft(first))
    if (isLeftByText.size < maxRemembered) isLeftByText.set(first, remembered)
    return remembered || isLeft(text)
  }
}
