import type { PlannedUtterance } from '#journal/plan-line'
import { errorCount, referenceLength } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type { ScoredContender } from '../../requests/scored-contender.ts'
import type { TranscriptScorer } from '../../requests/transcript-scorer.ts'

/** One utterance with all answers of one contender to it. */
export interface PooledScore {
  readonly utterance: PlannedUtterance
  /** Answers in the scored rounds, in the order of the plan. */
  readonly hypotheses: readonly string[]
  /** Mean number of errors over the scored rounds. */
  readonly errors: Readonly<Record<ErrorLevel, number>>
  /** Mean length of the normalised reference over the scored rounds, each in its best reading. */
  readonly lengths: Readonly<Record<ErrorLevel, number>>
}

/** Sums over the requests of an utterance, in one or several runs. */
interface UtteranceSum extends Pick<PooledScore, 'utterance'> {
  readonly hypotheses: string[]
  roundCount: number
  wordErrors: number
  characterErrors: number
  words: number
  characters: number
}

/** Sums of one contender's requests in one run, by the id of the utterance. */
export interface UtteranceTallies {
  readonly answered: ReadonlyMap<string, UtteranceSum>
  /** Failed requests, each with an empty transcript. */
  readonly failed: ReadonlyMap<string, UtteranceSum>
}

export function tallyUtterances(
  { requests, resolved: { utterances } }: ScoredContender,
  scorer: TranscriptScorer,
): UtteranceTallies {
  const answered = new Map<string, UtteranceSum>()
  const failedCounts = new Map<number, number>()
  for (const { resolved, score } of requests) {
    const { status, utteranceIndex, utterance, hypothesis } = resolved
    if (status === 'failed') failedCounts.set(utteranceIndex, (failedCounts.get(utteranceIndex) ?? 0) + 1)
    if (score === null) continue
    addSum(answered, {
      utterance,
      hypotheses: [hypothesis ?? ''],
      roundCount: 1,
      wordErrors: errorCount(score.words),
      characterErrors: errorCount(score.characters),
      words: referenceLength(score.words),
      characters: referenceLength(score.characters),
    })
  }
  const failed = new Map<string, UtteranceSum>()
  for (const [index, roundCount] of [...failedCounts].sort(([a], [b]) => a - b)) {
    const utterance = utterances[index] as PlannedUtterance
    const score = scorer.score(utterance, '')
    const words = roundCount * referenceLength(score.words)
    const characters = roundCount * referenceLength(score.characters)
    const hypotheses = new Array<string>(roundCount).fill('')
    const errors = { wordErrors: words, characterErrors: characters }
    failed.set(utterance.id, { utterance, hypotheses, roundCount, ...errors, words, characters })
  }
  return { answered, failed }
}

export type PooledScores = ReadonlyMap<string, PooledScore>

/** Pools a contender's utterances of one or several runs, by id, without those that have no scored round. */
export function poolScores(runs: readonly UtteranceTallies[]): PooledScores {
  return poolRuns(runs, false)
}

/**
 * Pools them with every failed request as an empty transcript, which is what the client got. The ranking uses these.
 * It is empty for a contender without any answer.
 */
export function scoresWithFailures(runs: readonly UtteranceTallies[]): PooledScores {
  return runs.every(({ answered }) => answered.size === 0) ? new Map() : poolRuns(runs, true)
}

function poolRuns(runs: readonly UtteranceTallies[], areFailuresCounted: boolean): PooledScores {
  const sums = new Map<string, UtteranceSum>()
  for (const { answered, failed } of runs) {
    for (const sum of answered.values()) addSum(sums, sum)
    if (areFailuresCounted) for (const sum of failed.values()) addSum(sums, sum)
  }
  return takeMeans(sums)
}

function addSum(sums: Map<string, UtteranceSum>, sum: UtteranceSum): void {
  const total = sums.get(sum.utterance.id)
  if (total === undefined) sums.set(sum.utterance.id, { ...sum, hypotheses: [...sum.hypotheses] })
  else {
    // Items are pushed one by one, because a long run of few utterances exceeds the max arguments of a call.
    for (const hypothesis of sum.hypotheses) total.hypotheses.push(hypothesis)
    total.roundCount += sum.roundCount
    total.wordErrors += sum.wordErrors
    total.characterErrors += sum.characterErrors
    total.words += sum.words
    total.characters += sum.characters
  }
}

function takeMeans(sums: ReadonlyMap<string, UtteranceSum>): PooledScores {
  const scores = new Map<string, PooledScore>()
  for (const [id, { utterance, hypotheses, roundCount, ...sum }] of sums) {
    scores.set(id, {
      utterance,
      hypotheses,
      errors: { words: sum.wordErrors / roundCount, characters: sum.characterErrors / roundCount },
      lengths: { words: sum.words / roundCount, characters: sum.characters / roundCount },
    })
  }
  return scores
}
