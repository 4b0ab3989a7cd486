import { isLoopbackHost } from '#contract/enums'
import type { NoSpeechRule } from '#contract/failures'
import type { RunRecord } from '#journal/run-record'
import { type BenchError, failed, type Outcome, succeeded } from '#prelude'
import { type Comparison, comparisonFormatVersion } from '../documents/comparison.ts'
import type { ContenderComparison } from '../documents/contender-comparison.ts'
import type { Ranking } from '../documents/ranking.ts'
import {
  describeMachine,
  hiddenSettings,
  hostSpeedDifference,
  listConditions,
} from '../figures/machine/conditions.ts'
import {
  type PooledScores,
  poolScores,
  scoresWithFailures,
  type UtteranceTallies,
} from '../figures/ranking/pooled-scores.ts'
import { rankContenders } from '../figures/ranking/ranking.ts'
import { defaultMargins, type Margins, recordedMargins } from '../figures/speed/margins.ts'
import type { ComparisonFacts } from '../findings/comparison.ts'
import { detectFindings } from '../findings/finding-definition.ts'
import { comparisonFindings } from '../findings/registry.ts'
import { evaluatedLoad } from '../requests/evaluated-load.ts'
import type { RunMaterial } from '../requests/resolved-run.ts'
import {
  type Corrections,
  chooseScoring,
  type ScoringChoice,
  scoringIdentity,
  transcriptScorer,
} from '../requests/transcript-scorer.ts'
import { type ComparableRun, type KeepSettings, keepRun } from './comparable-run.ts'
import { type ContenderSide, draftContenders } from './compare-contenders.ts'
import type { SpeedContext } from './compare-speeds.ts'
import {
  type ContenderPair,
  listIds,
  matchUtterances,
  mergeMatches,
  notComparable,
  nothingAnswered,
  pairContenders,
  refusals,
  unmatchedUtterances,
} from './pairing.ts'
import { incomparable } from './run-speeds.ts'
import { adjustVerdicts } from './verdicts.ts'

export interface CompareOptions {
  /** Id of the scoring profile for both sides; default: the profile of the run. */
  readonly profile?: string | undefined
  /** Rules that are added to the profile. */
  readonly rules?: ScoringChoice['rules']
  /** Seed of the intervals; default: the seed of the run. */
  readonly seed?: number | undefined
  readonly margins?: Partial<Margins> | undefined
  /** Spread between runs of one contender on this host, from a calibration. */
  readonly spreads?: SpeedContext['spreads'] | undefined
  /** True if the number of runs was not fixed beforehand, so that speed intervals must be valid at every look. */
  readonly isSequential?: boolean | undefined
  /** Which contenders to compare; default: those with the same id. */
  readonly contenders?: readonly ContenderPair[] | undefined
  /** Omit utterances whose audio or reference differs, instead of rejecting the comparison. */
  readonly onlyMatching?: boolean | undefined
  /** Rules for answers that mean "no speech", in all runs; default: those of the run's config. */
  readonly noSpeech?: readonly NoSpeechRule[] | undefined
  /** Corrections of references, for all runs. */
  readonly corrections?: Corrections | undefined
}

/**
 * Compares two sets of recorded runs, utterance by utterance. All are scored again with one profile, whatever they were
 * scored with. Differences are run - base, so negative means fewer errors. The verdict of a rate comes from the paired
 * interval of its difference and the margin. That of a speed comes from the spread between runs, which is unknown with
 * one run per side.
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
 * A comparison in two steps. Runs that do not fit into memory together can be read, scored and released one by one,
 * also in separate threads.
 */
export interface OpenComparison {
  /**
   * Scores a run and keeps the parts that the comparison needs. Texts that were scored before are remembered.
   *
   * @throws BenchError RUN_INCONSISTENT
   */
  keep(run: RunMaterial): ComparableRun
  /**
   * @returns the result as in `compareSides`
   * @throws RangeError without runs
   */
  compare(base: readonly ComparableRun[], run: readonly ComparableRun[]): Outcome<Comparison, BenchError>
}

/**
 * @param latest record of the last run of the other side, whose config gives the defaults
 * @throws errors of `#scoring` for an unknown profile
 */
