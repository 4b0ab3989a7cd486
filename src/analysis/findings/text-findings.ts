import { shellWord } from '#prelude'
import { type Finding, finding } from '../documents/finding.ts'
import type { AuditInsight } from '../documents/insight.ts'
import type { AppliedCorrections } from '../documents/scoring-identity.ts'
import { counted, named } from './wording.ts'

/** What the texts themselves say against the references, and what was done to these. */
export function textFindings(
  audit: AuditInsight,
  corrections: AppliedCorrections | null,
  runId: string,
): readonly Finding[] {
  return [...selfReferences(audit), ...correctionFindings(corrections), ...suspects(audit, runId)]
}

function selfReferences({ selfReferences }: AuditInsight): readonly Finding[] {
  return selfReferences.map(({ contenderId, identicalCount, comparedCount }) =>
    finding(
      'SELF_REFERENCE',
      `${identicalCount} of ${comparedCount} references are what ${contenderId} answered, letter for letter: ` +
        'they favour it',
      'correct references from the audio, without seeing a transcript',
    ),
  )
}

function suspects({ suspectCount, suspects }: AuditInsight, runId: string): readonly Finding[] {
  if (suspectCount === null || suspectCount === 0) return []
  const ids = named(suspects.map(({ id }) => id))
  const what = suspectCount === 1 ? 'reference is' : 'references are'
  return [
    finding(
      'REFERENCES_SUSPECT',
      `${suspectCount} ${what} contradicted by all contenders in the same words: ${ids}`,
      `listen and decide which is right: transcribench review ${shellWord(runId)}`,
      suspects.map(({ id }) => id),
    ),
  ]
}

/** That references were corrected, and which corrections counted for nothing. */
export function correctionFindings(corrections: AppliedCorrections | null): readonly Finding[] {
  if (corrections === null) return []
  const { source, correctedIds, staleCount, staleIds } = corrections
  const applied = finding(
    'REFERENCES_CORRECTED',
    `${counted(correctedIds.length, 'reference')} corrected by ${source}`,
  )
  if (staleCount === 0) return [applied]
  const stale = finding(
    'CORRECTIONS_STALE',
    `${counted(staleCount, 'correction')} of ${source} counted for nothing, because the text that was corrected is ` +
      `not this run's reference: ${named(staleIds)}`,
    'transcribench explain CORRECTIONS_STALE',
  )
  return [stale, applied]
}
