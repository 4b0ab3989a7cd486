import { basename, extname } from 'node:path'
import type { Problem } from '#prelude'
import { corpusErrors } from './errors.ts'
import { readTextFile, type TextLine } from './text-file.ts'
import { parseTranscripts, type Transcript } from './transcript-lines.ts'

/** What was said and what was heard, with the id or the line number that joins them. */
export interface TranscriptPair {
  readonly id: string
  readonly reference: string
  readonly hypothesis: string
}

type Side = 'reference' | 'hypothesis'

interface TranscriptFile {
  readonly shownPath: string
  readonly pairsBy: 'line' | 'id'
  readonly lines: readonly TextLine[]
  readonly transcripts: readonly Transcript[]
  readonly problems: readonly Problem[]
}

/**
 * Reads two files of transcripts and pairs them. `.jsonl` files (an object a line with `id` and `text`, or `reference`
 * and `hypothesis`) and `.trn` files (`the words (id)`) are paired by id, in the order of the references; all others
 * line by line, where a blank line is an empty transcript and the line's number is its id.
 *
 * @returns every reference with its hypothesis; nothing is left out
 * @throws BenchError TRANSCRIPTS_UNREADABLE with everything at once: files that cannot be opened, lines that are not
 *   UTF-8 or not of their format, ids that stand twice or on one side only, different numbers of lines
 */
export async function readTranscripts(
  referencePath: string,
  hypothesisPath: string,
): Promise<readonly TranscriptPair[]> {
  const [shownReference, shownHypothesis] = shortNames(referencePath, hypothesisPath)
  const references = await openTranscripts(referencePath, shownReference, 'reference')
  const hypotheses = await openTranscripts(hypothesisPath, shownHypothesis, 'hypothesis')
  const problems = [...references.problems, ...hypotheses.problems]
  if (problems.length === 0) problems.push(...findUnpaired(references, hypotheses))
  if (problems.length > 0) {
    throw corpusErrors.make('TRANSCRIPTS_UNREADABLE', {
      message: `${referencePath} and ${hypothesisPath} cannot be paired: nothing was scored`,
      hint: 'plain text is paired by line; to pair by id, write {"id": "…", "text": "…"} a line into files named .jsonl',
      problems,
    })
  }
  const byId = new Map(hypotheses.transcripts.map(({ id, text }) => [id, text]))
  return references.transcripts.map(({ id, text }) => ({
    id,
    reference: text,
    hypothesis: byId.get(id) ?? '',
  }))
}

/** File names where they tell the files apart, else the paths as they were given. */
function shortNames(left: string, right: string): readonly [string, string] {
  const names = [basename(left), basename(right)] as const
  return names[0] === names[1] ? [left, right] : names
}

async function openTranscripts(path: string, shownPath: string, side: Side): Promise<TranscriptFile> {
  const pairsBy = ['.jsonl', '.ndjson', '.json', '.trn'].includes(extname(path)) ? 'id' : 'line'
  try {
    const { lines, problems } = await readTextFile(path, shownPath)
    const parsed = parseTranscripts(lines, { extension: extname(path), side, shownPath })
    const isEmpty = lines.length === 0 && problems.length === 0
    return {
      shownPath,
      pairsBy,
      lines,
      transcripts: parsed.transcripts,
      problems: isEmpty ? [{ where: shownPath, what: 'has no lines' }] : [...problems, ...parsed.problems],
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    const what = error.code === 'ENOENT' ? 'is missing' : `cannot be opened: ${error.message}`
    return { shownPath, pairsBy, lines: [], transcripts: [], problems: [{ where: path, what }] }
  }
}

function findUnpaired(references: TranscriptFile, hypotheses: TranscriptFile): readonly Problem[] {
  if (references.pairsBy !== hypotheses.pairsBy) {
    const [byLine, byId] = references.pairsBy === 'line' ? [references, hypotheses] : [hypotheses, references]
    return [
      {
        where: byLine.shownPath,
        what: `is paired by line, and ${byId.shownPath} by id: give both in one format`,
      },
    ]
  }
  if (references.pairsBy === 'line') return findUnevenEnd(references, hypotheses)
  return [...findWithoutPartner(references, hypotheses), ...findWithoutPartner(hypotheses, references)]
}

function findUnevenEnd(references: TranscriptFile, hypotheses: TranscriptFile): readonly Problem[] {
  const [shorter, longer] =
    references.lines.length < hypotheses.lines.length ? [references, hypotheses] : [hypotheses, references]
  const [few, many] = [shorter.lines.length, longer.lines.length]
  if (few === many) return []
  return [
    {
      where: `${longer.shownPath}:${few + 1}`,
      what: `${longer.shownPath} has ${many} lines and ${shorter.shownPath} ${few}: from here on there is no partner`,
    },
  ]
}

function findWithoutPartner(file: TranscriptFile, other: TranscriptFile): readonly Problem[] {
  const partners = new Set(other.transcripts.map(({ id }) => id))
  return file.transcripts
    .filter(({ id }) => !partners.has(id))
    .map(({ id, line }) => ({
      where: `${file.shownPath}:${line}`,
      what: `the id "${id}" is not in ${other.shownPath}`,
    }))
}
