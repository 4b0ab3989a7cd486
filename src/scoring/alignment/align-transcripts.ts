import { type AlignmentRule, align } from './align.ts'
import { type Arc, hasChoice, networkOf, plainWords, type TranscriptPart } from './network.ts'
import { alignNetworks, canonicalCosts, type NetworkMove, scliteCosts } from './network-alignment.ts'
import type { Alignment, AlignmentStep } from './steps.ts'

/**
 * Aligns transcripts that leave choices, in the reading that is best for the hypothesis: fewest edits, among
 * those most words right, among those the longest. `sclite` weighs as sclite does, and counts an optional word
 * that was not said as a hit; by the other rules it does not count at all. `jiwer` and `kaldi`, which know no
 * choices, align the best reading in their own way.
 *
 * @returns as `align`, over the words of the readings that were taken. Never throws.
 */
export function alignTranscripts(
  reference: readonly TranscriptPart[],
  hypothesis: readonly TranscriptPart[],
  rule: AlignmentRule = 'canonical',
): Alignment {
  if (!hasChoice(reference) && !hasChoice(hypothesis)) {
    return align(plainWords(reference), plainWords(hypothesis), rule)
  }
  const costs = rule === 'sclite' ? scliteCosts : canonicalCosts
  const moves = alignNetworks(networkOf(reference), networkOf(hypothesis), costs)
  if (rule === 'sclite') return alignmentOf(moves.flatMap(scliteStep))
  const steps = moves.flatMap(canonicalStep)
  if (rule === 'canonical') return alignmentOf(steps)
  return align(
    steps.flatMap((step) => step.reference ?? []),
    steps.flatMap((step) => step.hypothesis ?? []),
    rule,
  )
}

function alignmentOf(steps: readonly AlignmentStep[]): Alignment {
  const count = (kind: AlignmentStep['kind']): number => steps.filter((step) => step.kind === kind).length
  return {
    counts: {
      hits: count('hit'),
      substitutions: count('substitution'),
      deletions: count('deletion'),
      insertions: count('insertion'),
    },
    steps,
  }
}

function isSilent(arc: Arc | null): boolean {
  return arc === null || arc.kind === 'null'
}

function canonicalStep({ reference, hypothesis }: NetworkMove): AlignmentStep[] {
  // An optional word that the other side lacks is as if it had not been written.
  if (reference?.kind === 'optional' && isSilent(hypothesis)) return []
  if (hypothesis?.kind === 'optional' && isSilent(reference)) return []
  return stepBetween(reference, hypothesis)
}

function scliteStep({ reference, hypothesis }: NetworkMove): AlignmentStep[] {
  if (reference?.kind === 'optional' && hypothesis === null) {
    return [{ kind: 'hit', reference: reference.token, hypothesis: '' }]
  }
  if (hypothesis?.kind === 'optional' && reference === null) {
    return [{ kind: 'hit', reference: '', hypothesis: hypothesis.token }]
  }
  return stepBetween(reference, hypothesis)
}

function stepBetween(reference: Arc | null, hypothesis: Arc | null): AlignmentStep[] {
  const expected = reference === null || isSilent(reference) ? null : reference.token
  const heard = hypothesis === null || isSilent(hypothesis) ? null : hypothesis.token
  if (expected === null && heard === null) return []
  if (expected === null) return [{ kind: 'insertion', reference: null, hypothesis: heard as string }]
  if (heard === null) return [{ kind: 'deletion', reference: expected, hypothesis: null }]
  return [{ kind: expected === heard ? 'hit' : 'substitution', reference: expected, hypothesis: heard }]
}
