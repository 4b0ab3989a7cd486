import { isLoopbackHost } from '#contract/enums'
import type { NoSpeechRule } from '#contract/failures'
import type { RunRecord } from '#journal/run-record'
import { type BenchError, failed, type Outcome, type Problem, shellWord, succeeded } from '#prelude'
import type { Comparison } from '../documents/comparison.ts'
import type { ContenderComparison } from '../documents/contender-comparison.ts'
import { analysisErrors } from '../errors.ts'
import { evaluatedLoad } from '../figures/evaluated-load.ts'
import { sampleRows } from '../figures/latency/latency-line.ts'
import { scoresWithFailures, type TalliedRun, utteranceScores } from '../figures/ranking/paired-rates.ts'
import { rankContenders } from '../figures/ranking/ranking.ts'
import type { RunMaterial } from '../requests/resolved-run.ts'
import {
  type Corrections,
  chooseNoSpeech,
  chooseScoring,
  type ScoringChoice,
  scoringIdentity,
  type TranscriptScorer,
  transcriptScorer,
} from '../requests/transcript-scorer.ts'
import { defaultMargins, type Margins, recordedMargins } from './calibration.ts'
import { type ComparableRun, keepRun } from './comparable-run.ts'
import { type ContenderSide, draftContenders } from './compare-contenders.ts'
import type { SpeedContext } from './compare-speeds.ts'
import { adjustVerdicts, comparisonDocument } from './comparison-document.ts'
import {
  describeMachine,
  type HostSpeedDifference,
  hiddenSettings,
  hostSpeedDifference,
} from './conditions.ts'
import {
  listIds,
  matchUtterances,
  mergeMatches,
  mismatchProblems,
  type UtteranceMatch,
} from './match-utterances.ts'
import { incomparable } from './run-speeds.ts'

export interface CompareOptions {
  /** Id of the scoring profile for both sides; default: the profile of the run. */
  readonly profile?: string | undefined
  /** What is added to the profile. */
  readonly rules?: ScoringChoice['rules']
  /** Seed of the intervals; default: the seed of the run. */
  readonly seed?: number | undefined
  readonly margins?: Partial<Margins> | undefined
  /** Spread between runs of one contender on this host, as a calibration measured it. */
  readonly spreads?: SpeedContext['spreads'] | undefined
  /** The number of runs was not fixed beforehand: intervals of speeds then hold at every look. */
  readonly isSequential?: boolean | undefined
  /** Which contenders to compare; default: those with the same id. */
  readonly contenders?: readonly ContenderPair[] | undefined
  /** Leave out utterances whose audio or reference differs, instead of refusing. */
  readonly onlyMatching?: boolean | undefined
  /** Which answers mean that no speech was heard, in all runs; default: those of the run's config. */
  readonly noSpeech?: readonly NoSpeechRule[] | undefined
  /** References of all runs that were corrected after them. */
  readonly corrections?: Corrections | undefined
}

/**
 * Compares two recorded runs, utterance by utterance: see `compareSides`.
 *
 * @param base what is compared with, the older or the reference run
 * @param run what is compared; differences are run - base, so negative means fewer errors
 */
export function compareRuns(
  base: RunMaterial,
  run: RunMaterial,
  options: CompareOptions = {},
): Outcome<Comparison, BenchError> {
  return compareSides([base], [run], options)
}

/**
 * Compares two sets of recorded runs. All are scored again with one profile, whatever they were scored with before; a
 * rate's verdict comes from the paired interval of its difference against the margin; a speed's from the spread
 * between the runs, which with one run a side is unknown.
 *
 * @param base one or more runs of the older or the reference side
 * @param run one or more runs of the other side
 * @returns the comparison, or BenchError NOT_COMPARABLE with every reason
 * @throws BenchError RUN_INCONSISTENT, and what `#scoring` throws for an unknown profile; RangeError without runs
 */
export function compareSides(
  base: readonly RunMaterial[],
  run: readonly RunMaterial[],
  options: CompareOptions = {},
): Outcome<Comparison, BenchError> {
  const latest = run.at(-1)
  if (latest === undefined) throw new RangeError(noRun)
  const comparison = openComparison(latest.record, options)
  return comparison.compare(base.map(comparison.keep), run.map(comparison.keep))
}

const noRun = 'a side of a comparison needs a run'

/**
 * A comparison in two steps, so that runs that are too large to be in memory together can be read, scored and left one by
 * one, and in separate threads.
 */