export function openComparison(latest: RunRecord, options: CompareOptions = {}): OpenComparison {
  const { profile, vocabulary } = chooseScoring(latest, { profile: options.profile, rules: options.rules })
  const settings = {
    scorer: transcriptScorer(profile),
    vocabulary,
    seed: options.seed ?? latest.seed,
    noSpeech: options.noSpeech ?? latest.noSpeech,
    corrections: options.corrections ?? null,
    margins: { ...defaultMargins, ...recordedMargins(latest), ...options.margins },
  }
  return {
    keep: (run) => keepRun(run, settings),
    compare: (base, run) => compareKept({ base, run }, settings, options),
  }
}

interface ComparisonSettings extends KeepSettings {
  readonly vocabulary: readonly string[] | null
  readonly margins: Margins
}

function compareKept(
  sides: Readonly<Record<'base' | 'run', readonly ComparableRun[]>>,
  { scorer, vocabulary, noSpeech, seed, margins }: ComparisonSettings,
  { onlyMatching = false, spreads = {}, isSequential = false, ...options }: CompareOptions,
): Outcome<Comparison, BenchError> {
  if (sides.base.length === 0 || sides.run.length === 0) throw new RangeError(noRun)
  const inTime = (side: readonly ComparableRun[]): readonly ComparableRun[] =>
    side.toSorted((a, b) => (a.record.startedAt < b.record.startedAt ? -1 : 1))
  const [base, run] = [inTime(sides.base), inTime(sides.run)]
  const [baseRecords, runRecords] = [base, run].map((side) => side.map(({ record }) => record)) as [
    RunRecord[],
    RunRecord[],
  ]
  const [first, ...others] = [...sides.base, ...sides.run]
  const match = mergeMatches(
    others.map((other) => matchUtterances(first?.utterances ?? [], other.utterances, scorer)),
  )
  const { pairs, problems } = pairContenders(
    sharedContenders(base),
    sharedContenders(run),
    options.contenders,
  )
  const refused = [...problems, ...refusals(match, onlyMatching)]
  if (refused.length > 0) return failed(notComparable(refused, match))
  const { withheld, hostSpeed } = speedsWithheld(baseRecords, runRecords)
  const hidden = hiddenSettings(baseRecords, runRecords)
  const context = {
    scorer,
    seed,
    margins,
    spreads,
    isSequential,
    withheld,
    areThreadsDifferent: hidden.some(({ key }) => /(^|\.)threads$/.test(key)),
    // References may differ, because they do not affect times.
    isSameAudio: match.differentAudio.length + match.onlyInBase.length + match.onlyInRun.length === 0,
    matching: match.matching,
    unmatched: unmatchedUtterances(
      match,
      base.flatMap(({ utterances }) => utterances),
      run.flatMap(({ utterances }) => utterances),
    ),
  }
  const { contenders, family } = adjustVerdicts(
    pairs.map((pair) =>
      draftContenders(contenderSide(pair.base, base), contenderSide(pair.run, run), context),
    ),
  )
  const nothingShared = contenders.filter(({ pairedUtteranceCount }) => pairedUtteranceCount === 0)
  if (nothingShared.length > 0)
    return failed(nothingAnswered(nothingShared, contenders, [baseRecords, runRecords]))
  const corrections = sides.run.at(-1)?.corrected ?? null
  const rankSide = (side: readonly ComparableRun[]): Ranking | null =>
    rankContenders(gatherScores(side), { leads: scorer.profile.leads, seed })?.ranking ?? null
  const { conditions, unpairedContenders } = describeSides(contenders, baseRecords, runRecords)
  return succeeded({
    formatVersion: comparisonFormatVersion,
    base: comparedSide(base),
    run: comparedSide(run),
    profile: scorer.profile,
    scoring: {
      fingerprint: scoringIdentity(scorer, { corrections, vocabulary, noSpeech }).fingerprint,
      corrections,
    },
    seed,
    conditions,
    findings: detectFindings(comparisonFindings, {
      base,
      run,
      contenders,
      comparisonCount: family.comparisonCount,
      conditions,
      hiddenSettings: hidden,
      withheld,
      hostSpeed,
      leftOutIds: listIds([...match.differentAudio, ...match.differentReference]),
      corrections,
    }),
    family,
    contenders,
    ranking: {
      base: rankSide(base),
      run: rankSide(run),
    },
    unpairedContenders,
  })
}

