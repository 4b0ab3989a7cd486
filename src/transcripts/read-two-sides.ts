import type { Problem } from '#prelude'
import { counted } from '#prelude'
import { type RowFormat, startTranscripts } from './formats.ts'
import { type Input, readLineBlocks } from './input.ts'
import { idChecker, noLines, type ProblemList, wantsOut } from './problems.ts'
import type { ParsedTranscripts, RowNames, Side, Transcript, TranscriptPair } from './rows.ts'

/** One side of the pairs: a file with many transcripts, or a folder of files. */
export type OpenedSide = { readonly side: Side; readonly shownPath: string } & (
  | { readonly input: Input; readonly format: RowFormat; readonly names: RowNames }
  | {
      readonly folder: AsyncGenerator<{
        readonly transcripts: readonly Transcript[]
        readonly bytesRead: number
      }>
    }
)

interface SideBlock {
  readonly transcripts: readonly Transcript[]
  readonly bytesRead: number
  readonly taggedCount?: number | undefined
}

/** Paired references and hypotheses, and the number of bytes read so far. */
export interface PairBlock {
  readonly pairs: readonly TranscriptPair[]
  readonly bytesRead: number
}

/**
 * Reads two files in parallel, so that few transcripts wait for a partner, and yields pairs.
 *
 * @returns number of words with a tag that is not scored
 */
export async function* readTwoSides(
  sides: Readonly<Record<Side, OpenedSide>>,
  { problems, onNote }: { readonly problems: ProblemList; readonly onNote: (note: string) => void },
): AsyncGenerator<PairBlock, number> {
  const references = startSide(sides.reference, problems)
  const hypotheses = startSide(sides.hypothesis, problems)
  const readers = [references, hypotheses] as const
  const isByLine = readers.some(({ format }) => format === 'lines')
  // Ids of trn files have no case, so a partner in another format is found without regard to case.
  const hasNoCase = readers.some(({ format }) => format === 'trn')
  const pairing = startPairing()
  while (!references.isDone || !hypotheses.isDone) {
    const isReference =
      hypotheses.isDone || (!references.isDone && references.transcriptCount <= hypotheses.transcriptCount)
    const [reader, other] = isReference ? readers : [hypotheses, references]
    const next = await reader.blocks.next()
    if (next.done === true) {
      reader.isDone = true
      continue
    }
    const transcripts = hasNoCase ? next.value.transcripts.map(withoutCase) : next.value.transcripts
    if (!isByLine) transcripts.forEach(reader.checkId)
    reader.transcriptCount += transcripts.length
    reader.bytesRead = next.value.bytesRead
    reader.taggedCount += next.value.taggedCount ?? 0
    // Lines behind the end of the other file have no partner, and are only counted.
    const isBehind =
      isByLine && other.isDone && other.transcriptCount <= reader.transcriptCount - transcripts.length
    const pairs = problems.count > 0 || isBehind ? [] : pairing.add(reader.side, transcripts)
    for (const { hypothesis } of pairs) {
      if (hypothesis.isIgnored === true) problems.report(wantsOut(hypothesis, hypotheses.shownPath))
    }
    yield { pairs, bytesRead: references.bytesRead + hypotheses.bytesRead }
  }
  const unpaired = (): readonly Problem[] =>
    isByLine ? unevenEnd(readers) : pairing.unpaired([references.shownPath, hypotheses.shownPath])
  if (problems.count === 0) unpaired().forEach(problems.report)
  const { referenceCount, hypothesisCount } = pairing.ignored()
  if (referenceCount > 0) {
    const segments = `${counted(referenceCount, 'segment')} of ${references.shownPath}`
    onNote(`${segments} not scored, as the file asks; ${hypothesisCount} of them had a hypothesis`)
  }
  return references.taggedCount + hypotheses.taggedCount
}

function withoutCase(transcript: Transcript): Transcript {
  return { ...transcript, id: transcript.id.toLowerCase() }
}

function startSide(opened: OpenedSide, problems: ProblemList) {
  const { side, shownPath } = opened
  const blocks: AsyncGenerator<SideBlock> = 'folder' in opened ? opened.folder : readSide(opened, problems)
  const format = 'folder' in opened ? null : opened.format
  const checkId = idChecker(shownPath, problems)
  return {
    side,
    shownPath,
    format,
    blocks,
    checkId,
    transcriptCount: 0,
    bytesRead: 0,
    taggedCount: 0,
    isDone: false,
  }
}

