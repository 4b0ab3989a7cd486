import { type BenchError, failed, type Outcome, type Problem, succeeded } from '#prelude'
import { type ContenderSide, compareContenders, type Margins } from './compare-contenders.ts'
import type { Comparison, ContenderComparison } from './comparison.ts'
import { comparisonDocument } from './comparison-document.ts'
import type { ScoredContender } from './contender-evaluation.ts'
import { analysisErrors } from './errors.ts'
import { type ScoredRun, scoreRun } from './evaluate-run.ts'
import type { NoSpeechPredicate, RunMaterial } from './judged-run.ts'
import { idsOf, matchUtterances, mismatchProblems, type UtteranceMatch } from './match-utterances.ts'
import { type ContenderPair, pairContenders } from './pair-contenders.ts'
import { chooseScoring } from './scoring-rules.ts'
import { transcriptScorer } from './transcript-scorer.ts'

export interface CompareOptions {
  /** Id of the scoring profile for both sides; the run's own unless told. */
  readonly profile?: string | undefined
  /** Seed of the intervals; the run's own unless told. */
  readonly seed?: number | undefined
  /** 0.002 (0.2 percentage points) for both rates unless told. */
  readonly margins?: Partial<Margins> | undefined
  /** Which contenders to hold against each other; those with the same id unless told. */
  readonly contenders?: readonly ContenderPair[] | undefined
  /** Leave out utterances whose audio or reference differs, instead of refusing. */
  readonly onlyMatching?: boolean | undefined
  readonly meansNoSpeech?: NoSpeechPredicate | undefined
}

const defaultMargins: Margins = { wer: 0.002, cer: 0.002 }

/**
 * Compares two recorded runs, utterance by utterance. Both are scored again with one profile, whatever they
 * were scored with before; a rate's verdict comes from the paired interval of its difference against the
 * margin; speed is described and not judged.
 *
 * @param base what is compared with, the older or the reference run
 * @param run what is compared; differences are run - base, so negative means fewer errors
 * @returns the comparison, or BenchError NOT_COMPARABLE with every reason
 * @throws BenchError RUN_INCONSISTENT, and what `#scoring` throws for an unknown profile
 */
export function compareRuns(
  base: RunMaterial,
  run: RunMaterial,
  options: CompareOptions = {},
): Outcome<Comparison, BenchError> {
  const seed = options.seed ?? run.record.seed
  const scorer = transcriptScorer(chooseScoring(run.record, { profile: options.profile }).profile)
  const { meansNoSpeech } = options
  const left = scoreRun(base, scorer, { seed, meansNoSpeech })
  const right = scoreRun(run, scorer, { seed, meansNoSpeech })
  const match = matchUtterances(base.utterances, run.utterances, scorer)
  const contenders = pairContenders(left.scored, right.scored, options.contenders)
  const problems = refusals(match, contenders.problems, options.onlyMatching ?? false)
  if (problems.length > 0) return failed(notComparable(problems, match))
  const context = {
    scorer,
    seed,
    margins: { ...defaultMargins, ...options.margins },
    matching: match.matching,
    unmatched: unmatchedUtterances(match),
  }
  const comparisons = contenders.pairs.map((pair) =>
    compareContenders(contenderSide(pair.base, left), contenderSide(pair.run, right), context),
  )
  const nothingShared = comparisons.filter(({ pairedUtteranceCount }) => pairedUtteranceCount === 0)
  if (nothingShared.length > 0) return failed(nothingAnswered(nothingShared, comparisons))
  return succeeded(
    comparisonDocument(left, right, { scorer, seed, match, comparisons, pairs: contenders.pairs }),
  )
}

function contenderSide(scored: ScoredContender, { rated }: ScoredRun): ContenderSide {
  const { id } = scored.judged.contender
  const own = rated.contenders.find(({ contender }) => contender.id === id)
  if (own === undefined) throw new TypeError(`contender ${id} was scored and not evaluated`)
  return { scored, evaluation: own }
}

function refusals(
  match: UtteranceMatch,
  contenderProblems: readonly Problem[],
  onlyMatching: boolean,
): readonly Problem[] {
  const problems = [...contenderProblems]
  if (!onlyMatching) problems.push(...mismatchProblems(match))
  else if (match.matching.size === 0) problems.push(...mismatchProblems(match))
  if (match.matching.size + match.differentAudio.length + match.differentReference.length === 0) {
    const { onlyInBase, onlyInRun } = match
    problems.push({
      where: null,
      what: `no utterance is in both runs: ${onlyInBase.length} in the base, ${onlyInRun.length} in the run`,
    })
  }
  return problems
}

function notComparable(problems: readonly Problem[], match: UtteranceMatch): BenchError {
  const { matching, differentAudio, differentReference } = match
  const hint =
    matching.size > 0 && differentAudio.length + differentReference.length > 0
      ? `compare the ${matching.size} that match with --only-matching, or verify the corpus: asrbench corpus verify`
      : 'compare two runs of the same corpus, or name the contenders to pair'
  return analysisErrors.make('NOT_COMPARABLE', {
    message: 'These runs cannot be compared.',
    hint,
    problems,
  })
}

/** A difference over no utterance is none, whatever the other contenders have. */
function nothingAnswered(
  unanswered: readonly ContenderComparison[],
  all: readonly ContenderComparison[],
): BenchError {
  const others = all.filter((one) => !unanswered.includes(one))
  const pairs = others.map((one) => `--contender ${one.baseContenderId}=${one.runContenderId}`)
  return analysisErrors.make('NOT_COMPARABLE', {
    message: 'These runs cannot be compared.',
    hint:
      others.length === 0
        ? 'see what failed: asrbench report <run>; then measure again'
        : `compare those that share utterances: asrbench compare <base> <run> ${pairs.join(' ')}`,
    problems: unanswered.map(({ baseContenderId, unpaired }) => ({
      where: baseContenderId,
      what: `no utterance was answered in both runs${reasonsOf(unpaired)}`,
    })),
  })
}

/** What became of the utterances instead, the most frequent reasons first. */
function reasonsOf(unpaired: ContenderComparison['unpaired']): string {
  const byReason = [...Map.groupBy(unpaired, ({ reason }) => reason)]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, 3)
    .map(([reason, those]) => `${those.length} ${reason}`)
  return byReason.length === 0 ? '' : `: ${byReason.join('; ')}`
}

function unmatchedUtterances(match: UtteranceMatch): ContenderComparison['unpaired'] {
  const all = (ids: readonly string[], reason: string): ContenderComparison['unpaired'] =>
    ids.map((utteranceId) => ({ utteranceId, reason }))
  return [
    ...all(idsOf(match.differentAudio), 'different audio'),
    ...all(idsOf(match.differentReference), 'different reference'),
    ...all(match.onlyInBase, 'only in base'),
    ...all(match.onlyInRun, 'only in run'),
  ]
}