/** Describes how both sides were measured; the last run of a side describes its contenders. */
function describeSides(
  contenders: readonly ContenderComparison[],
  base: readonly RunRecord[],
  run: readonly RunRecord[],
): Pick<Comparison, 'conditions' | 'unpairedContenders'> {
  const [baseContenders, runContenders] = [base.at(-1)?.contenders ?? [], run.at(-1)?.contenders ?? []]
  const baseIds = new Set(contenders.map(({ baseContenderId }) => baseContenderId))
  const runIds = new Set(contenders.map(({ runContenderId }) => runContenderId))
  return {
    conditions: listConditions(base, run, {
      base: baseContenders.filter(({ id }) => baseIds.has(id)),
      run: runContenders.filter(({ id }) => runIds.has(id)),
    }),
    unpairedContenders: [
      ...baseContenders.filter(({ id }) => !baseIds.has(id)).map(({ id }) => ({ side: 'base' as const, id })),
      ...runContenders.filter(({ id }) => !runIds.has(id)).map(({ id }) => ({ side: 'run' as const, id })),
    ],
  }
}

function comparedSide(side: readonly ComparableRun[]): Comparison['base'] {
  const runs = side.map(({ rated: { run, validity } }) => ({
    id: run.id,
    startedAt: run.startedAt,
    validity,
  }))
  const [first] = runs
  if (first === undefined) throw new RangeError(noRun)
  const gravest = (['invalid', 'short'] as const).find((one) => runs.some(({ validity }) => validity === one))
  return { ...first, validity: gravest ?? 'valid', runs }
}

/** Returns the contenders that every run of a side has, in the order of its first run. */
function sharedContenders(side: readonly ComparableRun[]): readonly string[] {
  const [first = [], ...others] = side.map(({ contenders }) => contenders.map(({ id }) => id))
  return first.filter((id) => others.every((ids) => ids.includes(id)))
}

/** Returns the contenders of a side with their scores, including failures. */
function gatherScores(side: readonly ComparableRun[]): ReadonlyMap<string, PooledScores> {
  return new Map(sharedContenders(side).map((id) => [id, scoresWithFailures(gatherTallies(id, side))]))
}

function gatherTallies(id: string, side: readonly ComparableRun[]): readonly UtteranceTallies[] {
  return side.flatMap(({ contenders }) =>
    contenders.filter((contender) => contender.id === id).map(({ tallies }) => tallies),
  )
}

function contenderSide(id: string, side: readonly ComparableRun[]): ContenderSide {
  const runs = side.flatMap(({ contenders, rated: { validity, busy } }) =>
    contenders
      .filter((contender) => contender.id === id)
      .map((contender) => ({
        ...contender,
        // The same rule as within a run.
        unusable: validity === 'invalid' ? 'a run is not valid' : busy,
      })),
  )
  return {
    id,
    scores: poolScores(gatherTallies(id, side)),
    unscored: new Map(runs.flatMap(({ unscored }) => [...unscored])),
    runs,
    outcomes: runs,
  }
}

/**
 * Decides whether the speeds of two sides are comparable. Accuracy does not depend on load or machine, and is always
 * compared.
 *
 * @returns all reasons as one sentence, null without any; and the difference in speed between the machines
 */
function speedsWithheld(
  base: readonly RunRecord[],
  run: readonly RunRecord[],
): Pick<ComparisonFacts, 'withheld' | 'hostSpeed'> {
  const all = [...base, ...run]
  // The speed of a server elsewhere does not depend on the machine that sends the requests.
  const hostSpeed = all.every(isAskedHere) ? hostSpeedDifference(base, run) : null
  const isOne = (of: (record: RunRecord) => string): boolean => new Set(all.map(of)).size === 1
  const isSameMachine = isOne(({ host }) => describeMachine(host))
  const reasons = [
    ...(isOne((record) => evaluatedLoad(record).description) ? [] : ['another load']),
    ...(isSameMachine ? [] : ['another machine']),
    ...(hostSpeed === null || !isSameMachine ? [] : ['another host speed']),
  ]
  return { withheld: reasons.length === 0 ? null : incomparable(reasons.join(', ')), hostSpeed }
}

function isAskedHere({ target, targets }: RunRecord): boolean {
  return (targets ?? [target]).every(
    ({ baseUrl }) => URL.canParse(baseUrl) && isLoopbackHost(new URL(baseUrl).hostname),
  )
}
