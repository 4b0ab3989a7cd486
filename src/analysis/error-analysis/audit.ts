import { type AuditedUtterance, auditReferences, type Profile } from '#scoring'
import type { ReferenceAudit } from '../documents/error-analysis/error-analysis.ts'
import type { ScoredContender } from '../requests/scored-contender.ts'

/** Holds the references against the first answer of every contender. */
export function auditOf(scored: readonly ScoredContender[], profile: Profile): ReferenceAudit {
  const { suspects, selfReferences } = auditReferences(auditedUtterances(scored), profile)
  return {
    suspectCount: scored.length < 2 ? null : suspects.length,
    suspects,
    selfReferences,
  }
}

function auditedUtterances(scored: readonly ScoredContender[]): readonly AuditedUtterance[] {
  const audited = new Map<string, { reference: string; hypotheses: Record<string, string | null> }>()
  for (const { resolved, requests } of scored) {
    for (const { resolved: request, reference } of requests) {
      const { id } = request.utterance
      const entry = audited.get(id) ?? { reference, hypotheses: {} }
      audited.set(id, entry)
      // Of several accepted texts the one that the first answer is compared with; a suspect has one answer only.
      if (Object.values(entry.hypotheses).every((text) => text === null)) entry.reference = reference
      entry.hypotheses[resolved.contender.id] ??= request.hypothesis
    }
  }
  return [...audited].map(([id, entry]) => ({ id, ...entry }))
}
