import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Problem } from '#prelude'
import type { Utterance } from '#scoring'
import { corpusErrors } from './errors.ts'
import { readLineBlocks } from './line-blocks.ts'
import {
  formatOfName,
  type ParsedTranscripts,
  type Side,
  startTranscripts,
  type Transcript,
  type TranscriptFormat,
  type WholeFormat,
} from './transcript-lines.ts'
import { startPairing } from './transcript-pairing.ts'
import { checkIds, type IdCheck, type ProblemList, startProblems } from './transcript-problems.ts'
import { jsonRows, lacks, type NumberedRow, parsePairRows } from './transcript-rows.ts'
import { type RowReader, startTable } from './transcript-tables.ts'
import { readTimed } from './transcript-times.ts'

/** What is read, and how. */
export interface TranscriptSource {
  readonly reference: string
  /** Null where one file of JSON Lines, or one table, holds both. */
  readonly hypothesis: string | null
  /** By the files' names unless told. */
  readonly format?: TranscriptFormat | undefined
  /** What a file is whose name says nothing; `lines` unless told. */
  readonly formatOfUnknown?: TranscriptFormat | undefined
}

/** How far the reading is. */
export interface ReadingProgress {
  readonly bytesRead: number
  readonly bytesTotal: number
  readonly pairCount: number
}

/**
 * Reads transcripts and pairs them, a block at a time, in the order of the references: plain text by line, where a
 * blank line is an empty transcript and the line's number is its id; words with times (ctm) by the segments (stm) that
 * they lie in; everything else by id. Memory grows with the ids, and with what waits for its partner where two files
 * are in different orders.
 *
 * @param onNote hears what is left out because a file asks for it
 * @returns blocks of pairs, every reference with its hypothesis; nothing is left out. What came before the throw
 *   is not the whole and must not be used
 * @throws BenchError TRANSCRIPTS_UNREADABLE with everything at once: files that cannot be opened, lines that are not
 *   UTF-8 or not of their format, ids that stand twice or on one side only, different numbers of lines
 */
export async function* readPairs(
  source: TranscriptSource,
  onProgress: (progress: ReadingProgress) => void = () => {},
  onNote: (note: string) => void = () => {},
): AsyncGenerator<readonly Utterance[]> {
  const problems = startProblems()
  const paths = [source.reference, ...(source.hypothesis === null ? [] : [source.hypothesis])]
  const bytesTotal = await sizesOf(paths, problems)
  let pairCount = 0
  if (problems.count === 0) {
    const blocks =
      source.hypothesis === null
        ? readOneFile(source.reference, source.format, problems)
        : readTwoFiles({ ...source, hypothesis: source.hypothesis }, problems, onNote)
    for await (const { pairs, bytesRead } of blocks) {
      pairCount += pairs.length
      onProgress({ bytesRead, bytesTotal, pairCount })
      if (pairs.length > 0 && problems.count === 0) yield pairs
    }
  }
  if (problems.count > 0) throw unreadable(paths, problems.all())
}

function unreadable(paths: readonly string[], problems: readonly Problem[]): Error {
  const isOne = paths.length === 1
  return corpusErrors.make('TRANSCRIPTS_UNREADABLE', {
    message: `${paths.join(' and ')} cannot be ${isOne ? 'read' : 'paired'}: nothing was scored`,
    hint: isOne
      ? 'one file alone holds objects {"id": "…", "reference": "…", "hypothesis": "…"}, one a line'
      : 'plain text is paired by line; to pair by id, write {"id": "…", "text": "…"} a line into files named .jsonl',
    problems,
  })
}

async function sizesOf(paths: readonly string[], problems: ProblemList): Promise<number> {
  let bytes = 0
  for (const path of paths) {
    try {
      const { size, isDirectory } = await stat(path).then((found) => ({
        size: found.size,
        isDirectory: found.isDirectory(),
      }))
      if (isDirectory) problems.report({ where: path, what: 'is a folder', hint: 'name a file' })
      bytes += size
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      const what = error.code === 'ENOENT' ? 'is missing' : `cannot be opened: ${error.message}`
      problems.report({ where: path, what })
    }
  }
  return bytes
}

interface PairBlock {
  readonly pairs: readonly Utterance[]
  readonly bytesRead: number
}

