import type { PlannedUtterance } from '#journal/plan-line'
import { groupNumbers } from '#prelude'
import { errorCount, referenceLength } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type { ScoredContender } from '../../requests/scored-contender.ts'
import type { TranscriptScorer } from '../../requests/transcript-scorer.ts'

/** One utterance with all answers of one contender to it. */
export interface UtteranceScore {
  readonly utterance: PlannedUtterance
  /** Answers in the scored rounds, in the order of the plan. */
  readonly hypotheses: readonly string[]
  /** Mean number of errors over the scored rounds. */
  readonly errors: Readonly<Record<ErrorLevel, number>>
  /** Mean length of the normalised reference over the scored rounds, each in its best reading. */
  readonly lengths: Readonly<Record<ErrorLevel, number>>
}

/**
 * Sums of one contender's answers to the utterances of one run. The n-th entry of each column belongs to the n-th
 * utterance with a scored round, in the order of first occurrence.
 */
export interface UtteranceTallies {
  /** Index of each utterance among those of the run. */
  readonly utteranceIndexes: Uint32Array
  /** Sums over all its scored rounds. */
  readonly wordErrors: Uint32Array
  readonly characterErrors: Uint32Array
  /** Sums of the lengths of its reference, over the same rounds. */
  readonly words: Uint32Array
  readonly characters: Uint32Array
  /** End of its hypotheses in `hypotheses`; they start at the end of the previous utterance's. */
  readonly ends: Uint32Array
  /** Indexes of texts, for each utterance in the order of the plan. */
  readonly hypotheses: Uint32Array
  readonly texts: readonly string[]
  /** Indexes of utterances with failed requests, the counts of failures, and the lengths of their references. */
  readonly failedIndexes: Uint32Array
  readonly failedCounts: Uint32Array
  readonly failedWords: Uint32Array
  readonly failedCharacters: Uint32Array
}

/** Answers of a contender in one run, with the run's utterances. */
export interface TalliedRun {
  readonly utterances: readonly PlannedUtterance[]
  readonly tallies: UtteranceTallies
}

export function talliedRun(scored: ScoredContender, scorer: TranscriptScorer): TalliedRun {
  return { utterances: scored.resolved.utterances, tallies: tallyUtterances(scored, scorer) }
}

export function tallyUtterances(
  { requests, resolved: { utterances } }: ScoredContender,
  scorer: TranscriptScorer,
): UtteranceTallies {
  const codes = new Map<string, number>()
  const texts: string[] = []
  /** Index + 1 of the last text that answered each utterance. */
  const before = new Uint32Array(utterances.length)
  const [asked, said] = [new Uint32Array(requests.length), new Uint32Array(requests.length)]
  const column = (): Uint32Array => new Uint32Array(utterances.length)
  const [wordErrors, characterErrors, words, characters] = [column(), column(), column(), column()]
  let count = 0
  for (const { resolved, score } of requests) {
    if (score === null) continue
    const { utteranceIndex: index } = resolved
    const hypothesis = resolved.hypothesis ?? ''
    let text = (before[index] as number) - 1
    if (texts[text] !== hypothesis) {
      text = codes.get(hypothesis) ?? texts.length
      if (text === texts.length) texts.push(hypothesis)
      codes.set(hypothesis, text)
      before[index] = text + 1
    }
    asked[count] = index
    said[count] = text
    count += 1
    words[index] = (words[index] as number) + referenceLength(score.words)
    characters[index] = (characters[index] as number) + referenceLength(score.characters)
    wordErrors[index] = (wordErrors[index] as number) + errorCount(score.words)
    characterErrors[index] = (characterErrors[index] as number) + errorCount(score.characters)
  }
  const { keys, ends, rows } = groupNumbers(asked.subarray(0, count))
  const ofAsked = (column: Uint32Array): Uint32Array => keys.map((index) => column[index] as number)
  return {
    utteranceIndexes: keys,
    wordErrors: ofAsked(wordErrors),
    characterErrors: ofAsked(characterErrors),
    words: ofAsked(words),
    characters: ofAsked(characters),
    ends,
    hypotheses: rows.map((row) => said[row] as number),
    texts,
    ...tallyFailures(requests, utterances, scorer),
  }
}

