import type { PlannedUtterance } from '#journal/plan-line'
import type { RunRecord } from '#journal/run-record'
import { type BenchError, type Problem, shellWord } from '#prelude'
import type { ContenderComparison } from '../documents/contender-comparison.ts'
import { analysisErrors } from '../errors.ts'
import type { TranscriptScorer } from '../requests/transcript-scorer.ts'

/** The utterance of one id in two plans. */
interface UtterancePair {
  readonly base: PlannedUtterance
  readonly run: PlannedUtterance
}

/** Matches and mismatches between the utterances of two runs. */
export interface UtteranceMatch {
  /** Ids with the same audio and the same reference on both sides. */
  readonly matching: ReadonlySet<string>
  readonly differentAudio: readonly UtterancePair[]
  readonly differentReference: readonly UtterancePair[]
  readonly onlyInBase: readonly string[]
  readonly onlyInRun: readonly string[]
}

/**
 * Pairs the utterances of two plans by id. Audio is compared by hash, and references after normalisation by the
 * profile: a corrected space keeps two runs comparable, a corrected word does not.
 */
export function matchUtterances(
  base: readonly PlannedUtterance[],
  run: readonly PlannedUtterance[],
  scorer: TranscriptScorer,
): UtteranceMatch {
  const others = new Map(run.map((utterance) => [utterance.id, utterance]))
  const baseIds = new Set(base.map((utterance) => utterance.id))
  const matching = new Set<string>()
  const differentAudio: UtterancePair[] = []
  const differentReference: UtterancePair[] = []
  const onlyInBase: string[] = []
  for (const utterance of base) {
    const other = others.get(utterance.id)
    if (other === undefined) onlyInBase.push(utterance.id)
    else if (other.sha256 !== utterance.sha256) differentAudio.push({ base: utterance, run: other })
    else if (!scorer.isSame(utterance, other)) {
      differentReference.push({ base: utterance, run: other })
    } else matching.add(utterance.id)
  }
  const onlyInRun = run.filter((utterance) => !baseIds.has(utterance.id)).map((utterance) => utterance.id)
  return { matching, differentAudio, differentReference, onlyInBase, onlyInRun }
}

/** Combines the matches of several plans with one: an utterance matches only if it does in all of them. */
export function mergeMatches(matches: readonly UtteranceMatch[]): UtteranceMatch {
  const [first, ...others] = matches
  if (first === undefined) throw new RangeError('nothing was matched')
  if (others.length === 0) return first
  const byId = (pairs: readonly UtterancePair[]): UtteranceMatch['differentAudio'] => [
    ...new Map(pairs.map((pair) => [pair.base.id, pair])).values(),
  ]
  return {
    matching: new Set([...first.matching].filter((id) => others.every(({ matching }) => matching.has(id)))),
    differentAudio: byId(matches.flatMap(({ differentAudio }) => differentAudio)),
    differentReference: byId(matches.flatMap(({ differentReference }) => differentReference)),
    onlyInBase: [...new Set(matches.flatMap(({ onlyInBase }) => onlyInBase))],
    onlyInRun: [...new Set(matches.flatMap(({ onlyInRun }) => onlyInRun))],
  }
}

function mismatchProblems(
  { differentAudio, differentReference }: UtteranceMatch,
  shared: number,
): readonly Problem[] {
  const listed = (pairs: readonly UtterancePair[], what: string, hint?: string): readonly Problem[] =>
    pairs.length === 0
      ? []
      : [
          {
            where: null,
            what: `${pairs.length} of ${shared} utterances have ${what} under the same id`,
            ...(hint === undefined ? {} : { hint }),
          },
        ]
  return [
    ...listed(differentAudio, 'different audio'),
    ...differentAudio.map(({ base, run }) => ({
      where: base.id,
      what: `audio ${short(base.sha256)} → ${short(run.sha256)}`,
    })),
    ...listed(differentReference, 'different references', 'score both runs with the same corpus'),
    ...differentReference.map(({ base, run }) => ({
      where: base.id,
      what: `reference "${base.reference}" → "${run.reference}"`,
    })),
  ]
}

export function listIds(pairs: readonly UtterancePair[]): readonly string[] {
  return pairs.map(({ base }) => base.id)
}

function short(sha256: string): string {
  return `${sha256.slice(0, 4)}…`
}

