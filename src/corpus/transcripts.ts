import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { Problem } from '#prelude'
import type { Utterance } from '#scoring'
import { corpusErrors } from './errors.ts'
import { readLineBlocks } from './line-blocks.ts'
import {
  formatOfName,
  parseTranscripts,
  type Side,
  type Transcript,
  type TranscriptFormat,
} from './transcript-lines.ts'
import { startPairing } from './transcript-pairing.ts'
import { checkIds, type IdCheck, type ProblemList, startProblems } from './transcript-problems.ts'
import { parsePairRows } from './transcript-rows.ts'

/** What is read, and how. */
export interface TranscriptSource {
  readonly reference: string
  /** Null where one file of JSON Lines holds both. */
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
 * Reads transcripts and pairs them, a block at a time, in the order of the references: JSON Lines and trn files by
 * id, plain text by line, where a blank line is an empty transcript and the line's number is its id. Memory grows
 * with the ids, and with what waits for its partner where two files are in different orders.
 *
 * @returns blocks of pairs, every reference with its hypothesis; nothing is left out. What came before the throw
 *   is not the whole and must not be used
 * @throws BenchError TRANSCRIPTS_UNREADABLE with everything at once: files that cannot be opened, lines that are not
 *   UTF-8 or not of their format, ids that stand twice or on one side only, different numbers of lines
 */
export async function* readPairs(
  source: TranscriptSource,
  onProgress: (progress: ReadingProgress) => void = () => {},
): AsyncGenerator<readonly Utterance[]> {
  const problems = startProblems()
  const paths = [source.reference, ...(source.hypothesis === null ? [] : [source.hypothesis])]
  const bytesTotal = await sizesOf(paths, problems)
  let pairCount = 0
  if (problems.count === 0) {
    const blocks =
      source.hypothesis === null
        ? readOneFile(source.reference, source.format, problems)
        : readTwoFiles(source.reference, source.hypothesis, source, problems)
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
  if ((format ?? formatOfName(extname(path)) ?? 'jsonl') !== 'jsonl') {
    problems.report({ where: shownPath, what: 'stands alone', hint: 'name the file of hypotheses as well' })
    return
  }
  const ids = checkIds(shownPath, problems)
  let isEmpty = true
  for await (const block of readLineBlocks(path, shownPath, problems.report)) {
    const { pairs, problems: found } = parsePairRows(block)
    for (const problem of found) problems.report({ ...problem, where: `${shownPath}:${problem.where}` })
    for (const { reference } of pairs) ids.add(reference)
    isEmpty &&= pairs.length === 0
    const utterances = pairs.map(({ reference, hypothesis }) => utteranceOf(reference, hypothesis))
    yield { pairs: utterances, bytesRead: block.bytesRead }
  }
  if (isEmpty && problems.count === 0) problems.report({ where: shownPath, what: 'has no lines' })
}

interface BlockReader {
  readonly shownPath: string
  readonly format: TranscriptFormat
  readonly side: Side
  readonly blocks: AsyncGenerator<{ readonly transcripts: readonly Transcript[]; readonly bytesRead: number }>
  transcriptCount: number
  bytesRead: number
  isDone: boolean
}

async function* readTwoFiles(
  referencePath: string,
  hypothesisPath: string,
  source: TranscriptSource,
  problems: ProblemList,
): AsyncGenerator<PairBlock> {
  const shown = shortNames(referencePath, hypothesisPath)
  const references = openTranscripts(referencePath, shown[0], 'reference', source, problems)
  const hypotheses = openTranscripts(hypothesisPath, shown[1], 'hypothesis', source, problems)
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
    const pairs = matched.map(({ reference, hypothesis }) => utteranceOf(reference, hypothesis))
    yield { pairs, bytesRead }
  }
  if (problems.count === 0) for (const problem of pairing.unpaired()) problems.report(problem)
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
  source: TranscriptSource,
  problems: ProblemList,
): BlockReader {
  const format = source.format ?? formatOfName(extname(path)) ?? source.formatOfUnknown ?? 'lines'
  const ids = format === 'lines' ? null : checkIds(shownPath, problems)
  const blocks = readTranscripts(path, { shownPath, format, side, ids, problems })
  return { shownPath, format, side, blocks, transcriptCount: 0, bytesRead: 0, isDone: false }
}

async function* readTranscripts(
  path: string,
  context: {
    readonly shownPath: string
    readonly format: TranscriptFormat
    readonly side: Side
    readonly ids: IdCheck | null
    readonly problems: ProblemList
  },
): BlockReader['blocks'] {
  const { shownPath, format, side, ids, problems } = context
  const before = problems.count
  let isEmpty = true
  for await (const block of readLineBlocks(path, shownPath, problems.report)) {
    const { transcripts, problems: found } = parseTranscripts(block, format, side)
    for (const problem of found) problems.report({ ...problem, where: `${shownPath}:${problem.where}` })
    for (const transcript of ids === null ? [] : transcripts) ids?.add(transcript)
    isEmpty &&= transcripts.length === 0
    yield { transcripts, bytesRead: block.bytesRead }
  }
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
