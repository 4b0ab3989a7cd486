import { extname, parse } from 'node:path'
import { counted, defineErrors, type ErrorTable, type Problem } from '#prelude'
import type { Utterance } from '#scoring/read-pair'
import type { DocumentEvents } from './documents.ts'
import {
  type CaptionRule,
  formatOfName,
  isDocumentFormat,
  type RowFormat,
  startRows,
  type TranscriptFormat,
} from './formats.ts'
import { type Input, inspectInputs, readLineBlocks, standardInput } from './input.ts'
import { idChecker, noLines, type ProblemList, startProblems } from './problems.ts'
import { type OpenedSide, type PairBlock, readTwoSides } from './read-two-sides.ts'
import type { NumberedRow, RowNames, Side, TranscriptPair } from './rows.ts'

/** The files to read, and options. */
export interface TranscriptSource {
  /** Path of a file or a folder; `-` for standard input. */
  readonly reference: string
  /** Null where one file of JSON Lines, or one table, has both. */
  readonly hypothesis: string | null
  /** Format of both sides or of each; default: by the files' names and first bytes. */
  readonly format?: TranscriptFormat | Readonly<Partial<Record<Side, TranscriptFormat>>> | undefined
  /** Treatment of captions that roll up; default: `keep`. */
  readonly captions?: CaptionRule | undefined
  /** Format of a file whose name does not tell it; default: `lines`. */
  readonly formatOfUnknown?: TranscriptFormat | undefined
  /** Names of fields in JSON Lines and of columns in tables. */
  readonly names?: RowNames | undefined
  /** Read where a path is `-`. */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined
}

export interface ReadingProgress {
  readonly bytesRead: number
  /** Null where standard input or a folder is read. */
  readonly bytesTotal: number | null
  readonly pairCount: number
}

/** Callbacks of the reading. */
export interface ReadingEvents {
  readonly onProgress?: (progress: ReadingProgress) => void
  /** Receives the lenient rules that were applied, with their counts. */
  readonly onNote?: (note: string) => void
}

/**
 * Reads transcripts and pairs them, in blocks, in the order of the references. Plain text is paired by line, and
 * its line number is its id; a blank line is an empty transcript. Timed words (ctm) are paired by the segments
 * (stm) that contain them, files of one transcript as a whole, and everything else by id. Memory grows with the
 * ids, and with the transcripts that wait for a partner where two files differ in order.
 *
 * @returns blocks of pairs, every reference with its hypothesis. After an error, the blocks so far are incomplete
 *   and must not be used
 * @throws BenchError TRANSCRIPTS_UNREADABLE with everything at once: files that cannot be opened, lines that are not
 *   UTF-8 or not of their format, ids that are used twice or on one side only, different numbers of lines
 */
export async function* readPairs(
  source: TranscriptSource,
  { onProgress = () => {}, onNote = () => {} }: ReadingEvents = {},
): AsyncGenerator<readonly Utterance[]> {
  const problems = startProblems()
  const paths = [source.reference, ...(source.hypothesis === null ? [] : [source.hypothesis])]
  const inputs = await inspectInputs(paths, source.stdin, problems.report)
  const opened: Opened | null = inputs === null ? null : await openInputs(inputs, source, problems)
  if (opened !== null && problems.count === 0) {
    const bytesTotal = totalBytes(opened.inputs)
    let pairCount = 0
    for await (const { pairs, bytesRead } of readOpened(opened, source, { problems, onNote })) {
      pairCount += pairs.length
      onProgress({ bytesRead, bytesTotal, pairCount })
      if (pairs.length > 0 && problems.count === 0) yield pairs.map(makeUtterance)
    }
  }
  if (problems.count > 0) throw unreadable(paths, problems.all())
}

function totalBytes(inputs: readonly Input[]): number | null {
  const sizes = inputs.map(({ sizeBytes }) => sizeBytes)
  return sizes.reduce<number | null>((sum, size) => (sum === null || size === null ? null : sum + size), 0)
}

function unreadable(paths: readonly string[], problems: readonly Problem[]): Error {
  const isOne = paths.length === 1
  return transcriptErrors.make('TRANSCRIPTS_UNREADABLE', {
    message: `${paths.join(' and ')} cannot be ${isOne ? 'read' : 'paired'}: nothing was scored`,
    hint: isOne
      ? 'one file alone holds objects {"id": "…", "reference": "…", "hypothesis": "…"}, one a line, or a table of such rows'
      : 'correct what is listed and run the command again; how files are paired: transcribench explain TRANSCRIPTS_UNREADABLE',
    problems,
  })
}

interface Reading extends DocumentEvents {
  readonly problems: ProblemList
}