export interface OpenComparison {
  /**
   * Scores a run and keeps of it what the comparison needs; texts that were met before are remembered.
   *
   * @throws BenchError RUN_INCONSISTENT
   */
  keep(run: RunMaterial): ComparableRun
  /**
   * @returns as `compareSides`
   * @throws RangeError without runs
   */
  compare(base: readonly ComparableRun[], run: readonly ComparableRun[]): Outcome<Comparison, BenchError>
}

/** Counts are remembered, and so a text is hardly ever met again: more than these would be memory for nothing. */
const mostTexts = 16

/**
 * @param latest the record of the last run of the other side: its config gives the defaults
 * @throws what `#scoring` throws for an unknown profile
 */
export function openComparison(latest: RunRecord, options: CompareOptions = {}): OpenComparison {
  const seed = options.seed ?? latest.seed
  const { profile, vocabulary } = chooseScoring(latest, { profile: options.profile, rules: options.rules })
  const scorer = transcriptScorer(profile, mostTexts)
  const noSpeech = chooseNoSpeech(latest, options.noSpeech)
  const corrections = options.corrections ?? null
  return {
    keep: (run) => keepRun(run, scorer, { seed, noSpeech, corrections }),
    compare: (base, run) =>
      compareKept({ base, run }, { latest, scorer, vocabulary, noSpeech, seed, options }),
  }
}

interface ComparisonSettings {
  readonly latest: RunRecord
  readonly scorer: TranscriptScorer
  readonly vocabulary: readonly string[] | null
  readonly noSpeech: readonly NoSpeechRule[]
  readonly seed: number
  readonly options: CompareOptions
}

function compareKept(
  sides: Readonly<Record<'base' | 'run', readonly ComparableRun[]>>,
  { latest, scorer, vocabulary, noSpeech, seed, options }: ComparisonSettings,
): Outcome<Comparison, BenchError> {
  if (sides.base.length === 0 || sides.run.length === 0) throw new RangeError(noRun)
  const inTime = (side: readonly ComparableRun[]): readonly ComparableRun[] =>
    side.toSorted((a, b) => (a.record.startedAt < b.record.startedAt ? -1 : 1))
  const [left, right] = [inTime(sides.base), inTime(sides.run)]
  const [first, ...others] = [...sides.base, ...sides.run]
  const match = mergeMatches(
    others.map((other) => matchUtterances(first?.utterances ?? [], other.utterances, scorer)),
  )
  const { onlyMatching = false } = options
  const contenders = pairContenders(sharedContenders(left), sharedContenders(right), options.contenders)
  const problems = [...contenders.problems, ...refusals(match, onlyMatching)]
  if (problems.length > 0) return failed(notComparable(problems, match))
  const withheld = speedsWithheld(left, right)
  const context = {
    scorer,
    seed,
    margins: { ...defaultMargins, ...recordedMargins(latest), ...options.margins },
    spreads: options.spreads ?? {},
    isSequential: options.isSequential ?? false,
    withheld: withheld.reason,
    areThreadsDifferent: hiddenSettings(
      left.map(({ record }) => record),
      right.map(({ record }) => record),
    ).some(({ key }) => /(^|\.)threads$/.test(key)),
    isSameAudio: isSameAudio(match),
    matching: match.matching,
    unmatched: unmatchedUtterances(match),
  }
  const sideOf = { base: contenderSides(left), run: contenderSides(right) }
  const settled = adjustVerdicts(
    contenders.pairs.map((pair) => draftContenders(sideOf.base(pair.base), sideOf.run(pair.run), context)),
  )
  const nothingShared = settled.contenders.filter(({ pairedUtteranceCount }) => pairedUtteranceCount === 0)
  if (nothingShared.length > 0)
    return failed(nothingAnswered(nothingShared, settled.contenders, [left, right]))
  const corrections = sides.run.at(-1)?.corrected ?? null
  return succeeded(
    comparisonDocument(left, right, {
      ...context,
      match,
      hostSpeed: withheld.hostSpeed,
      settled,
      ranking: {
        base: rankContenders(gatherScores(left), scorer.profile.leads),
        run: rankContenders(gatherScores(right), scorer.profile.leads),
      },
      corrections,
      scoring: {
        fingerprint: scoringIdentity(scorer, { corrections, vocabulary, noSpeech }).fingerprint,
        corrections,
      },
    }),
  )
}

