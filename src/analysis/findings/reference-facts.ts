import type { ContenderAnalysis, ReferenceAudit } from '../documents/error-analysis/error-analysis.ts'
import type { AppliedCorrections } from '../documents/scoring-identity.ts'
import type { FindingDetector } from './finding-definition.ts'

export type ReferenceFinding = FindingDetector<ReferenceFacts>
/** Of a comparison too. */
export type CorrectionFinding = FindingDetector<Pick<ReferenceFacts, 'corrections'>>

/** What the texts of a run say against its references, and what was done to these. */
export interface ReferenceFacts {
  readonly audit: ReferenceAudit
  readonly analyses: readonly ContenderAnalysis[]
  /** Contenders that got answers to other recordings: their texts say nothing more. */
  readonly crossedIds: ReadonlySet<string>
  /** Whether more than one request at a time may have been with the server. */
  readonly isConcurrent: boolean
  /** Null where nothing was asked for. */
  readonly corrections: AppliedCorrections | null
  readonly runId: string
}
