import type { HeardUtterance } from '../heard-utterance.ts'
import { type LintCheck, type LintMaterial, onEach, type UnnamedFindings } from '../lint-check.ts'

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

/** How a reference writes what can be written in two ways; null where it shows neither. */
type Style = (text: string) => string | null

const numberWords =
  /\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand)\b/iu

const numerals: Style = (text) =>
  /\p{Nd}/u.test(text) ? 'figures' : numberWords.test(text) ? 'number words' : null

const letterCase: Style = (text) => {
  const letters = text.match(/\p{Lu}|\p{Ll}/gu) ?? []
  if (letters.length < 5) return null
  if (letters.every((letter) => /\p{Lu}/u.test(letter))) return 'capitals only'
  return letters.every((letter) => /\p{Ll}/u.test(letter)) ? 'small letters only' : 'both cases'
}

export const numeralStyle: LintCheck = {
  name: 'numerals',
  meaning:
    'Some references of a corpus write numbers as figures and others as words; the rarer of the two is listed.',
  find: (material) => minority(material, numerals),
}

export const caseStyle: LintCheck = {
  name: 'case',
  meaning: 'References of a corpus differ in their use of capitals; the rarer uses are listed.',
  find: (material) => minority(material, letterCase),
}

function minority({ heard }: LintMaterial, style: Style): UnnamedFindings {
  const groups = Map.groupBy(
    heard.flatMap((each) => {
      const own = style(each.utterance.text)
      return own === null ? [] : [{ each, own }]
    }),
    ({ own }) => own,
  )
  const [usual, ...others] = [...groups].sort(([, left], [, right]) => right.length - left.length)
  if (usual === undefined) return []
  const [usualName, usualMembers] = usual
  return others.flatMap(([name, members]) =>
    members.map(({ each }: { readonly each: HeardUtterance }) => ({
      utteranceId: each.utterance.id,
      what: `${name}, as ${count(members.length)}; ${usualMembers.length} have ${usualName}`,
      suggestion:
        'write all references in one way, or check that the profile evens it out: transcribench explain',
    })),
  )
}

function count(members: number): string {
  return members === 1 ? '1 reference has' : `${members} references have`
}
