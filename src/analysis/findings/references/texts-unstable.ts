import type { ReferenceFinding } from '../reference-facts.ts'
import { counted } from '../wording.ts'

/** Below, a different text is the exception. */
const fewest = 3
const leastShare = 0.1

export const textsUnstable = {
  code: 'TEXTS_UNSTABLE',
  severity: 'decisive',
  meaning:
    'The same recordings, sent again with the same settings, were answered with another text in three utterances or more, and ' +
    'in 10% or more for certain (95% interval). What is answered depends on chance, or on what else the server does: the ' +
    'error rate of another run will differ by more than its interval says.',
  detect: ({ analyses, crossedIds, isConcurrent }) =>
    analyses
      .filter(({ contenderId }) => !crossedIds.has(contenderId))
      .flatMap(({ contenderId, flakiness }) => {
        if (flakiness === null) return []
        const { rate, betweenRepeatsRate, unstableIds } = flakiness
        if (rate.numerator < fewest || (rate.interval?.low ?? 0) < leastShare) return []
        const between =
          betweenRepeatsRate === null ? '' : ` (${(100 * betweenRepeatsRate).toFixed(1)}% of their words)`
        return [
          {
            message:
              `${contenderId}: the text of ${rate.numerator} of ${counted(rate.denominator, 'utterance')} differs between ` +
              `rounds${isConcurrent ? ' under load' : ''}${between}`,
            advice: isConcurrent
              ? 'measure with one request at a time: where the texts then agree, the load changes them'
              : 'what it answers depends on chance: more rounds average it',
            utteranceIds: unstableIds,
          },
        ]
      }),
} satisfies ReferenceFinding