/** The files with their detected formats. */
interface Opened {
  readonly inputs: readonly Input[]
  readonly kind: 'one' | 'timed' | 'segments' | 'documents' | 'sides'
  /** Formats of the two sides; of one file only the first. */
  readonly formats: readonly (TranscriptFormat | 'folder')[]
}

async function openInputs(
  inputs: readonly Input[],
  source: TranscriptSource,
  problems: ProblemList,
): Promise<Opened | null> {
  // A single file has objects, unless its name implies another format.
  const { format, formatOfUnknown = 'lines' } = source
  const unknown = inputs.length === 1 ? 'jsonl' : formatOfUnknown
  const detected = await Promise.all(
    inputs.map((input, index) => detectFormat(input, askedFormat(format, index))),
  )
  const formats = detected.map(
    (each, index) => each ?? formatOfStream(inputs[index], index, detected[1 - index]) ?? unknown,
  )
  const [said, heard] = formats
  const [first, second] = inputs.map(({ shownPath }) => shownPath)
  const opened = (kind: Opened['kind']): Opened => ({ inputs, kind, formats })
  if (heard === undefined) return opened('one')
  // With --format ctm, only the hypotheses are ctm.
  if (said === 'ctm' || heard === 'ctm') {
    if ((said === 'stm' || format === 'ctm') && heard === 'ctm') return opened('timed')
    problems.report({
      where: (said === 'ctm' ? first : second) ?? null,
      what: 'holds words by time',
      hint: 'give the segments as an stm file first, then the ctm: transcribench wer ref.stm hyp.ctm',
    })
    return null
  }
  if (said === 'stm' && heard === 'stm') return opened('segments')
  const kinds = formats.map(classifyFormat)
  const isDocument = kinds.includes('document')
  if (isDocument && !kinds.includes('id')) return opened('documents')
  if (kinds[0] === kinds[1]) return opened('sides')
  const odd = kinds.findIndex((kind) => kind !== 'id')
  const [oddName, idName] = odd === 0 ? [first, second] : [second, first]
  problems.report({
    where: oddName ?? null,
    what: isDocument
      ? `is one transcript, and ${idName} holds several by id`
      : `is paired by line, and ${idName} by id`,
    hint: isDocument
      ? 'name a folder of such files, each called after the id of its utterance'
      : 'give both in one format, or say which it is: --format trn',
  })
  return null
}

function classifyFormat(format: TranscriptFormat | 'folder'): 'line' | 'id' | 'document' {
  if (format === 'lines') return 'line'
  return format !== 'folder' && isDocumentFormat(format) ? 'document' : 'id'
}

/** Standard input has no name, so its format follows from that of the other file. */
function formatOfStream(
  input: Input | undefined,
  index: number,
  other: TranscriptFormat | 'folder' | null | undefined,
): TranscriptFormat | null {
  if (input?.path !== standardInput || other === undefined || other === 'folder') return null
  if (index === 0) return other === 'ctm' ? 'stm' : other
  return other === 'stm' ? 'ctm' : other
}

/** Detects a format; null where neither the options nor the file's name tell it. */
async function detectFormat(
  input: Input,
  format: TranscriptFormat | undefined,
): Promise<TranscriptFormat | 'folder' | null> {
  if (input.isFolder) return 'folder'
  if (format !== undefined) return format
  const ending = extname(input.path).toLowerCase()
  // Loaded on demand, because most texts have no times.
  if (ending === '.json' || (ending === '.txt' && (await hasArrow(input)))) {
    const { findDocumentFormat } = await import('./documents.ts')
    const found = await findDocumentFormat(input)
    if (found !== null) return found
  }
  return formatOfName(input.path)
}

async function hasArrow(input: Input): Promise<boolean> {
  // The later reading of the file reports its problems.
  for await (const { text } of readLineBlocks(input, () => {})) return text.includes(' --> ')
  return false
}

function askedFormat(format: TranscriptSource['format'], index: number): TranscriptFormat | undefined {
  return typeof format === 'object' ? format[index === 0 ? 'reference' : 'hypothesis'] : format
}

async function* readOpened(
  { inputs, kind, formats }: Opened,
  { names = {}, format, captions = 'keep' }: TranscriptSource,
  { problems, onNote }: { readonly problems: ProblemList; readonly onNote: (note: string) => void },
): AsyncGenerator<PairBlock> {
  const reading: Reading = { problems, onNote, captions, report: problems.report }
  const [references, hypotheses] = inputs
  if (references === undefined) return
  if (hypotheses === undefined) {
    yield* readPairFile(references, { format: formats[0], names }, problems)
    return
  }
  if (kind === 'timed' || kind === 'segments') {
    const { readSegments, readTimed } = await import('./nist.ts')
    const read = kind === 'timed' ? readTimed : readSegments
    const { pairs, bytesRead, notes } = await read(references, hypotheses, problems)
    for (const note of notes) onNote(note)
    yield { pairs, bytesRead }
    return
  }
  if (kind === 'documents') {
    yield await readDocuments([references, hypotheses], formats, reading)
    return
  }
  const open = async (side: Side, index: number): Promise<OpenedSide | null> => {
    const [input, found] = [inputs[index] as Input, formats[index]]
    if (found !== 'folder')
      return { side, shownPath: input.shownPath, names, input, format: found as RowFormat }
    return await openFolderSide(input, side, askedFormat(format, index), reading)
  }
  const [reference, hypothesis] = [await open('reference', 0), await open('hypothesis', 1)]
  if (reference !== null && hypothesis !== null) {
    const tagged = yield* readTwoSides({ reference, hypothesis }, reading)
    if (tagged > 0) onNote((await import('./nist.ts')).taggedNote(tagged))
  }
}