/** Returns why two runs cannot be compared per utterance; empty where they can. */
export function refusals(match: UtteranceMatch, onlyMatching: boolean): readonly Problem[] {
  const { matching, differentAudio, differentReference, onlyInBase, onlyInRun } = match
  if (matching.size + differentAudio.length + differentReference.length === 0) {
    const what = `no utterance is in both runs: ${onlyInBase.length} in the base, ${onlyInRun.length} in the run`
    return [{ where: null, what }]
  }
  return onlyMatching && matching.size > 0
    ? []
    : mismatchProblems(match, matching.size + differentAudio.length + differentReference.length)
}

export function notComparable(problems: readonly Problem[], match: UtteranceMatch): BenchError {
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

/** A comparison needs at least one utterance, whatever the other contenders have. */
export function nothingAnswered(
  unanswered: readonly ContenderComparison[],
  all: readonly ContenderComparison[],
  sides: readonly (readonly RunRecord[])[],
): BenchError {
  const ids = sides.map((side) => side.map(({ id }) => shellWord(id)))
  const others = all.filter((one) => !unanswered.includes(one))
  const isSame = others.length === 0 && ids[0]?.join() === ids[1]?.join()
  const pairs = others.map(
    (one) => `--contender ${shellWord(one.baseContenderId)}=${shellWord(one.runContenderId)}`,
  )
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

/** Lists the outcomes of the unpaired utterances, the most frequent first. */
function listReasons(unpaired: ContenderComparison['unpaired']): string {
  const byReason = [...Map.groupBy(unpaired, ({ reason }) => reason)]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, 3)
    .map(([reason, utterances]) => `${utterances.length} ${reason}`)
  return byReason.length === 0 ? '' : `: ${byReason.join('; ')}`
}

/**
 * @param base utterances of all runs of the base
 * @param run utterances of all runs of the other side
 */
export function unmatchedUtterances(
  { differentAudio, differentReference, onlyInBase, onlyInRun }: UtteranceMatch,
  base: readonly PlannedUtterance[],
  run: readonly PlannedUtterance[],
): ContenderComparison['unpaired'] {
  const [inBase, inRun] = [new Set(base.map(({ id }) => id)), new Set(run.map(({ id }) => id))]
  // Among several runs of a side, an utterance may have several reasons, of which one is kept.
  const reasons = new Map([
    ...listIds(differentAudio).map((id) => [id, 'different audio'] as const),
    ...listIds(differentReference).map((id) => [id, 'different reference'] as const),
    ...[...onlyInBase, ...onlyInRun].map((id) => {
      const isInBoth = inBase.has(id) && inRun.has(id)
      return [id, isInBoth ? 'not in every run' : `only in ${inBase.has(id) ? 'base' : 'run'}`] as const
    }),
  ])
  return [...reasons].map(([utteranceId, reason]) => ({ utteranceId, reason }))
}

export interface ContenderPair {
  readonly base: string
  readonly run: string
}

/**
 * Pairs contenders as requested, or else those with the same id, or else the only contender of each side. Their names
 * then do not matter, because a new build often has a new name.
 *
 * @param base ids of the base side
 * @param run ids of the other side
 * @returns problems where nothing can be paired, or where a requested pair has an unknown contender
 */
export function pairContenders(
  base: readonly string[],
  run: readonly string[],
  requested: readonly ContenderPair[] = pairsByName(base, run),
): { readonly pairs: readonly ContenderPair[]; readonly problems: readonly Problem[] } {
  const [inBase, inRun] = [base, run].map((side) => side.join(', ') || 'none')
  const missing = requested.flatMap((pair): readonly Problem[] => [
    ...(base.includes(pair.base)
      ? []
      : [{ where: pair.base, what: `is not a contender of the base run, which has ${inBase}` }]),
    ...(run.includes(pair.run)
      ? []
      : [{ where: pair.run, what: `is not a contender of the run, which has ${inRun}` }]),
  ])
  if (requested.length > 0) return { pairs: requested, problems: missing }
  const what = `no contender is in both runs: the base has ${inBase}; the run has ${inRun}`
  const hint = 'name the pair with --contender <base>=<run>'
  return { pairs: [], problems: [{ where: null, what, hint }] }
}

function pairsByName(base: readonly string[], run: readonly string[]): readonly ContenderPair[] {
  const shared = base.filter((id) => run.includes(id))
  if (shared.length > 0) return shared.map((id) => ({ base: id, run: id }))
  const [baseId, runId] = [base[0], run[0]]
  if (base.length !== 1 || run.length !== 1 || baseId === undefined || runId === undefined) return []
  return [{ base: baseId, run: runId }]
}