/** Contenders that every run of a side has, in the order of its first run. */
function sharedContenders(side: readonly ComparableRun[]): readonly string[] {
  const [first = [], ...others] = side.map(({ contenders }) => contenders.map(({ id }) => id))
  return first.filter((id) => others.every((ids) => ids.includes(id)))
}

/** The contenders of a side with their scores, failures among them. */
function gatherScores(side: readonly ComparableRun[]): Parameters<typeof rankContenders>[0] {
  return sharedContenders(side).map((id) => ({ id, scores: scoresWithFailures(gatherTallies(id, side)) }))
}

function gatherTallies(id: string, side: readonly ComparableRun[]): readonly TalliedRun[] {
  return side.flatMap(({ utterances, contenders }) =>
    contenders.filter((contender) => contender.id === id).map(({ tallies }) => ({ utterances, tallies })),
  )
}

/** The contenders of a side, each put together when it is first asked for. */
function contenderSides(side: readonly ComparableRun[]): (id: string) => ContenderSide {
  const known = new Map<string, ContenderSide>()
  return (id) => {
    const made = known.get(id) ?? contenderSide(id, side)
    known.set(id, made)
    return made
  }
}

function contenderSide(id: string, side: readonly ComparableRun[]): ContenderSide {
  const runs = side.flatMap(({ utterances, contenders, rated }) =>
    contenders
      .filter((contender) => contender.id === id)
      .map((contender) => ({
        utterances,
        unusable: unusableBecause(rated),
        ...contender,
      })),
  )
  return {
    id,
    scores: utteranceScores(gatherTallies(id, side)),
    unscored: new Map(runs.flatMap(({ unscored }) => [...unscored])),
    runs: runs.map(({ evaluation, latencies, utterances, unusable }) => ({
      evaluation,
      samples: sampleRows(latencies, utterances),
      unusable,
    })),
    outcomes: runs,
  }
}

/** Why the speeds of a run are not comparable, as within the run itself; null where they are. */
function unusableBecause({ validity, busy }: ComparableRun['rated']): string | null {
  return validity === 'invalid' ? 'a run is not valid' : busy
}

function refusals(match: UtteranceMatch, onlyMatching: boolean): readonly Problem[] {
  const { matching, differentAudio, differentReference, onlyInBase, onlyInRun } = match
  if (matching.size + differentAudio.length + differentReference.length === 0) {
    const what = `no utterance is in both runs: ${onlyInBase.length} in the base, ${onlyInRun.length} in the run`
    return [{ where: null, what }]
  }
  return onlyMatching && matching.size > 0 ? [] : mismatchProblems(match)
}

function notComparable(problems: readonly Problem[], match: UtteranceMatch): BenchError {
  const { matching, differentAudio, differentReference } = match
  const hint =
    matching.size > 0 && differentAudio.length + differentReference.length > 0
      ? `compare the ${matching.size} that match with --only-matching, or verify the corpus: transcribench corpus verify`
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
  sides: readonly (readonly ComparableRun[])[],
): BenchError {
  const ids = sides.map((side) => side.map(({ record }) => shellWord(record.id)))
  const others = all.filter((one) => !unanswered.includes(one))
  const isSame = others.length === 0 && ids[0]?.join() === ids[1]?.join()
  const pairs = others.map((one) => `--contender ${one.baseContenderId}=${one.runContenderId}`)
  return analysisErrors.make('NOT_COMPARABLE', {
    message: isSame
      ? 'Both sides are the same run, and it has no answers.'
      : 'These runs cannot be compared.',
    hint:
      others.length === 0
        ? `see what failed: transcribench report ${ids.at(-1)?.at(-1)}; then measure again`
        : `compare those that share utterances: transcribench compare ${ids.join(' ')} ${pairs.join(' ')}`,
    problems: unanswered.map(({ baseContenderId, unpaired }) => ({
      where: baseContenderId,
      what: `no utterance was answered in both runs${listReasons(unpaired)}`,
    })),
  })
}

/** What became of the utterances instead, the most frequent reasons first. */
function listReasons(unpaired: ContenderComparison['unpaired']): string {
  const byReason = [...Map.groupBy(unpaired, ({ reason }) => reason)]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, 3)
    .map(([reason, those]) => `${those.length} ${reason}`)
  return byReason.length === 0 ? '' : `: ${byReason.join('; ')}`
}

