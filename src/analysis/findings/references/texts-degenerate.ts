import type { PathologyKind } from '#scoring'
import type { ReferenceFinding } from '../reference-facts.ts'
import { counted } from '../wording.ts'

/** Fewer utterances, or a smaller share for certain, are named in the line of degenerate output alone. */
const fewest = 3
const leastShare = 0.05

const words: Readonly<Record<PathologyKind, string>> = {
  hallucination: 'with invented words',
  loop: 'with words repeated in a loop',
  emptyOutput: 'without a word',
  missingStart: 'without their beginning',
  missingMiddle: 'without a part in their middle',
  missingEnd: 'without their end',
  wrongScript: 'in another script',
}

export const textsDegenerate = {
  code: 'TEXTS_DEGENERATE',
  severity: 'decisive',
  meaning:
    'A contender answers a part of the utterances in a way that is no ordinary error: it loses their beginning or end, repeats ' +
    'itself, invents words, or says nothing. It is named where that is three utterances or more, and 5% or more for certain ' +
    '(95% interval). The error rate mixes two things then: how well it hears, and how often that happens. The rules are those of ' +
    'the table of degenerate output.',
  detect: ({ analyses, crossedIds }) =>
    analyses
      .filter(({ contenderId }) => !crossedIds.has(contenderId))
      .flatMap(({ contenderId, pathologies }) => {
        const often = pathologies.filter(
          ({ rate }) => rate.numerator >= fewest && (rate.interval?.low ?? 0) >= leastShare,
        )
        if (often.length === 0) return []
        const listed = often.map(({ kind, rate }) => `${rate.numerator} ${words[kind]}`)
        const asked = counted(often[0]?.rate.denominator ?? 0, 'utterance')
        return [
          {
            message: `${contenderId}: of ${asked}, it answered ${listed.join(', ')}`,
            advice: 'listen to them; where recordings are too long for the server, cut them',
            utteranceIds: [
              ...new Set(often.flatMap(({ examples }) => examples.map((one) => one.utteranceId))),
            ],
          },
        ]
      }),
} satisfies ReferenceFinding
