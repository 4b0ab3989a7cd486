import type { z } from 'zod'
import { noSpeechRule } from '#contract/failures'
import type { DeepReadonly } from '#prelude'
import { count, groupOrNull, list, oneOf, orNull, part, text } from '#prelude/document-fields'
import { characterRules } from '#scoring/tokens'

const appliedCorrectionsSchema = part(
  'AppliedCorrections',
  'What a file of corrections did to the references of a run.',
  {
    source: text.describe('Where they were read from, as it was named.'),
    fingerprint: text.describe('64 hexadecimal digits over the corrections.'),
    correctedIds: list(text).describe('Utterances of the run whose reference was corrected.'),
    staleCount: count.describe(
      'Corrections of a text that the reference is not (any more), and of utterances that the run does not have.',
    ),
    staleIds: list(text).describe('Their utterances, the first 100.'),
  },
)
export type AppliedCorrections = DeepReadonly<z.infer<typeof appliedCorrectionsSchema>>

export const scoringIdentitySchema = part('ScoringIdentity', 'By which rules a run was scored.', {
  fingerprint: text.describe(
    '64 hexadecimal digits over the profile, the alignment, the corrections, the vocabulary and what means no speech.',
  ),
  characterRule: oneOf(characterRules).describe('What counts as a character.'),
  corrections: orNull(appliedCorrectionsSchema).describe(
    "References that were corrected after the run; null where the run's own were used.",
  ),
  vocabulary: groupOrNull({
    fingerprint: text.describe('64 hexadecimal digits over the keywords.'),
    keywordCount: count.describe('Keywords.'),
  }).describe('Words and phrases that were searched for; null for none.'),
  noSpeech: list(noSpeechRule).describe(
    'Which refusals were scored as answers without words; empty for none.',
  ),
})
export type ScoringIdentity = DeepReadonly<z.infer<typeof scoringIdentitySchema>>

export const scoredProfileSchema = part('ScoredProfile', 'The normalisation profile of a score.', {
  id: text.describe('Its name, with the version after an @ where there are several.'),
  fingerprint: text.describe('64 hexadecimal digits over its rules.'),
  leads: oneOf(['words', 'characters']).describe('The error rate that contenders are ranked by.'),
})

/** Whether the figures of a run are usable. */
export const validitySchema = oneOf(['valid', 'invalid', 'short'])
export type Validity = z.infer<typeof validitySchema>
