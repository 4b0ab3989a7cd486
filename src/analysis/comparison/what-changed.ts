import { failureLabel } from '#contract/failures'
import type { PlannedUtterance } from '#journal/plan-line'
import { referenceLength } from '#scoring/counts'
import { durationBucket } from '#scoring/error-analysis/confusions'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type {
  ChangedUtterance,
  ConfusionChange,
  ContenderComparison,
  FailureChange,
  GroupComparison,
  IntruderChange,
} from '../documents/contender-comparison.ts'
import { type PairedUtterance, pooledRates } from '../figures/ranking/paired-rates.ts'
import type { ScoredContender } from '../requests/scored-contender.ts'
import type { TranscriptScorer } from '../requests/transcript-scorer.ts'
import { groupFinds } from './significance.ts'

/** Max number of listed entries of each kind; counts are of all. */
const maxShown = 20

type Changes = Pick<
  ContenderComparison,
  | 'identicalTextCount'
  | 'betterCount'
  | 'worseCount'
  | 'sameCount'
  | 'changed'
  | 'textOnly'
  | 'textOnlyCount'
  | 'confusions'
  | 'intruders'
  | 'groups'
>

/** Finds the utterances, words and kinds of speech that a difference comes from. */
export function whatChanged(pairs: readonly PairedUtterance[], scorer: TranscriptScorer): Changes {
  const { leads } = scorer.profile
  const changes = pairs.map((pair) => ({
    pair,
    difference: pair.run.errors[leads] - pair.base.errors[leads],
  }))
  const changed = changes.filter(({ difference }) => difference !== 0)
  const betterCount = changed.filter(({ difference }) => difference < 0).length
  const differing = pairs.filter((pair) => !hasIdenticalTexts(pair))
  const textOnly = changes.filter(({ pair, difference }) => difference === 0 && !hasIdenticalTexts(pair))
  return {
    identicalTextCount: pairs.length - differing.length,
    betterCount,
    worseCount: changed.length - betterCount,
    sameCount: pairs.length - changed.length,
    changed: mostChanged(changed).map(({ pair, difference }) => changedUtterance(pair, difference, scorer)),
    textOnly: textOnly.slice(0, maxShown).map(({ pair }) => pair.base.utterance.id),
    textOnlyCount: textOnly.length,
    ...changedWords(pairs, scorer),
    groups: comparableGroups(
      [
        ...groupsBy('duration', pairs, leads, ({ durationSeconds }) => [durationBucket(durationSeconds)]),
        ...groupsBy('speaker', pairs, leads, ({ speaker }) => (speaker === null ? [] : [speaker])),
        ...groupsBy('tag', pairs, leads, ({ tags }) => tags),
      ],
      leads,
    ),
  }
}

/** Returns the largest changes first, with equal numbers of each direction where possible. */
function mostChanged<Change extends { readonly difference: number }>(
  changed: readonly Change[],
): readonly Change[] {
  const bySize = (a: Change, b: Change): number =>
    Math.abs(b.difference) - Math.abs(a.difference) || b.difference - a.difference
  const worse = changed.filter(({ difference }) => difference > 0).sort(bySize)
  const better = changed.filter(({ difference }) => difference < 0).sort(bySize)
  const worseShown = worse.slice(0, Math.max(maxShown / 2, maxShown - better.length))
  return [...worseShown, ...better.slice(0, maxShown - worseShown.length)].sort(bySize)
}

function hasIdenticalTexts({ base, run }: PairedUtterance): boolean {
  const [first] = base.hypotheses
  return [base, run].every(({ hypotheses }) => hypotheses.every((text) => text === first))
}

function changedUtterance(
  { base, run }: PairedUtterance,
  errorDifference: number,
  scorer: TranscriptScorer,
): ChangedUtterance {
  const { reference, durationSeconds, id } = base.utterance
  const [baseHypothesis = '', runHypothesis = ''] = [base.hypotheses[0], run.hypotheses[0]]
  return {
    utteranceId: id,
    audioSeconds: durationSeconds,
    reference,
    referenceLength: referenceLength(scorer.score(base.utterance, baseHypothesis)[scorer.profile.leads]),
    baseHypothesis,
    runHypothesis,
    errorDifference,
    baseWords: scorer.align(base.utterance, baseHypothesis),
    runWords: scorer.align(base.utterance, runHypothesis),
  }
}

/** A pair of confused words, with its counts on both sides. */
type Confused = { -readonly [Key in keyof ConfusionChange]: ConfusionChange[Key] }

/** Counts confusions in the first scored round of utterances that differ; all others are equal on both sides. */
function changedWords(
  pairs: readonly PairedUtterance[],
  scorer: TranscriptScorer,
): Pick<Changes, 'confusions' | 'intruders'> {
  const counts = new Map<string, Confused>()
  const count = (side: 'base' | 'run', utterance: PlannedUtterance, text: string): void => {
    for (const { kind, reference, hypothesis } of scorer.align(utterance, text)) {
      if (kind === 'hit') continue
      const key = JSON.stringify([reference, hypothesis])
      const confusion = counts.get(key) ?? { reference, hypothesis, base: 0, run: 0 }
      confusion[side] += 1
      counts.set(key, confusion)
    }
  }
  for (const { base, run } of pairs) {
    const [before = '', after = ''] = [base.hypotheses[0], run.hypotheses[0]]
    if (before === after) continue
    count('base', base.utterance, before)
    count('run', base.utterance, after)
  }
  return {
    confusions: mostMoved([...counts].map(([key, change]) => ({ key, change }))),
    intruders: mostMoved(intruderChanges([...counts.values()])),
  }
}