async function readDocuments(
  inputs: readonly [Input, Input],
  formats: Opened['formats'],
  reading: Reading,
): Promise<PairBlock> {
  const { readDocument, makeTranscript } = await import('./documents.ts')
  // Files are read one after the other, so that problems have the order of the files.
  const read: Awaited<ReturnType<typeof readDocument>>[] = []
  for (const [index, input] of inputs.entries()) {
    read.push(await readDocument(input, formats[index] as 'whisper', reading))
  }
  const [reference, hypothesis] = read.map(({ text }, index) => {
    const input = inputs[index] as Input
    return makeTranscript(parse(inputs[0].path).name, text ?? '', input.shownPath)
  })
  const bytesRead = read.reduce((sum, each) => sum + each.bytesRead, 0)
  const byLine = formats.indexOf('lines')
  if (byLine >= 0) {
    const [whole, other] = [inputs[byLine] as Input, inputs[1 - byLine] as Input]
    reading.onNote(`${whole.shownPath} is read as one transcript, because ${other.shownPath} is one`)
  }
  return reference === undefined || hypothesis === undefined
    ? { pairs: [], bytesRead }
    : { pairs: [{ reference, hypothesis }], bytesRead }
}

async function openFolderSide(
  input: Input,
  side: Side,
  format: TranscriptFormat | undefined,
  reading: Reading,
): Promise<OpenedSide | null> {
  const { shownPath } = input
  const { openFolder, readFolder } = await import('./documents.ts')
  const folder = await openFolder(input, format, reading.problems.report)
  if (folder === null) return null
  if (folder.otherCount > 0) {
    const others = counted(folder.otherCount, 'file')
    reading.onNote(
      `of ${shownPath} only files ending in ${folder.ending} are read; ${others} with another ending`,
    )
  }
  return { side, shownPath, folder: readFolder(folder, reading) }
}

function makeUtterance({ reference, hypothesis }: TranscriptPair): Utterance {
  return {
    id: reference.id,
    reference: reference.text ?? '',
    hypothesis: hypothesis.text as Utterance['hypothesis'],
    speaker: reference.speaker ?? hypothesis.speaker,
    tags: { ...hypothesis.tags, ...reference.tags },
  }
}

/** Reads one file whose rows have a reference and a hypothesis each. */
async function* readPairFile(
  input: Input,
  { format, names }: { readonly format: TranscriptFormat | 'folder' | undefined; readonly names: RowNames },
  problems: ProblemList,
): AsyncGenerator<PairBlock> {
  const { shownPath } = input
  if (format !== 'jsonl' && format !== 'csv' && format !== 'tsv') {
    problems.report({ where: shownPath, what: 'is alone', hint: 'name the file of hypotheses as well' })
    return
  }
  // Loaded on demand, because most texts are plain lines.
  const { parsePairRows } = await import('./rows.ts')
  const rows = await startRows(format, 'both', names)
  const checkId = idChecker(shownPath, problems)
  const before = problems.count
  let isEmpty = true
  let bytesRead = 0
  const pairsOf = (read: readonly NumberedRow[]): readonly TranscriptPair[] => {
    const { pairs, problems: found } = parsePairRows(read, names)
    for (const problem of found) problems.report({ ...problem, where: `${shownPath}:${problem.where}` })
    for (const { reference } of pairs) checkId(reference)
    isEmpty &&= pairs.length === 0
    return pairs
  }
  for await (const block of readLineBlocks(input, problems.report)) {
    bytesRead = block.bytesRead
    yield { pairs: pairsOf(rows.push(block)), bytesRead }
  }
  yield { pairs: pairsOf(rows.end()), bytesRead }
  if (isEmpty && problems.count === before) problems.report({ where: shownPath, ...noLines })
}

/** Errors of transcript files. */
export const transcriptErrors: ErrorTable<'TRANSCRIPTS_UNREADABLE'> = defineErrors({
  TRANSCRIPTS_UNREADABLE: 'badInput',
})
