import type { Problem } from '#prelude'
import { type AssignedWords, assignWords, parseCtm, parseStm, type Segment, type TimedWord } from '#scoring'
import { readLineBlocks } from './line-blocks.ts'
import { type Transcript, transcriptOf } from './transcript-lines.ts'
import { checkIds, type ProblemList } from './transcript-problems.ts'

/** A file, and how problems name it. */
interface NamedFile {
  readonly path: string
  readonly shownPath: string
}

/** Segments with the words that were recognised in them, and what is not scored and why. */
export interface TimedTranscripts {
  readonly pairs: readonly { readonly reference: Transcript; readonly hypothesis: Transcript }[]
  readonly bytesRead: number
  readonly notes: readonly string[]
}

/**
 * Reads segments (stm) and words with their times (ctm), and gives each word to the segment that its middle lies in.
 * Both are held in memory: times put no order between two files.
 */
export async function readTimed(
  references: NamedFile,
  hypotheses: NamedFile,
  problems: ProblemList,
): Promise<TimedTranscripts> {
  const said = await readParts(references, problems, (text, line) => {
    const { segments, problems: found } = parseStm(text, line)
    return { parts: segments, problems: found }
  })
  // Whether words overlap is seen over the whole file.
  let wholeText = ''
  const heard = await readParts(hypotheses, problems, (text) => {
    wholeText += text
    return { parts: [], problems: [] }
  })
  const { words, problems: wrongWords } = parseCtm(wholeText)
  reportAt(hypotheses, problems, wrongWords)
  const ids = checkIds(references.shownPath, problems)
  for (const segment of said.parts) ids.add(segment)
  const { segments, hypotheses: texts, outside, ignored } = assignWords(said.parts, words)
  reportAt(
    hypotheses,
    problems,
    outside.map((word) => outsideOf(word, references.shownPath)),
  )
  return {
    pairs: segments.map((segment, index) => ({
      reference: transcriptOf(segment),
      hypothesis: transcriptOf(texts[index] as Segment),
    })),
    bytesRead: said.bytesRead + heard.bytesRead,
    notes: ignored.segmentCount === 0 ? [] : [leftOut(ignored, references.shownPath)],
  }
}

function leftOut({ segmentCount, wordCount }: AssignedWords['ignored'], shownPath: string): string {
  const [asks, it] = segmentCount === 1 ? ['segment of', 'asks'] : ['segments of', 'ask']
  const [words, lie] = wordCount === 1 ? ['word', 'lies'] : ['words', 'lie']
  const there = segmentCount === 1 ? 'it' : 'them'
  return `${segmentCount} ${asks} ${shownPath} ${it} not to be scored; ${wordCount} recognised ${words} ${lie} in ${there}`
}

function reportAt({ shownPath }: NamedFile, problems: ProblemList, found: readonly Problem[]): void {
  for (const problem of found) problems.report({ ...problem, where: `${shownPath}:${problem.where}` })
}

function outsideOf({ word, startSeconds, line }: TimedWord, references: string): Problem {
  return {
    where: String(line),
    what: `“${word}” at ${startSeconds} s lies in no segment of ${references}`,
    hint: 'add a segment there: one without words where nothing was said, or IGNORE_TIME_SEGMENT_IN_SCORING',
  }
}

async function readParts<Part>(
  file: NamedFile,
  problems: ProblemList,
  parse: (
    text: string,
    firstLine: number,
  ) => { readonly parts: readonly Part[]; readonly problems: readonly Problem[] },
): Promise<{ readonly parts: readonly Part[]; readonly bytesRead: number }> {
  const parts: Part[] = []
  const before = problems.count
  let bytesRead = 0
  for await (const block of readLineBlocks(file.path, file.shownPath, problems.report)) {
    const parsed = parse(block.text, block.firstLine)
    for (const part of parsed.parts) parts.push(part)
    reportAt(file, problems, parsed.problems)
    bytesRead = block.bytesRead
  }
  if (bytesRead === 0 && problems.count === before) {
    problems.report({ where: file.shownPath, what: 'has no lines' })
  }
  return { parts, bytesRead }
}
