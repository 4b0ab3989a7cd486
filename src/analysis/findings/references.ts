import { counted, shellWord } from '#prelude'
import type { PathologyKind } from '#scoring/error-analysis/pathologies'
import { tellingLength } from '#scoring/error-analysis/repeats'
import type { ContenderAnalysis, ReferenceAudit } from '../documents/error-analysis.ts'
import type { AppliedCorrections } from '../documents/scoring-identity.ts'
import { findingOf } from './finding-definition.ts'
import { named } from './wording.ts'

export interface ReferenceFacts {
  readonly audit: ReferenceAudit
  readonly analyses: readonly ContenderAnalysis[]
  /** Contenders with answers to other recordings, whose texts are no evidence. */
  readonly crossedIds: ReadonlySet<string>
  /** Whether several requests may have been at the server at the same time. */
  readonly isConcurrent: boolean
  /** Null where no corrections were requested. */
  readonly corrections: AppliedCorrections | null
  readonly runId: string
}

const referenceFinding = findingOf<ReferenceFacts>()
/** Comparisons use these findings too. */
const correctionFinding = findingOf<Pick<ReferenceFacts, 'corrections'>>()

export const correctionsStale = correctionFinding('CORRECTIONS_STALE', 'warning', ({ corrections }) => {
  if (corrections === null || corrections.staleCount === 0) return []
  const { source, staleCount, staleIds } = corrections
  return {
    message:
      `${counted(staleCount, 'correction')} of ${source} counted for nothing, because the text that was corrected is ` +
      `not this run's reference: ${named(staleIds)}`,
    advice: 'transcribench explain CORRECTIONS_STALE',
  }
})

export const referencesCorrected = correctionFinding('REFERENCES_CORRECTED', 'note', ({ corrections }) => {
  if (corrections === null) return []
  const { source, correctedIds } = corrections
  return [{ message: `${counted(correctedIds.length, 'reference')} corrected by ${source}` }]
})

export const referencesSuspect = referenceFinding(
  'REFERENCES_SUSPECT',
  'note',
  ({ audit: { suspectCount, suspects }, runId }) => {
    if (suspectCount === null || suspectCount === 0) return []
    const ids = suspects.map(({ id }) => id)
    const subject = suspectCount === 1 ? 'reference is' : 'references are'
    return {
      message: `${suspectCount} ${subject} contradicted by all contenders in the same words: ${named(ids)}`,
      advice: `listen and decide which is right: transcribench review ${shellWord(runId)}`,
      utteranceIds: ids,
    }
  },
)

export const selfReference = referenceFinding('SELF_REFERENCE', 'warning', ({ audit: { selfReferences } }) =>
  selfReferences.map(({ contenderId, identicalCount, comparedCount }) => ({
    message:
      `${identicalCount} of ${comparedCount} references of ${tellingLength} words or more are what ${contenderId} answered, letter for letter: ` +
      'they favour it',
    advice: 'correct references from the audio, without seeing a transcript',
  })),
)

/** Min number and share of utterances for a finding; fewer are only named in the line of degenerate output. */
const fewest = 3
const leastShare = 0.05

const words: Readonly<Record<PathologyKind, string>> = {
  hallucination: 'with invented words',
  loop: 'with words repeated in a loop',
  emptyOutput: 'without a word',
  missingStart: 'without their beginning',
  missingMiddle: 'without a part in their middle',
  missingEnd: 'without their end',
  wrongScript: 'in another script',
}

export const textsDegenerate = referenceFinding('TEXTS_DEGENERATE', 'decisive', ({ analyses, crossedIds }) =>
  analyses
    .filter(({ contenderId }) => !crossedIds.has(contenderId))
    .flatMap(({ contenderId, pathologies }) => {
      const often = pathologies.filter(
        ({ rate }) => rate.numerator >= fewest && (rate.interval?.low ?? 0) >= leastShare,
      )
      if (often.length === 0) return []
      const listed = often.map(({ kind, rate }) => `${rate.numerator} ${words[kind]}`)
      const utterances = counted(often[0]?.rate.denominator ?? 0, 'utterance')
      return {
        message: `${contenderId}: of ${utterances}, it answered ${listed.join(', ')}`,
        advice: 'listen to them; where recordings are too long for the server, cut them',
        utteranceIds: [...new Set(often.flatMap(({ examples }) => examples.map((one) => one.utteranceId)))],
      }
    }),
)

/** Min number and share of utterances; below them, different texts are exceptions. */
const fewestUnstable = 3
const leastUnstableShare = 0.1

export const textsUnstable = referenceFinding(
  'TEXTS_UNSTABLE',
  'decisive',
  ({ analyses, crossedIds, isConcurrent }) =>
    analyses
      .filter(({ contenderId }) => !crossedIds.has(contenderId))
      .flatMap(({ contenderId, flakiness }) => {
        if (flakiness === null) return []
        const { rate, betweenRepeatsRate, unstableIds } = flakiness
        if (rate.numerator < fewestUnstable || (rate.interval?.low ?? 0) < leastUnstableShare) return []
        const between =
          betweenRepeatsRate === null ? '' : ` (${(100 * betweenRepeatsRate).toFixed(1)}% of their words)`
        return {
          message:
            `${contenderId}: the text of ${rate.numerator} of ${counted(rate.denominator, 'utterance')} differs between ` +
            `rounds${isConcurrent ? ' under load' : ''}${between}`,
          advice: isConcurrent
            ? 'measure with one request at a time: where the texts then agree, the load changes them'
            : 'what it answers depends on chance: more rounds average it',
          utteranceIds: unstableIds,
        }
      }),
)