async function* readOneFile(
  path: string,
  format: TranscriptFormat | undefined,
  problems: ProblemList,
): AsyncGenerator<PairBlock> {
  const shownPath = basename(path)
  const rows = startRows(format ?? formatOfName(path) ?? 'jsonl')
  if (rows === null) {
    problems.report({ where: shownPath, what: 'stands alone', hint: 'name the file of hypotheses as well' })
    return
  }
  const ids = checkIds(shownPath, problems)
  let isEmpty = true
  let bytesRead = 0
  const pairsOf = (read: readonly NumberedRow[]): readonly Utterance[] => {
    const { pairs, problems: found } = parsePairRows(read)
    for (const problem of found) problems.report({ ...problem, where: `${shownPath}:${problem.where}` })
    for (const { reference } of pairs) ids.add(reference)
    isEmpty &&= pairs.length === 0
    return pairs.map(({ reference, hypothesis }) => utteranceOf(reference, hypothesis))
  }
  for await (const block of readLineBlocks(path, shownPath, problems.report)) {
    yield { pairs: pairsOf(rows.push(block)), bytesRead: block.bytesRead }
    bytesRead = block.bytesRead
  }
  yield { pairs: pairsOf(rows.end()), bytesRead }
  if (isEmpty && problems.count === 0) problems.report({ where: shownPath, what: 'has no lines' })
}

/** Null for a format whose rows never hold both texts. */
function startRows(format: TranscriptFormat): RowReader | null {
  if (format === 'csv' || format === 'tsv') return startTable(format, (row) => lacks(row, 'both'))
  return format === 'jsonl' ? { push: jsonRows, end: () => [] } : null
}

interface BlockReader {
  readonly shownPath: string
  readonly format: WholeFormat
  readonly side: Side
  readonly blocks: AsyncGenerator<{ readonly transcripts: readonly Transcript[]; readonly bytesRead: number }>
  transcriptCount: number
  bytesRead: number
  isDone: boolean
}

async function* readTwoFiles(
  source: TranscriptSource & { readonly hypothesis: string },
  problems: ProblemList,
  onNote: (note: string) => void,
): AsyncGenerator<PairBlock> {
  const shown = shortNames(source.reference, source.hypothesis)
  const said = formatOf(source.reference, source)
  const heard = formatOf(source.hypothesis, source)
  if (said === 'ctm' || heard === 'ctm') {
    yield* readByTime(source, { shown, said, heard }, problems, onNote)
    return
  }
  const context = { problems, formatOf: { reference: said, hypothesis: heard } }
  const references = openTranscripts(source.reference, shown[0], 'reference', context)
  const hypotheses = openTranscripts(source.hypothesis, shown[1], 'hypothesis', context)
  if (isMixed(references, hypotheses, problems)) return
  const pairing = startPairing(
    { references: references.shownPath, hypotheses: hypotheses.shownPath },
    references.format === 'lines' ? 'line' : 'id',
  )
  while (!references.isDone || !hypotheses.isDone) {
    // The side that is behind is read on, so that little waits for its partner.
    const isReference =
      hypotheses.isDone || (!references.isDone && references.transcriptCount <= hypotheses.transcriptCount)
    const reader = isReference ? references : hypotheses
    const next = await reader.blocks.next()
    if (next.done === true) {
      reader.isDone = true
      pairing.end(reader.side)
      continue
    }
    reader.transcriptCount += next.value.transcripts.length
    reader.bytesRead = next.value.bytesRead
    const bytesRead = references.bytesRead + hypotheses.bytesRead
    const matched = problems.count > 0 ? [] : pairing.add(reader.side, next.value.transcripts)
    for (const { hypothesis } of matched) {
      if (hypothesis.isIgnored === true) problems.report(wantsOut(hypothesis, hypotheses.shownPath))
    }
    const pairs = matched.map(({ reference, hypothesis }) => utteranceOf(reference, hypothesis))
    yield { pairs, bytesRead }
  }
  if (problems.count === 0) for (const problem of pairing.unpaired()) problems.report(problem)
  const { referenceCount, hypothesisCount } = pairing.ignored()
  if (referenceCount > 0) onNote(leftOut(referenceCount, hypothesisCount, references.shownPath))
}

function leftOut(referenceCount: number, hypothesisCount: number, shownPath: string): string {
  const ask = referenceCount === 1 ? 'segment of' : 'segments of'
  return `${referenceCount} ${ask} ${shownPath} ${referenceCount === 1 ? 'asks' : 'ask'} not to be scored; ${hypothesisCount} of them had a hypothesis`
}