function tallyFailures(
  requests: ScoredContender['requests'],
  utterances: readonly PlannedUtterance[],
  scorer: TranscriptScorer,
): Pick<UtteranceTallies, 'failedIndexes' | 'failedCounts' | 'failedWords' | 'failedCharacters'> {
  const counts = new Map<number, number>()
  for (const { resolved } of requests) {
    if (resolved.status !== 'failed') continue
    counts.set(resolved.utteranceIndex, (counts.get(resolved.utteranceIndex) ?? 0) + 1)
  }
  const indexes = [...counts.keys()].sort((a, b) => a - b)
  const empties = indexes.map((index) => scorer.score(utterances[index] as PlannedUtterance, ''))
  return {
    failedIndexes: Uint32Array.from(indexes),
    failedCounts: Uint32Array.from(indexes, (index) => counts.get(index) ?? 0),
    failedWords: Uint32Array.from(empties, ({ words }) => referenceLength(words)),
    failedCharacters: Uint32Array.from(empties, ({ characters }) => referenceLength(characters)),
  }
}

/** Running sums of an utterance's answers in one or several runs. */
interface UtteranceSum extends Pick<UtteranceScore, 'utterance'> {
  readonly hypotheses: string[]
  roundCount: number
  wordErrors: number
  characterErrors: number
  words: number
  characters: number
}

export type UtteranceScores = ReadonlyMap<string, UtteranceScore>

/** Pools a contender's utterances of one or several runs, by id, without those that have no scored round. */
export function utteranceScores(runs: readonly TalliedRun[]): UtteranceScores {
  return poolRuns(runs, false)
}

/**
 * Pools them with every failed request as an empty transcript, which is what the client got. The ranking uses these.
 * It is empty for a contender without any answer.
 */
export function scoresWithFailures(runs: readonly TalliedRun[]): UtteranceScores {
  return runs.every(({ tallies }) => tallies.utteranceIndexes.length === 0) ? new Map() : poolRuns(runs, true)
}

function poolRuns(runs: readonly TalliedRun[], areFailuresCounted: boolean): UtteranceScores {
  const sums = new Map<string, UtteranceSum>()
  for (const { utterances, tallies } of runs) {
    for (const [row, index] of tallies.utteranceIndexes.entries()) {
      addSum(sums, beginSum(utterances[index] as PlannedUtterance, tallies, row))
    }
    if (!areFailuresCounted) continue
    for (const [row, index] of tallies.failedIndexes.entries()) {
      const roundCount = tallies.failedCounts[row] as number
      const words = roundCount * (tallies.failedWords[row] as number)
      const characters = roundCount * (tallies.failedCharacters[row] as number)
      addSum(sums, {
        utterance: utterances[index] as PlannedUtterance,
        hypotheses: new Array<string>(roundCount).fill(''),
        roundCount,
        wordErrors: words,
        characterErrors: characters,
        words,
        characters,
      })
    }
  }
  return takeMeans(sums)
}

function addSum(sums: Map<string, UtteranceSum>, own: UtteranceSum): void {
  const known = sums.get(own.utterance.id)
  if (known === undefined) sums.set(own.utterance.id, own)
  else {
    // Items are pushed one by one, because a long run of few utterances exceeds the max arguments of a call.
    for (const hypothesis of own.hypotheses) known.hypotheses.push(hypothesis)
    known.roundCount += own.roundCount
    known.wordErrors += own.wordErrors
    known.characterErrors += own.characterErrors
    known.words += own.words
    known.characters += own.characters
  }
}

function takeMeans(sums: ReadonlyMap<string, UtteranceSum>): UtteranceScores {
  const scores = new Map<string, UtteranceScore>()
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

function beginSum(utterance: PlannedUtterance, tallies: UtteranceTallies, row: number): UtteranceSum {
  const { wordErrors, characterErrors, words, characters, ends, hypotheses, texts } = tallies
  const own: string[] = []
  for (let at = ends[row - 1] ?? 0; at < (ends[row] as number); at += 1) {
    own.push(texts[hypotheses[at] as number] as string)
  }
  return {
    utterance,
    hypotheses: own,
    roundCount: own.length,
    wordErrors: wordErrors[row] as number,
    characterErrors: characterErrors[row] as number,
    words: words[row] as number,
    characters: characters[row] as number,
  }
}