/** References may differ: they take no time. */
function isSameAudio({ differentAudio, onlyInBase, onlyInRun }: UtteranceMatch): boolean {
  return differentAudio.length + onlyInBase.length + onlyInRun.length === 0
}

function unmatchedUtterances(match: UtteranceMatch): ContenderComparison['unpaired'] {
  const all = (ids: readonly string[], reason: string): ContenderComparison['unpaired'] =>
    ids.map((utteranceId) => ({ utteranceId, reason }))
  return [
    ...all(listIds(match.differentAudio), 'different audio'),
    ...all(listIds(match.differentReference), 'different reference'),
    ...all(match.onlyInBase, 'only in base'),
    ...all(match.onlyInRun, 'only in run'),
  ]
}

/** Why the speeds of two sides are not comparable. */
interface Withheld {
  /** All reasons in one sentence; null where there is none. */
  readonly reason: string | null
  /** How far apart the speeds of the machine itself were; null where they were not. */
  readonly hostSpeed: HostSpeedDifference | null
}

/**
 * Whether the speeds of two sides are comparable. Accuracy does not depend on the load or the machine,
 * and is compared all the same.
 */
function speedsWithheld(base: readonly ComparableRun[], run: readonly ComparableRun[]): Withheld {
  const recordsOf = (side: readonly ComparableRun[]): ComparableRun['record'][] =>
    side.map(({ record }) => record)
  const all = [...recordsOf(base), ...recordsOf(run)]
  // A server elsewhere is as fast as it was, however fast the machine that asks it.
  const hostSpeed = all.every(isAskedHere) ? hostSpeedDifference(recordsOf(base), recordsOf(run)) : null
  const isOne = (of: (record: ComparableRun['record']) => string): boolean => new Set(all.map(of)).size === 1
  const isSameMachine = isOne(({ host }) => describeMachine(host))
  const reasons = [
    isOne((record) => evaluatedLoad(record).description) ? [] : ['another load'],
    isSameMachine ? [] : ['another machine'],
    hostSpeed === null || !isSameMachine ? [] : ['another host speed'],
  ].flat()
  return { reason: reasons.length === 0 ? null : incomparable(reasons.join(', ')), hostSpeed }
}

function isAskedHere({ target, targets }: ComparableRun['record']): boolean {
  return (targets ?? [target]).every(
    ({ baseUrl }) => URL.canParse(baseUrl) && isLoopbackHost(new URL(baseUrl).hostname),
  )
}

interface ContenderPair {
  readonly base: string
  readonly run: string
}

interface PairedContenders {
  readonly pairs: readonly ContenderPair[]
  /** Empty unless nothing can be paired, or a wanted pair names a contender that is not there. */
  readonly problems: readonly Problem[]
}

/**
 * Pairs as asked; otherwise contenders with the same id; otherwise, where each side has exactly one, those
 * two, whatever they are called (a new build often has a new name).
 *
 * @param base ids of the base side
 * @param run ids of the other
 */
function pairContenders(
  base: readonly string[],
  run: readonly string[],
  wanted: readonly ContenderPair[] | undefined,
): PairedContenders {
  const pairs = wanted ?? pairsByName(base, run)
  const problems: Problem[] = []
  const list = (side: readonly string[]): string => side.join(', ') || 'none'
  for (const pair of pairs) {
    if (!base.includes(pair.base)) {
      problems.push({
        where: pair.base,
        what: `is not a contender of the base run, which has ${list(base)}`,
      })
    }
    if (!run.includes(pair.run)) {
      problems.push({ where: pair.run, what: `is not a contender of the run, which has ${list(run)}` })
    }
  }
  if (pairs.length === 0) {
    problems.push({
      where: null,
      what: `no contender is in both runs: the base has ${list(base)}; the run has ${list(run)}`,
      hint: 'name the pair with --contender <base>=<run>',
    })
  }
  return { pairs: pairs.filter((pair) => base.includes(pair.base) && run.includes(pair.run)), problems }
}

function pairsByName(base: readonly string[], run: readonly string[]): readonly ContenderPair[] {
  const shared = base.filter((id) => run.includes(id))
  if (shared.length > 0) return shared.map((id) => ({ base: id, run: id }))
  const [left, right] = [base[0], run[0]]
  if (base.length !== 1 || run.length !== 1 || left === undefined || right === undefined) return []
  return [{ base: left, run: right }]
}
