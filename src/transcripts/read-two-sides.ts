import type { Problem } from '#prelude'
import { type RowFormat, startTranscripts } from './formats.ts'
import type { Input } from './input.ts'
import { readLineBlocks } from './line-blocks.ts'
import { type Match, startPairing } from './pairing.ts'
import { checkIds, noLines, type ProblemList } from './problems.ts'
import type { RowNames } from './rows.ts'
import type { ParsedTranscripts, Side, Transcript } from './transcript.ts'

/** One side of what is paired: a file of many transcripts, or a folder of files. */
export type OpenedSide = { readonly side: Side; readonly shownPath: string } & (
  | { readonly input: Input; readonly format: RowFormat; readonly names: RowNames }
  | {
      readonly folder: AsyncGenerator<{
        readonly transcripts: readonly Transcript[]
        readonly bytesRead: number
      }>
    }
)

interface SideReader {
  readonly side: Side
  readonly shownPath: string
  readonly blocks: AsyncGenerator<SideBlock>
  transcriptCount: number
  bytesRead: number
  taggedCount: number
  isDone: boolean
}

interface SideBlock {
  readonly transcripts: readonly Transcript[]
  readonly bytesRead: number
  readonly taggedCount?: number | undefined
}

/**
 * Reads two files in step, so that little of one waits for the other, and yields what can be paired.
 *
 * @returns how many words have a tag that is not scored
 */
export async function* readTwoSides(
  sides: Readonly<Record<Side, OpenedSide>>,
  { problems, onNote }: { readonly problems: ProblemList; readonly onNote: (note: string) => void },
): AsyncGenerator<{ readonly pairs: readonly Match[]; readonly bytesRead: number }, number> {
  const references = startSide(sides.reference, problems)
  const hypotheses = startSide(sides.hypothesis, problems)
  const isByLine = 'format' in sides.reference && sides.reference.format === 'lines'
  const names = { reference: references.shownPath, hypothesis: hypotheses.shownPath }
  const pairing = startPairing(names, isByLine ? 'line' : 'id')
  while (!references.isDone || !hypotheses.isDone) {
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
    reader.taggedCount += next.value.taggedCount ?? 0
    const pairs = problems.count > 0 ? [] : pairing.add(reader.side, next.value.transcripts)
    for (const { hypothesis } of pairs) {
      if (hypothesis.isIgnored === true) problems.report(wantsOut(hypothesis, hypotheses.shownPath))
    }
    yield { pairs, bytesRead: references.bytesRead + hypotheses.bytesRead }
  }
  if (problems.count === 0) for (const problem of pairing.unpaired()) problems.report(problem)
  const { referenceCount, hypothesisCount } = pairing.ignored()
  if (referenceCount > 0) onNote(notScored(referenceCount, hypothesisCount, references.shownPath))
  return references.taggedCount + hypotheses.taggedCount
}

function notScored(referenceCount: number, hypothesisCount: number, shownPath: string): string {
  const segments = `${referenceCount} ${referenceCount === 1 ? 'segment' : 'segments'}`
  return `${segments} of ${shownPath} not scored, as the file asks; ${hypothesisCount} of them had a hypothesis`
}

/** What is not scored is for the references to say: else an engine could leave out what it got wrong. */
function wantsOut({ line }: Transcript, shownPath: string): Problem {
  return {
    where: `${shownPath}:${line}`,
    what: 'asks not to be scored, and its reference does not',
    hint: 'write what was recognised, or IGNORE_TIME_SEGMENT_IN_SCORING into the reference',
  }
}

function startSide(opened: OpenedSide, problems: ProblemList): SideReader {
  const { side, shownPath } = opened
  const blocks = 'folder' in opened ? opened.folder : readSide(opened, problems)
  return { side, shownPath, blocks, transcriptCount: 0, bytesRead: 0, taggedCount: 0, isDone: false }
}

async function* readSide(
  { side, shownPath, input, format, names }: Extract<OpenedSide, { readonly input: Input }>,
  problems: ProblemList,
): AsyncGenerator<SideBlock> {
  const before = problems.count
  const ids = format === 'lines' ? null : checkIds(shownPath, problems)
  let isEmpty = true
  let bytesRead = 0
  const checked = ({ transcripts, problems: found, taggedCount }: ParsedTranscripts): SideBlock => {
    for (const problem of found) problems.report({ ...problem, where: `${shownPath}:${problem.where}` })
    if (ids !== null) for (const transcript of transcripts) ids.add(transcript)
    isEmpty &&= transcripts.length === 0
    return { transcripts, bytesRead, taggedCount }
  }
  const reader = startTranscripts(format, side, names)
  for await (const block of readLineBlocks(input, problems.report)) {
    bytesRead = block.bytesRead
    yield checked(reader.push(block))
  }
  yield checked(reader.end())
  if (isEmpty && problems.count === before) problems.report({ where: shownPath, ...noLines })
}
