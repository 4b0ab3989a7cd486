import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import type { TextScore } from '#rates/documents'
import { makeRow, startPairScorer, type TextScoreOptions, writtenText } from '#rates/scored-pair'
import { type System, summariseSteps } from '#rates/system-columns'
import { startTextTally } from '#rates/text-tally'
import type { KeptRows, TextScoreFormatName } from '#reports/text-score/formats'
import { errorCount, referenceLength } from '#scoring/counts'
import type { SpeakerCounts } from '#scoring/formats/sclite-reports'
import { speakerOf } from '#scoring/formats/trn'
import { plainProfile } from '#scoring/profiles/plain-profile'
import type { Profile } from '#scoring/profiles/profile'
import type { Utterance } from '#scoring/read-pair'
import type { UtteranceScore } from '#scoring/score-utterance'
import type { AlignmentStep } from '#scoring/shapes'
import { readPairs, type TranscriptSource } from '#transcripts/read-pairs'
import type { CommandContext } from './command-context.ts'
import { cliErrors } from './errors.ts'
import { readingLine } from './progress-lines.ts'

/** Figures and rows to compute for every pair. */
export interface CountingPlan {
  readonly options: TextScoreOptions
  /** The format for which rows are kept; null keeps none. */
  readonly keep: TextScoreFormatName | null
  /** Number of worst pairs to keep with their words. */
  readonly worst: number
  /** Whether there is a table by speaker. */
  readonly bySpeaker: boolean
  /** Whether systems are compared, which requires the alignment of every pair. */
  readonly compares: boolean
}

/** One scored file of hypotheses. Its rows are stored separately from the score. */
export interface ScoredFile {
  readonly score: TextScore
  readonly rows: RowSpool
  /** Empty without a table by speaker. */
  readonly speakers: readonly SpeakerCounts[]
  /** Null if systems are not compared. */
  readonly system: System | null
}

/**
 * Reads and scores one file of hypotheses, in constant memory unless systems are compared.
 *
 * @param name of the system
 * @throws BenchError TRANSCRIPTS_UNREADABLE, SCORING_PROFILE_UNKNOWN, GROUPING_UNKNOWN, ROWS_UNWRITABLE
 */
