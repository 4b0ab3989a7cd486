import { addStep, noErrors } from '../counts.ts'
import type { AlignmentStep } from '../shapes.ts'
import type { Alignment } from './align.ts'
import { type AlignmentRule, align } from './align.ts'
import {
  type Arc,
  alignNetworks,
  canonicalCosts,
  hasChoice,
  isFragmentWord,
  literalOptions,
  type NetworkMove,
  networkOf,
  plainWords,
  type ScliteOptions,
  scliteCostsOf,
  type TranscriptPart,
} from './networks.ts'

/** An alignment of transcripts that leave choices. */
export interface TranscriptAlignment extends Alignment {
  /** The words of either side in the reading that was taken, without optional words that were not said. */
  readonly said: readonly string[]
  readonly heard: readonly string[]
}

/**
 * Aligns transcripts that leave choices, in the reading that is best for the hypothesis: fewest edits, among
 * those most words right, among those the longest. An optional word that was not said does not count. `jiwer` and
 * `kaldi`, which know no choices, align the best reading in their own way. `sclite` weighs as sclite does: optional
 * words and fragments mean something only where its options say so, and an optional word that was not said is a hit.
 *
 * @param sclite read by the rule `sclite` alone
 * @returns as `align`, over the words of the readings that were taken. Never throws.
 */
export function alignTranscripts(
  reference: readonly TranscriptPart[],
  hypothesis: readonly TranscriptPart[],
  rule: AlignmentRule = 'canonical',
  sclite: ScliteOptions = {},
): TranscriptAlignment {
  if (rule === 'sclite') return alignAsSclite(reference, hypothesis, sclite)
  if (!hasChoice(reference) && !hasChoice(hypothesis)) return alignPlain(reference, hypothesis, rule)
  const moves = alignNetworks(networkOf(reference), networkOf(hypothesis), canonicalCosts)
  const steps = moves.flatMap((move) => canonicalStep(move))
  const words = splitSides(steps)
  return rule === 'canonical'
    ? { ...alignmentOf(steps), ...words }
    : { ...align(words.said, words.heard, rule), ...words }
}

function alignPlain(
  reference: readonly TranscriptPart[],
  hypothesis: readonly TranscriptPart[],
  rule: AlignmentRule,
): TranscriptAlignment {
  const said = plainWords(reference)
  const heard = plainWords(hypothesis)
  return { ...align(said, heard, rule), said, heard }
}

function alignAsSclite(
  reference: readonly TranscriptPart[],
  hypothesis: readonly TranscriptPart[],
  options: ScliteOptions,
): TranscriptAlignment {
  const sides = [reference, hypothesis].map((parts) =>
    options.optionalDeletions === true ? parts : literalOptions(parts),
  )
  const [left = [], right = []] = sides
  const isPlain = sides.every((parts) => !hasChoice(parts))
  const hasFragments =
    options.fragments === true && sides.some((parts) => plainWords(parts).some(isFragmentWord))
  if (isPlain && !hasFragments) return alignPlain(left, right, 'sclite')
  const costs = scliteCostsOf(options)
  const moves = alignNetworks(networkOf(left), networkOf(right), costs)
  const steps = moves.flatMap((move) => scliteStep(move, costs.isHit))
  const spoken = moves.flatMap((move) => (isUnsaid(move) ? [] : stepBetween(move, costs.isHit)))
  return { ...alignmentOf(steps), ...splitSides(spoken) }
}

function alignmentOf(steps: readonly AlignmentStep[]): Alignment {
  return { counts: steps.reduce((sum, { kind }) => addStep(sum, kind), noErrors), steps }
}

function splitSides(steps: readonly AlignmentStep[]): Pick<TranscriptAlignment, 'said' | 'heard'> {
  return {
    said: steps.flatMap((step) => step.reference ?? []),
    heard: steps.flatMap((step) => step.hypothesis ?? []),
  }
}

function isSilent(arc: Arc | null): boolean {
  return arc === null || arc.kind === 'null'
}

/** Whether an optional word of one side has no word on the other. */
function isUnsaid({ reference, hypothesis }: NetworkMove): boolean {
  return (
    (reference?.kind === 'optional' && isSilent(hypothesis)) ||
    (hypothesis?.kind === 'optional' && isSilent(reference))
  )
}

function canonicalStep(move: NetworkMove): AlignmentStep[] {
  // An optional word that the other side lacks is as if it had not been written.
  return isUnsaid(move) ? [] : stepBetween(move, canonicalCosts.isHit)
}

/** Optional words are written as sclite writes them, in parentheses. */
function scliteStep(
  { reference, hypothesis }: NetworkMove,
  isHit: (a: Arc, b: Arc) => boolean,
): AlignmentStep[] {
  if (reference?.kind === 'optional' && hypothesis === null) {
    return [{ kind: 'hit', reference: writtenOf(reference), hypothesis: '' }]
  }
  if (hypothesis?.kind === 'optional' && reference === null) {
    return [{ kind: 'hit', reference: '', hypothesis: writtenOf(hypothesis) }]
  }
  return stepBetween({ reference, hypothesis }, isHit, writtenOf)
}

function writtenOf({ kind, token }: Arc): string {
  return kind === 'optional' ? `(${token})` : token
}

function stepBetween(
  { reference, hypothesis }: NetworkMove,
  isHit: (a: Arc, b: Arc) => boolean,
  write: (arc: Arc) => string = ({ token }) => token,
): AlignmentStep[] {
  const expected = reference === null || isSilent(reference) ? null : reference
  const heard = hypothesis === null || isSilent(hypothesis) ? null : hypothesis
  if (expected === null) {
    return heard === null ? [] : [{ kind: 'insertion', reference: null, hypothesis: write(heard) }]
  }
  if (heard === null) return [{ kind: 'deletion', reference: write(expected), hypothesis: null }]
  const kind = isHit(expected, heard) ? 'hit' : 'substitution'
  return [{ kind, reference: write(expected), hypothesis: write(heard) }]
}
