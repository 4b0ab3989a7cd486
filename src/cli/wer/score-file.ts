import {
  rowOf,
  type System,
  startPairScorer,
  startTextTally,
  summariseSteps,
  type TextScore,
  type TextScoreOptions,
  writtenText,
} from '#rates'
import type { TextScoreFormatName } from '#reports/text-score/formats'
import {
  type AlignmentStep,
  errorCount,
  type Profile,
  plainProfile,
  referenceLength,
  type Utterance,
  type UtteranceScore,
} from '#scoring/counting'
import type { SpeakerCounts } from '#scoring/formats'
import { readPairs, type TranscriptSource } from '#transcripts'
import type { CommandContext } from '../command-context.ts'
import { showReading } from '../progress/show-reading.ts'
import { type RowSpool, startSpool } from './row-spool.ts'

/** What is counted and kept of every pair. */
export interface CountingPlan {
  readonly options: TextScoreOptions
  /** The way to write rows that they are kept for; null keeps none. */
  readonly keep: TextScoreFormatName | null
  /** How many of the pairs with the most errors are wanted with their words. */
  readonly worst: number
  /** Whether there is a table by speaker. */
  readonly bySpeaker: boolean
  /** Whether systems are compared, which takes the alignment of every pair. */
  readonly compares: boolean
}

/** One file of hypotheses, scored. Its rows are kept apart from the score. */
export interface ScoredFile {
  readonly score: TextScore
  readonly rows: RowSpool
  /** Empty where no table by speaker is wanted. */
  readonly speakers: readonly SpeakerCounts[]
  /** Null where systems are not compared. */
  readonly system: System | null
}

/**
 * Reads and scores one file of hypotheses, in memory that does not grow with the pairs unless systems are compared.
 *
 * @param name of the system
 * @throws BenchError TRANSCRIPTS_UNREADABLE, SCORING_PROFILE_UNKNOWN, GROUPING_UNKNOWN, ROWS_UNWRITABLE
 */
export async function scoreFile(
  context: CommandContext,
  { source, name }: { readonly source: TranscriptSource; readonly name: string },
  plan: CountingPlan,
): Promise<ScoredFile> {
  // What is wrong with the options is reported before anything is read.
  await chooseProfile(plan.options)
  const progress = showReading(context)
  const events = { onProgress: progress.show, onNote: (note: string) => context.say(`  ~ ${note}`) }
  let counter: PairCounter | null = null
  try {
    for await (const pairs of readPairs(source, events)) {
      counter ??= await startCounter(plan, name, pairs)
      await counter.add(pairs)
    }
    counter ??= await startCounter(plan, name, [])
    return counter.result()
  } finally {
    progress.done()
  }
}

/** Counts pairs in the order of the references. */
interface PairCounter {
  add(pairs: readonly Utterance[]): Promise<void>
  /** @throws BenchError GROUPING_UNKNOWN */
  result(): ScoredFile
}

/** The columns of a system, as they grow. */
type Columns = { [Column in Exclude<keyof System, 'name'>]: System[Column][number][] }

/** @param first of all pairs: their references show the script that they are written in, where no language is named */
async function startCounter(
  plan: CountingPlan,
  name: string,
  first: readonly Utterance[],
): Promise<PairCounter> {
  const options = {
    ...plan.options,
    texts: first.slice(0, textsForScript).map(({ reference }) => writtenText(reference)),
    namesLanguages: first.some(({ tags }) => tags?.['language'] !== undefined),
  }
  const scorer = startPairScorer(options, await chooseProfile(options))
  const format =
    plan.keep === null ? null : (await import('#reports/text-score/formats')).textScoreFormats[plan.keep]
  const facts = { sclite: options.sclite ?? null, leads: scorer.scoring.profile.leads }
  const keepsErrors = options.confusions !== undefined
  const needsSteps = format?.rows === 'aligned' || keepsErrors || plan.compares
  const tally = startTextTally(options, scorer.scoring)
  const rows = startSpool()
  const formats = plan.bySpeaker ? await import('#scoring/formats') : null
  const speakers = formats?.startSpeakers()
  const columns: Columns | null = plan.compares
    ? { ids: [], speakers: [], errors: [], lengths: [], operations: [], readings: [] }
    : null
  const worst = startWorst(plan.worst)
  return {
    async add(pairs) {
      const kept: string[] = []
      // The alignment of a pair is gone before the next pair is aligned: those of a block take ten times its texts.
      for (const pair of pairs) {
        const scored = scorer.score(pair)
        const { score } = scored
        const steps = needsSteps ? scorer.align(pair) : []
        tally.add(scored, keepsErrors ? steps.filter(({ kind }) => kind !== 'hit') : undefined)
        if (formats !== null && score.words !== null)
          speakers?.add(score.speaker ?? formats.speakerOf(score.id), score.words)
        if (format !== null)
          kept.push(format.keep(rowOf(pair, score, format.rows === 'aligned' ? steps : null), facts))
        if (columns !== null) addToColumns(columns, score, steps)
        worst.add(pair, score)
      }
      if (kept.length > 0) await rows.add(kept.join(''))
    },
    result: () => ({
      score: {
        ...tally.result(),
        worst:
          plan.worst === 0
            ? null
            : worst.all().map(({ pair, score }) => rowOf(pair, score, scorer.align(pair))),
      },
      rows,
      speakers: speakers?.result() ?? [],
      system: columns === null ? null : { name, ...columns },
    }),
  }
}

function addToColumns(columns: Columns, score: UtteranceScore, steps: readonly AlignmentStep[]): void {
  const { operations, reading } = summariseSteps(steps)
  columns.ids.push(score.id)
  columns.speakers.push(score.speaker)
  columns.errors.push(errorCount(score.wordsFailedAsEmpty))
  columns.lengths.push(referenceLength(score.wordsFailedAsEmpty))
  columns.operations.push(operations)
  columns.readings.push(reading)
}

interface WrongPair {
  readonly pair: Utterance
  readonly score: UtteranceScore
  readonly errors: number
}

/** Keeps so many answered pairs with the most word errors, the most first, equals in their order. */
function startWorst(count: number): {
  add(pair: Utterance, score: UtteranceScore): void
  all(): readonly WrongPair[]
} {
  const worst: WrongPair[] = []
  return {
    add(pair, score) {
      const errors = score.words === null ? 0 : errorCount(score.words)
      if (errors === 0 || count === 0) return
      if (worst.length === count && errors <= (worst.at(-1)?.errors ?? 0)) return
      const place = worst.findIndex((other) => other.errors < errors)
      worst.splice(place === -1 ? worst.length : place, 0, { pair, score, errors })
      if (worst.length > count) worst.pop()
    },
    all: () => worst,
  }
}

/** So many references show in which script a set of texts is written. */
const textsForScript = 100

/** The rules of all languages take longer to load than most files to score: they are loaded where a language or a profile is named. */
async function chooseProfile(options: TextScoreOptions): Promise<Profile> {
  const { profile, language, namesLanguages = false, alignment, texts } = options
  if (profile === undefined && language === undefined && !namesLanguages)
    return plainProfile(alignment, texts)
  return (await import('#rates/choose-profile')).chooseProfile(options)
}
