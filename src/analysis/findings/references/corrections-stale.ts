import type { CorrectionFinding } from '../reference-facts.ts'
import { counted, named } from '../wording.ts'

export const correctionsStale = {
  code: 'CORRECTIONS_STALE',
  severity: 'warning',
  meaning:
    'Corrections name a text that the reference of this run neither is nor became by an earlier correction, or an ' +
    'utterance that the run does not have. They counted for nothing: the manifest was changed since, or the run is of ' +
    'another corpus.',
  detect: ({ corrections }) => {
    if (corrections === null || corrections.staleCount === 0) return []
    const { source, staleCount, staleIds } = corrections
    return [
      {
        message:
          `${counted(staleCount, 'correction')} of ${source} counted for nothing, because the text that was corrected is ` +
          `not this run's reference: ${named(staleIds)}`,
        advice: 'transcribench explain CORRECTIONS_STALE',
      },
    ]
  },
} satisfies CorrectionFinding
