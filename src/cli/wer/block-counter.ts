import { rowOf, type ScoredPair, startPairScorer, summariseSteps, type TextScoreOptions } from '#rates'
import type { TextScoreFormatName } from '#reports/text-score'
import {
  type Alignment,
  type ErrorCounts,
  errorCount,
  type Profile,
  type Utterance,
  type UtteranceScore,
} from '#scoring/counting'

type Steps = Alignment['steps']

/** What is counted and kept of every pair. */
export interface CountingPlan {
  readonly options: TextScoreOptions
  /** The way to write rows that they are kept for; null keeps none. */
  readonly keep: TextScoreFormatName | null
  /** How many of the pairs with the most errors are wanted with their words. */
  readonly worst: number
  /** Whether systems are compared, which takes the alignment of every pair. */
  readonly compares: boolean
}

/** A block of pairs, counted. */
export interface CountedBlock {
  /** Eight numbers a pair: hits, substitutions, deletions and insertions of words, then of characters. */
  readonly counts: Int32Array<ArrayBuffer>
  /** By pair, of `flag`. */
  readonly flags: Uint8Array<ArrayBuffer>
  /** The rows, as text. */
  readonly kept: string
  /** The errors by pair; empty where they are not wanted. */
  readonly errors: readonly Steps[]
  /** Pairs of this block with the most errors, the most first. */
  readonly worst: readonly { readonly index: number; readonly steps: Steps }[]
  /** By pair, where systems are compared. */
  readonly operations: readonly string[]
  readonly readings: readonly number[]
}

const flag = { answered: 1, emptied: 2, losesVowelSigns: 4, characters: 8 } as const
const numbersOfPair = 8

/** Starts to count blocks of pairs. Every block is counted for itself, in whatever order. */
export async function startBlockCounter(
  plan: CountingPlan,
  profile: Profile,
): Promise<(pairs: readonly Utterance[]) => CountedBlock> {
  const scorer = startPairScorer(plan.options, profile)
  const format =
    plan.keep === null ? null : (await import('#reports/text-score/formats')).textScoreFormats[plan.keep]
  const facts = { sclite: plan.options.sclite ?? null, leads: scorer.scoring.profile.leads }
  const keepsErrors = plan.options.confusions !== undefined
  const needsSteps = format?.rows === 'aligned' || keepsErrors || plan.compares
  // The alignment of a pair is gone before the next pair is aligned: those of a block take ten times its texts.
  return (pairs) => {
    const scored: ScoredPair[] = []
    const kept: string[] = []
    const errors: Steps[] = []
    const operations: string[] = []
    const readings: number[] = []
    for (const pair of pairs) {
      const one = scorer.score(pair)
      scored.push(one)
      const steps = needsSteps ? scorer.align(pair) : []
      if (format !== null) {
        kept.push(format.keep(rowOf(pair, one.score, format.rows === 'aligned' ? steps : null), facts))
      }
      if (keepsErrors) errors.push(steps.filter(({ kind }) => kind !== 'hit'))
      if (!plan.compares) continue
      const summary = summariseSteps(steps)
      operations.push(summary.operations)
      readings.push(summary.reading)
    }
    const worst = worstOf(scored, plan.worst).map((index) => ({
      index,
      steps: scorer.align(pairs[index] as Utterance),
    }))
    return { ...packCounts(scored), kept: kept.join(''), errors, worst, operations, readings }
  }
}

function packCounts(scored: readonly ScoredPair[]): Pick<CountedBlock, 'counts' | 'flags'> {
  const counts = new Int32Array(scored.length * numbersOfPair)
  const flags = new Uint8Array(scored.length)
  for (const [index, { score, losesVowelSigns }] of scored.entries()) {
    put(counts, numbersOfPair * index, score.wordsFailedAsEmpty)
    if (score.characters !== null) put(counts, numbersOfPair * index + 4, score.characters)
    flags[index] =
      (score.words === null ? 0 : flag.answered) |
      (score.isEmptied ? flag.emptied : 0) |
      (losesVowelSigns ? flag.losesVowelSigns : 0) |
      (score.characters === null ? 0 : flag.characters)
  }
  return { counts, flags }
}

function put(numbers: Int32Array, at: number, counts: ErrorCounts): void {
  numbers[at] = counts.hits
  numbers[at + 1] = counts.substitutions
  numbers[at + 2] = counts.deletions
  numbers[at + 3] = counts.insertions
}

/** The answered pairs with the most word errors, the most first, equals in their order. */
function worstOf(scored: readonly ScoredPair[], count: number): readonly number[] {
  if (count === 0) return []
  const errors = scored.map(({ score }) => (score.words === null ? 0 : errorCount(score.words)))
  const wrong = [...errors.keys()].filter((index) => (errors[index] as number) > 0)
  return wrong.sort((a, b) => (errors[b] as number) - (errors[a] as number) || a - b).slice(0, count)
}

/** One pair of a counted block. */
export function scoredPairOf(
  { id, speaker, tags }: Utterance,
  block: CountedBlock,
  index: number,
): ScoredPair {
  const flags = block.flags[index] as number
  const wordsFailedAsEmpty = countsAt(block.counts, numbersOfPair * index)
  const score: UtteranceScore = {
    id,
    speaker: speaker ?? null,
    tags: tags ?? {},
    words: (flags & flag.answered) === 0 ? null : wordsFailedAsEmpty,
    characters: (flags & flag.characters) === 0 ? null : countsAt(block.counts, numbersOfPair * index + 4),
    wordsFailedAsEmpty,
    isEmptied: (flags & flag.emptied) !== 0,
  }
  return { score, losesVowelSigns: (flags & flag.losesVowelSigns) !== 0 }
}

function countsAt(numbers: Int32Array, at: number): ErrorCounts {
  return {
    hits: numbers[at] as number,
    substitutions: numbers[at + 1] as number,
    deletions: numbers[at + 2] as number,
    insertions: numbers[at + 3] as number,
  }
}
