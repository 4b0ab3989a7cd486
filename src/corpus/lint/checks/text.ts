import { type LintCheck, onEach } from '../lint-check.ts'
import { minority } from './minority.ts'

/** Fast speech has five words a second, and rap ten syllables. @see Tauroza and Allison 1990, doi:10.1093/applin/11.1.90 */
const wordsPerSecond = { most: 6.5, least: 0.4 }

export const rate: LintCheck = {
  name: 'words-per-second',
  meaning:
    'The reference has more than 6.5 words for each second of speech, or fewer than 0.4 over at least 3 s.',
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

const numberWords =
  /\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand)\b/iu

function numerals(text: string): 'figures' | 'number words' | null {
  if (/\p{Nd}/u.test(text)) return 'figures'
  return numberWords.test(text) ? 'number words' : null
}

export const numeralStyle: LintCheck = {
  name: 'numerals',
  meaning:
    'Some references of a corpus write numbers as figures and others as words; the rarer of the two is listed.',
  find: ({ heard }) =>
    minority(heard, numerals).flatMap(({ name, members, usual }) =>
      members.map(({ utterance }) => ({
        utteranceId: utterance.id,
        what: `${name}, as ${members.length === 1 ? '1 reference has' : `${members.length} references have`}; ${usual.count} have ${usual.name}`,
        suggestion:
          'write all references in one way, or check that the profile evens it out: transcribench explain',
      })),
    ),
}
