import type { ReferenceFinding } from '../reference-facts.ts'

export const selfReference = {
  code: 'SELF_REFERENCE',
  severity: 'warning',
  meaning:
    'At least 90% of ten or more references of five words or more are what one contender answered, letter for letter, ' +
    'capitals and punctuation included: they were probably made from its transcripts, and it cannot but win. Listen, and ' +
    'correct references from the audio.',
  detect: ({ audit: { selfReferences } }) =>
    selfReferences.map(({ contenderId, identicalCount, comparedCount }) => ({
      message:
        `${identicalCount} of ${comparedCount} references are what ${contenderId} answered, letter for letter: ` +
        'they favour it',
      advice: 'correct references from the audio, without seeing a transcript',
    })),
} satisfies ReferenceFinding