async function* readSide(
  { side, shownPath, input, format, names }: Extract<OpenedSide, { readonly input: Input }>,
  problems: ProblemList,
): AsyncGenerator<SideBlock> {
  const before = problems.count
  let isEmpty = true
  let bytesRead = 0
  const checked = ({ transcripts, problems: found, taggedCount }: ParsedTranscripts): SideBlock => {
    for (const problem of found) problems.report({ ...problem, where: `${shownPath}:${problem.where}` })
    isEmpty &&= transcripts.length === 0
    return { transcripts, bytesRead, taggedCount }
  }
  const reader = await startTranscripts(format, side, names)
  for await (const block of readLineBlocks(input, problems.report)) {
    bytesRead = block.bytesRead
    yield checked(reader.push(block))
  }
  yield checked(reader.end())
  if (isEmpty && problems.count === before) problems.report({ where: shownPath, ...noLines })
}

/** Pairs two streams of transcripts. Transcripts wait where one stream is ahead or in another order. */
interface Pairing {
  /** @returns new pairs, in the order of the references */
  add(side: Side, transcripts: readonly Transcript[]): readonly TranscriptPair[]
  /** Reports transcripts without a partner, after both sides have ended. */
  unpaired(names: readonly [reference: string, hypothesis: string]): readonly Problem[]
  /** Counts references that are excluded from scoring, and how many of them have a hypothesis. */
  ignored(): { readonly referenceCount: number; readonly hypothesisCount: number }
}

function startPairing(): Pairing {
  const references = new Map<string, Transcript>()
  const hypotheses = new Map<string, Transcript>()
  /** Ids of references that are excluded from scoring. */
  const ignored = new Set<string>()
  let ignoredHypotheses = 0
  const wait = (side: Side, transcript: Transcript): void => {
    const { id, isIgnored = false } = transcript
    if (side === 'reference' && isIgnored) {
      ignored.add(id)
      if (hypotheses.delete(id)) ignoredHypotheses += 1
    } else if (side === 'hypothesis' && ignored.has(id)) ignoredHypotheses += 1
    else if (side === 'reference') references.set(id, transcript)
    else hypotheses.set(id, transcript)
  }
  return {
    add(side, transcripts) {
      for (const transcript of transcripts) wait(side, transcript)
      return takeMatches(references, hypotheses)
    },
    unpaired: ([reference, hypothesis]) => [
      ...withoutPartner(references, hypotheses, [reference, hypothesis]),
      ...withoutPartner(hypotheses, references, [hypothesis, reference]),
    ],
    ignored: () => ({ referenceCount: ignored.size, hypothesisCount: ignoredHypotheses }),
  }
}

function takeMatches(
  references: Map<string, Transcript>,
  hypotheses: Map<string, Transcript>,
): readonly TranscriptPair[] {
  const matches: TranscriptPair[] = []
  // A Map iterates in insertion order, so the first entry is the next one in the file.
  for (const [id, reference] of references) {
    const hypothesis = hypotheses.get(id)
    if (hypothesis === undefined) break
    references.delete(id)
    hypotheses.delete(id)
    matches.push({ reference, hypothesis })
  }
  return matches
}

function unevenEnd(
  sides: readonly { readonly shownPath: string; readonly transcriptCount: number }[],
): readonly Problem[] {
  const [shorter, longer] = sides
    .map(({ shownPath: name, transcriptCount: count }) => ({ name, count }))
    .sort((a, b) => a.count - b.count)
  if (shorter === undefined || longer === undefined || shorter.count === longer.count) return []
  return [
    {
      where: `${longer.name}:${shorter.count + 1}`,
      what: `${longer.name} has ${longer.count} lines and ${shorter.name} ${shorter.count}: no partner from here on`,
      hint:
        'plain text is paired by line, and a blank line is an empty transcript; to pair by id, write ' +
        '{"id": "…", "text": "…"} a line into files named .jsonl',
    },
  ]
}

function withoutPartner(
  those: ReadonlyMap<string, Transcript>,
  others: ReadonlyMap<string, Transcript>,
  [name, otherName]: readonly [string, string],
): readonly Problem[] {
  // Transcripts after the first one without a partner may still wait together with their partners.
  return [...those.values()]
    .filter(({ id }) => !others.has(id))
    .map(({ id, line, file }) => ({
      where: file ?? `${name}:${line}`,
      what: `the id "${id}" is not in ${otherName}`,
      hint:
        file === undefined
          ? 'write "hypothesis": null, or an empty text, for an utterance that an engine did not answer'
          : 'write an empty file for a recording that an engine did not answer',
    }))
}