/** Min number of different words that one word replaces to count as a single mistake. */
export const fewestReplaced = 3

/** Finds words that were recognised for several different ones, such as a filler. */
function intruderChanges(
  confused: readonly Confused[],
): readonly { readonly key: string; readonly change: IntruderChange }[] {
  const substitutions = confused.filter(({ reference }) => reference !== null)
  return [...Map.groupBy(substitutions, ({ hypothesis }) => hypothesis)].flatMap(([hypothesis, replaced]) => {
    if (hypothesis === null || replaced.length < fewestReplaced) return []
    const sum = (side: 'base' | 'run'): number => replaced.reduce((total, one) => total + one[side], 0)
    const change = { hypothesis, replacedCount: replaced.length, base: sum('base'), run: sum('run') }
    return Math.abs(change.run - change.base) < fewestReplaced ? [] : [{ key: hypothesis, change }]
  })
}

function mostMoved<Change extends { readonly base: number; readonly run: number }>(
  changes: readonly { readonly key: string; readonly change: Change }[],
): readonly Change[] {
  return changes
    .map((one) => ({ ...one, size: Math.abs(one.change.run - one.change.base) }))
    .filter(({ size }) => size > 0)
    .sort((a, b) => b.size - a.size || (a.key < b.key ? -1 : 1))
    .slice(0, maxShown)
    .map(({ change }) => change)
}

interface Group extends Omit<GroupComparison, 'qValue'> {
  readonly members: readonly PairedUtterance[]
}

function comparableGroups(groups: readonly Group[], leads: ErrorLevel): readonly GroupComparison[] {
  const finds = groupFinds(
    groups.map(({ members }) => members),
    leads,
  )
  return groups.map(({ members: _, ...group }, index) => ({ ...group, qValue: finds[index] ?? null }))
}

function groupsBy(
  by: GroupComparison['by'],
  pairs: readonly PairedUtterance[],
  leads: ErrorLevel,
  namesOf: (utterance: PairedUtterance['base']['utterance']) => readonly string[],
): readonly Group[] {
  const named = pairs.flatMap((pair) =>
    [...new Set(namesOf(pair.base.utterance))].map((name) => ({ name, ...pair })),
  )
  return [...Map.groupBy(named, ({ name }) => name)]
    .map(([name, members]) => {
      const {
        base: { rate: base },
        run: { rate: run },
      } = pooledRates(leads, members)
      const difference = base === null || run === null ? null : run - base
      return { by, name, members, utteranceCount: members.length, base, run, difference }
    })
    .sort((a, b) => b.utteranceCount - a.utteranceCount || (a.name < b.name ? -1 : 1))
    .slice(0, maxShown)
}

/** Outcomes of utterances that were sent and have no score, by id. */
export type UnscoredOutcomes = ReadonlyMap<string, string>

export function unscoredOutcomes({ requests }: ScoredContender): UnscoredOutcomes {
  const outcomes = new Map<string, string>()
  const scored = new Set<number>()
  for (const { resolved, score } of requests) {
    if (score !== null) scored.add(resolved.utteranceIndex)
  }
  for (const { resolved } of requests) {
    if (scored.has(resolved.utteranceIndex)) continue
    const { utterance, status, failure } = resolved
    if (status === 'failed')
      outcomes.set(utterance.id, `failed (${failure === null ? 'unknown' : failureLabel(failure)})`)
    else outcomes.set(utterance.id, status === 'dropped' ? 'dropped' : 'not sent')
  }
  return outcomes
}

/** Returns the outcome of an utterance on one side: null where it was scored, undefined where it was not sent. */
export function unscoredOutcome(
  side: { readonly scores: ReadonlyMap<string, unknown>; readonly unscored: UnscoredOutcomes },
  utteranceId: string,
): string | null | undefined {
  const { scores, unscored } = side
  return scores.has(utteranceId) ? null : unscored.get(utteranceId)
}

/** Utterances that failed on one side only. */
export function failureChanges(
  base: Parameters<typeof unscoredOutcome>[0],
  run: Parameters<typeof unscoredOutcome>[0],
  matching: ReadonlySet<string>,
): readonly FailureChange[] {
  return [...matching].sort().flatMap((utteranceId): FailureChange[] => {
    const [before, after] = [unscoredOutcome(base, utteranceId), unscoredOutcome(run, utteranceId)]
    if (before === null && after?.startsWith('failed') === true) {
      return [{ utteranceId, failedIn: 'run', failure: after }]
    }
    return after === null && before?.startsWith('failed') === true
      ? [{ utteranceId, failedIn: 'base', failure: before }]
      : []
  })
}