/** What is not scored is for the references to say: else an engine could leave out what it got wrong. */
function wantsOut({ line }: Transcript, shownPath: string): Problem {
  return {
    where: `${shownPath}:${line}`,
    what: 'asks not to be scored, and its reference does not',
    hint: 'write what was recognised, or IGNORE_TIME_SEGMENT_IN_SCORING into the reference',
  }
}

/** A ctm has words without an end to any utterance: the segments of an stm say where each belongs. */
async function* readByTime(
  source: TranscriptSource & { readonly hypothesis: string },
  files: {
    readonly shown: readonly [string, string]
    readonly said: TranscriptFormat
    readonly heard: TranscriptFormat
  },
  problems: ProblemList,
  onNote: (note: string) => void,
): AsyncGenerator<PairBlock> {
  // With --format ctm it is the hypothesis that is meant.
  const { shown, said, heard } = files
  const isPair = (said === 'stm' || source.format === 'ctm') && heard === 'ctm'
  if (!isPair) {
    problems.report({
      where: shown[said === 'ctm' ? 0 : 1],
      what: 'holds words by time',
      hint: 'give the segments as an stm file first, then the ctm: asrbench wer ref.stm hyp.ctm',
    })
    return
  }
  const { pairs, bytesRead, notes } = await readTimed(
    { path: source.reference, shownPath: shown[0] },
    { path: source.hypothesis, shownPath: shown[1] },
    problems,
  )
  for (const note of notes) onNote(note)
  yield { pairs: pairs.map(({ reference, hypothesis }) => utteranceOf(reference, hypothesis)), bytesRead }
}

/** File names where they tell the files apart, else the paths as they were given. */
function shortNames(left: string, right: string): readonly [string, string] {
  const names = [basename(left), basename(right)] as const
  return names[0] === names[1] ? [left, right] : names
}

function isMixed(references: BlockReader, hypotheses: BlockReader, problems: ProblemList): boolean {
  const isByLine = [references, hypotheses].map(({ format }) => format === 'lines')
  if (isByLine[0] === isByLine[1]) return false
  const [byLine, byId] = isByLine[0] === true ? [references, hypotheses] : [hypotheses, references]
  problems.report({
    where: byLine.shownPath,
    what: `is paired by line, and ${byId.shownPath} by id`,
    hint: 'give both in one format, or say which it is: --format trn',
  })
  return true
}

function openTranscripts(
  path: string,
  shownPath: string,
  side: Side,
  context: { readonly problems: ProblemList; readonly formatOf: Readonly<Record<Side, WholeFormat>> },
): BlockReader {
  const format = context.formatOf[side]
  const { problems } = context
  const ids = format === 'lines' ? null : checkIds(shownPath, problems)
  const blocks = readTranscripts(path, { shownPath, format, side, ids, problems })
  return { shownPath, format, side, blocks, transcriptCount: 0, bytesRead: 0, isDone: false }
}

function formatOf(path: string, { format, formatOfUnknown }: TranscriptSource): TranscriptFormat {
  return format ?? formatOfName(path) ?? formatOfUnknown ?? 'lines'
}

async function* readTranscripts(
  path: string,
  context: {
    readonly shownPath: string
    readonly format: WholeFormat
    readonly side: Side
    readonly ids: IdCheck | null
    readonly problems: ProblemList
  },
): BlockReader['blocks'] {
  const { shownPath, format, side, ids, problems } = context
  const before = problems.count
  let isEmpty = true
  let bytesRead = 0
  const checked = ({ transcripts, problems: found }: ParsedTranscripts): readonly Transcript[] => {
    for (const problem of found) problems.report({ ...problem, where: `${shownPath}:${problem.where}` })
    for (const transcript of ids === null ? [] : transcripts) ids?.add(transcript)
    isEmpty &&= transcripts.length === 0
    return transcripts
  }
  const reader = startTranscripts(format, side)
  for await (const block of readLineBlocks(path, shownPath, problems.report)) {
    bytesRead = block.bytesRead
    yield { transcripts: checked(reader.push(block)), bytesRead }
  }
  yield { transcripts: checked(reader.end()), bytesRead }
  if (isEmpty && problems.count === before) problems.report({ where: shownPath, what: 'has no lines' })
}

function utteranceOf(reference: Transcript, hypothesis: Transcript): Utterance {
  return {
    id: reference.id,
    reference: reference.text ?? '',
    hypothesis: hypothesis.text as Utterance['hypothesis'],
    speaker: reference.speaker ?? hypothesis.speaker,
    tags: { ...hypothesis.tags, ...reference.tags },
  }
}
