import {
  rowOf,
  type ScoredText,
  type System,
  startPairScorer,
  startTextTally,
  type TextScore,
  type TextTally,
} from '#rates'
import {
  type AlignmentStep,
  errorCount,
  type Profile,
  referenceLength,
  type SpeakerCounts,
  type SpeakerTally,
  speakerOf,
  startSpeakers,
  type Utterance,
  type UtteranceScore,
} from '#scoring/counting'
import { type CountedBlock, type CountingPlan, scoredPairOf } from './block-counter.ts'
import { type RowSpool, startSpool } from './row-spool.ts'

/** One file of hypotheses, scored. Its rows are kept apart from the score. */
export interface ScoredFile {
  readonly score: TextScore
  readonly rows: RowSpool
  readonly speakers: readonly SpeakerCounts[]
  /** Null where systems are not compared. */
  readonly system: System | null
}

/** Adds up blocks that were counted, in the order of the references. */
export interface Collector {
  add(pairs: readonly Utterance[], block: CountedBlock): Promise<void>
  /** @throws BenchError GROUPING_UNKNOWN */
  result(): ScoredFile
}

/** The columns of a system, as they grow. */
type Columns = { [Column in Exclude<keyof System, 'name'>]: System[Column][number][] }

/** A pair that may be among those with the most errors. */
interface WrongPair {
  readonly pair: Utterance
  readonly score: UtteranceScore
  readonly steps: readonly AlignmentStep[]
}

interface Sums {
  readonly plan: CountingPlan
  readonly tally: TextTally
  readonly speakers: SpeakerTally
  readonly columns: Columns | null
  worst: readonly WrongPair[]
}

/**
 * Starts to add up.
 *
 * @param name of the system
 */
export function startCollector(plan: CountingPlan, profile: Profile, name: string): Collector {
  const rows = startSpool()
  const sums: Sums = {
    plan,
    tally: startTextTally(plan.options, startPairScorer(plan.options, profile).scoring),
    speakers: startSpeakers(),
    columns: plan.compares
      ? { ids: [], speakers: [], errors: [], lengths: [], operations: [], readings: [] }
      : null,
    worst: [],
  }
  return {
    async add(pairs, block) {
      addBlock(sums, pairs, block)
      if (block.kept !== '') await rows.add(block.kept)
    },
    result: () => ({
      score: {
        ...sums.tally.result(),
        worst: plan.worst === 0 ? null : sums.worst.map(rowOfWrong),
      },
      rows,
      speakers: sums.speakers.result(),
      system: sums.columns === null ? null : { name, ...sums.columns },
    }),
  }
}

function addBlock(sums: Sums, pairs: readonly Utterance[], block: CountedBlock): void {
  for (const [index, pair] of pairs.entries()) {
    const scored = scoredPairOf(pair, block, index)
    const { id, speaker, words, wordsFailedAsEmpty } = scored.score
    sums.tally.add(scored, block.errors[index])
    if (words !== null) sums.speakers.add(speaker ?? speakerOf(id), words)
    const { columns } = sums
    if (columns === null) continue
    columns.ids.push(id)
    columns.speakers.push(speaker)
    columns.errors.push(errorCount(wordsFailedAsEmpty))
    columns.lengths.push(referenceLength(wordsFailedAsEmpty))
    columns.operations.push(block.operations[index] ?? '')
    columns.readings.push(block.readings[index] ?? 0)
  }
  const more = block.worst.map(({ index, steps }): WrongPair => {
    const pair = pairs[index] as Utterance
    return { pair, score: scoredPairOf(pair, block, index).score, steps }
  })
  if (more.length > 0) {
    sums.worst = [...sums.worst, ...more]
      // The sort is stable: equals stay in their order.
      .sort((a, b) => errorCount(b.score.wordsFailedAsEmpty) - errorCount(a.score.wordsFailedAsEmpty))
      .slice(0, sums.plan.worst)
  }
}

function rowOfWrong({ pair, score, steps }: WrongPair): ScoredText {
  return rowOf(pair, score, steps)
}
