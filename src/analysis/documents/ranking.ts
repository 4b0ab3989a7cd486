import type { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { count, group, list, oneOf, part, share, text } from '#prelude/document-fields'

const rankBandSchema = part('RankBand', 'The ranks that one contender may have.', {
  contenderId: text.describe('The contender.'),
  firstPlace: count.describe('Its best possible rank; 1 has the fewest errors.'),
  lastPlace: count.describe('Its worst possible rank.'),
})

export const rankingSchema = part(
  'Ranking',
  'How contenders rank by an error rate, as far as their utterances decide it.',
  {
    metric: oneOf(['wer.all', 'cer.all']).describe('What they are ranked by.'),
    confidence: share.describe('All bands are right together with this probability.'),
    comparisonCount: count.describe('Pairs of contenders that the confidence is shared among.'),
    bands: list(rankBandSchema).describe(
      'The lowest rate first: the order of every table, and the two best of the first sentence.',
    ),
    resolved: list(
      group({
        better: text.describe('The contender that makes fewer errors.'),
        worse: text.describe('The other one.'),
      }),
    ).describe('Every two contenders of which one certainly makes fewer errors.'),
  },
)
export type Ranking = DeepReadonly<z.infer<typeof rankingSchema>>
