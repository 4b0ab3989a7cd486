import type { CorrectionFinding } from '../reference-facts.ts'
import { counted } from '../wording.ts'

export const referencesCorrected = {
  code: 'REFERENCES_CORRECTED',
  severity: 'note',
  meaning:
    'References were corrected after the run, and this score compares answers with the corrected ones.',
  detect: ({ corrections }) => {
    if (corrections === null) return []
    const { source, correctedIds } = corrections
    return [{ message: `${counted(correctedIds.length, 'reference')} corrected by ${source}` }]
  },
} satisfies CorrectionFinding
