import type { HeardUtterance } from '../heard-utterance.ts'
import { type LintCheck, onEach } from '../lint-check.ts'

/** Shorter texts resemble several languages. */
const leastWords = 4
/** Of scores in 0..1; closely related languages are nearer to each other. */
const leastMargin = 0.15

export const language: LintCheck = {
  name: 'language',
  meaning:
    'The text of at least four words is in another language than the manifest says, by a clear margin.',
  find: async (material) => {
    // Several megabytes, which no other command needs.
    const { eld } = await import('eld/small')
    return onEach((heard) => look(heard, eld))(material)
  },
}

type Detector = typeof import('eld/small').eld

function look(
  { utterance: { text, language: tag }, words }: HeardUtterance,
  eld: Detector,
): ReturnType<Parameters<typeof onEach>[0]> {
  if (tag === null || words < leastWords) return null
  const expected = new Intl.Locale(tag).language
  if (!Object.values(eld.info().Languages).includes(expected)) return null
  const found = eld.detect(text)
  const scores = found.getScores()
  const margin = (scores[found.language] ?? 0) - (scores[expected] ?? 0)
  if (found.language === '' || found.language === expected || !found.isReliable() || margin < leastMargin)
    return null
  const name = new Intl.DisplayNames('en', { type: 'language' })
  return {
    what: `reads as ${name.of(found.language)}, the manifest says ${name.of(expected)}`,
    suggestion: 'listen; correct the text or the language',
  }
}