export async function scoreFile(
  context: CommandContext,
  { source, name }: { readonly source: TranscriptSource; readonly name: string },
  plan: CountingPlan,
): Promise<ScoredFile> {
  // Errors in the options are reported before any file is read.
  await chooseProfile(plan.options)
  const progress = readingLine(context)
  const onNote = (note: string): void => {
    progress.clear()
    context.say(`  ~ ${note}`)
  }
  const events = { onProgress: progress.show, onNote }
  let counter: Awaited<ReturnType<typeof startCounter>> | null = null
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

/** The columns of a system while they grow. */
type Columns = { [Column in Exclude<keyof System, 'name'>]: System[Column][number][] }

/**
 * Counts pairs in the order of the references.
 *
 * @param first pairs, whose references show the script if no language is named
 */
async function startCounter(plan: CountingPlan, name: string, first: readonly Utterance[]) {
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
  const speakers = plan.bySpeaker ? (await import('#scoring/formats/sclite-reports')).startSpeakers() : null
  const columns: Columns | null = plan.compares
    ? { speakers: [], errors: [], lengths: [], operations: [], readings: [] }
    : null
  const worst = startWorst(plan.worst)
  return {
    async add(pairs: readonly Utterance[]) {
      const keptRows: string[] = []
      // Pairs are scored one by one, because the alignments of a block take ten times the memory of its texts.
      for (const pair of pairs) {
        const scored = scorer.score(pair)
        const { score } = scored
        const steps = needsSteps ? scorer.align(pair) : []
        tally.add(scored, keepsErrors ? steps.filter(({ kind }) => kind !== 'hit') : undefined)
        if (score.words !== null) speakers?.add(score.speaker ?? speakerOf(score.id), score.words)
        if (format !== null)
          keptRows.push(format.keep(makeRow(pair, score, format.rows === 'aligned' ? steps : null), facts))
        if (columns !== null) addToColumns(columns, score, steps)
        worst.add(pair, score)
      }
      if (keptRows.length > 0) await rows.add(keptRows.join(''))
    },
    /** @throws BenchError GROUPING_UNKNOWN */
    result: (): ScoredFile => ({
      score: {
        ...tally.result(),
        worst:
          plan.worst === 0
            ? null
            : worst.all().map(({ pair, score }) => makeRow(pair, score, scorer.align(pair))),
      },
      rows,
      speakers: speakers?.result() ?? [],
      system: columns === null ? null : { name, ...columns },
    }),
  }
}

function addToColumns(columns: Columns, score: UtteranceScore, steps: readonly AlignmentStep[]): void {
  const { operations, reading } = summariseSteps(steps)
  columns.speakers.push(score.speaker)
  columns.errors.push(errorCount(score.wordsFailedAsEmpty))
  columns.lengths.push(referenceLength(score.wordsFailedAsEmpty))
  columns.operations.push(operations)
  columns.readings.push(reading)
}

/** Keeps a number of answered pairs with the most word errors, most first, ties in their order. */
function startWorst(count: number) {
  const worst: { readonly pair: Utterance; readonly score: UtteranceScore; readonly errors: number }[] = []
  return {
    add(pair: Utterance, score: UtteranceScore) {
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

/** Number of references that show the script of a set of texts. */
const textsForScript = 100

/** Chooses the profile. The rules of all languages load slowly, so they are imported only if needed. */
async function chooseProfile(options: TextScoreOptions): Promise<Profile> {
  const { profile, language, namesLanguages = false, alignment, texts } = options
  if (profile === undefined && language === undefined && !namesLanguages)
    return plainProfile(alignment, texts)
  return (await import('#rates/choose-profile')).chooseProfile(options)
}

/** Output that is held back until the whole input is read, so that nothing is printed for an invalid input. */
interface RowSpool extends KeptRows {
  /** @throws BenchError ROWS_UNWRITABLE if the folder for temporary files is full or not writable */
  add(text: string): Promise<void>
  close(): Promise<void>
}

/** Maximum number of characters in memory before a file is opened. */
const inMemoryCharacters = 1_048_576
// Larger chunks would be freed only by a full garbage collection.
const chunkBytes = 65_536

/** Starts a spool: in memory while it is small, then in a temporary file that no other program sees. */
function startSpool(): RowSpool {
  let pieces: string[] = []
  let length = 0
  let file: Awaited<ReturnType<typeof openSpoolFile>> | null = null
  const flush = async (): Promise<void> => {
    file ??= await openSpoolFile()
    for (const piece of pieces) await file.append(piece)
    pieces = []
    length = 0
  }
  async function* texts(): AsyncGenerator<string> {
    if (file !== null) yield* file.texts()
    yield* pieces
  }
  return {
    async add(text) {
      pieces.push(text)
      length += text.length
      if (length > inMemoryCharacters) await flush()
    },
    texts,
    lines: () => wholeLines(texts()),
    close: async () => await file?.close(),
  }
}

async function* wholeLines(texts: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let begun = ''
  for await (const text of texts) {
    const lines = (begun + text).split('\n')
    begun = lines.pop() ?? ''
    yield lines
  }
}

async function openSpoolFile() {
  // The import is dynamic, because it takes a tenth of the time of a short command.
  const { randomUUID } = await import('node:crypto')
  const folder = tmpdir()
  const path = join(folder, `transcribench-rows-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600).catch(fail(folder))
  // An unlinked file disappears with the process, however that ends. Windows cannot unlink an open file.
  const isNamed = await unlink(path).then(
    () => false,
    () => true,
  )
  let size = 0
  return {
    async append(text: string) {
      const bytes = Buffer.from(text)
      await handle.writeFile(bytes).catch(fail(folder))
      size += bytes.length
    },
    texts: () => readTexts(handle, size),
    async close() {
      await handle.close()
      if (isNamed) await unlink(path)
    },
  }
}

async function* readTexts(handle: FileHandle, size: number): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  const buffer = Buffer.alloc(chunkBytes)
  for (let position = 0; position < size; ) {
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position)
    if (bytesRead === 0) throw new TypeError('the rows that were kept are shorter than they were written')
    position += bytesRead
    yield decoder.write(buffer.subarray(0, bytesRead))
  }
}

function fail(folder: string): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    const reason = /^\w+: ([^,]+)/.exec(cause.message)?.[1] ?? cause.message
    throw cliErrors.make('ROWS_UNWRITABLE', {
      message: `the rows could not be kept in ${folder}: ${reason} (${cause.code})`,
      hint: 'name a folder with free space for temporary files: TMPDIR=/path transcribench wer …',
      cause,
    })
  }
}
