import type { PlannedUtterance } from '#journal/plan-line'
import type { Problem } from '#prelude'
import type { TranscriptScorer } from '../requests/transcript-scorer.ts'

/** One id as two plans have it. */
export interface UtterancePair {
  readonly base: PlannedUtterance
  readonly run: PlannedUtterance
}

/** How the utterances of two runs answer to each other. */
export interface UtteranceMatch {
  /** Ids with the same audio and the same reference on both sides. */
  readonly matching: ReadonlySet<string>
  readonly differentAudio: readonly UtterancePair[]
  readonly differentReference: readonly UtterancePair[]
  readonly onlyInBase: readonly string[]
  readonly onlyInRun: readonly string[]
}

/**
 * Pairs the utterances of two plans by id. Audio is held equal by its hash, references by what the profile
 * makes of them, so that a corrected space does not part two runs and a corrected word does.
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

/** What several plans have in common with one: an utterance matches only where it does in all of them. */
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

/** What keeps two plans from being compared, utterance by utterance. Empty when nothing does. */
export function mismatchProblems(match: UtteranceMatch): readonly Problem[] {
  const { differentAudio, differentReference, matching } = match
  const shared = matching.size + differentAudio.length + differentReference.length
  const problems: Problem[] = []
  if (differentAudio.length > 0) {
    problems.push({
      where: null,
      what: `${differentAudio.length} of ${shared} utterances have different audio under the same id`,
    })
  }
  for (const { base, run } of differentAudio) {
    problems.push({ where: base.id, what: `audio ${short(base.sha256)} → ${short(run.sha256)}` })
  }
  if (differentReference.length > 0) {
    problems.push({
      where: null,
      what: `${differentReference.length} of ${shared} utterances have different references under the same id`,
      hint: 'score both runs with the same corpus',
    })
  }
  for (const { base, run } of differentReference) {
    problems.push({ where: base.id, what: `reference "${base.reference}" → "${run.reference}"` })
  }
  return problems
}

export function listIds(pairs: readonly UtterancePair[]): readonly string[] {
  return pairs.map(({ base }) => base.id)
}

function short(sha256: string): string {
  return `${sha256.slice(0, 4)}…`
}
