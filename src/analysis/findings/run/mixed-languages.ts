import { profileOfUtterance } from '#scoring'
import { utterancesOf } from '../../requests/resolved-run.ts'
import type { RunFinding } from '../run-facts.ts'

export const mixedLanguages = {
  code: 'MIXED_LANGUAGES',
  severity: 'note',
  meaning:
    'The corpus has several languages, and each utterance is scored by the profile of its language. The error rate of the whole ' +
    'corpus adds up words of all languages, which are longer in one than in another. Compare the rates by language.',
  detect: ({ scorer, resolved }) => {
    if (scorer.rules.ofLanguage === undefined) return []
    const languages = new Set(
      resolved.contenders.flatMap((contender) => utterancesOf(contender).map(({ language }) => language)),
    )
    if (languages.size < 2) return []
    const names = [...languages].map((language) => {
      const { id } = profileOfUtterance(scorer.rules, language)
      return `${language ?? 'unknown'} (${id})`
    })
    return [
      {
        message: `the error rates of the whole corpus add up ${languages.size} languages: ${names.sort().join(', ')}`,
        advice: 'compare the rates by language',
      },
    ]
  },
} satisfies RunFinding
