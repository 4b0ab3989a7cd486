import { type AuditedUtterance, auditReferences, type Profile } from '#scoring'
import type { ReferenceAudit } from '../documents/error-analysis/error-analysis.ts'
import type { ScoredContender } from '../requests/scored-contender.ts'

/** Holds the references against the first answer of every contender. */
export function auditOf(scored: readonly ScoredContender[], profile: Profile): ReferenceAudit {
  const { suspects, selfReferences } = auditReferences(auditedUtterances(scored), profile)
  // One contender on several hosts agrees with itself, which says nothing of a reference.
  const areSeveral = new Set(scored.map(auditedAs)).size > 1
  return {
    suspectCount: areSeveral ? suspects.length : null,
    suspects: areSeveral ? suspects : [],
    selfReferences,
  }
}

function auditedAs({ resolved: { contender } }: ScoredContender): string {
  return contender.merged?.contender ?? contender.id
}

function auditedUtterances(scored: readonly ScoredContender[]): readonly AuditedUtterance[] {
  const audited = new Map<string, { reference: string; hypotheses: Record<string, string | null> }>()
  for (const own of scored) {
    const name = auditedAs(own)
    for (const { resolved: request, reference } of own.requests) {
      const { id } = request.utterance
      const entry = audited.get(id) ?? { reference, hypotheses: {} }
      audited.set(id, entry)
      // Of several accepted texts the one that the first answer is compared with; a suspect has one answer only.
      if (Object.values(entry.hypotheses).every((text) => text === null)) entry.reference = reference
      entry.hypotheses[name] ??= request.hypothesis
    }
  }
  return [...audited].map(([id, entry]) => ({ id, ...entry }))
}
