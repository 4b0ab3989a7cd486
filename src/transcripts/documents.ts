import { readdir } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { type Problem, parseForeignJson } from '#prelude'
import type { CaptionRule, DocumentFormat, TranscriptFormat } from './formats.ts'
import { fileInput, type Input, readLineBlocks, readWholeText, unreadable } from './input.ts'
import type { Transcript } from './rows.ts'
import {
  beginsAsWhisper,
  type Captions,
  findSubtitles,
  hasTimedLines,
  readCaptions,
  readTimedLines,
  readWhisper,
  textOfCues,
} from './timed-texts.ts'

/** Formats of files with one transcript each, including plain text in a folder. */
type SingleFormat = DocumentFormat | 'lines'

/** The files of one format in a folder and its subfolders. */
export interface DocumentFolder {
  readonly format: SingleFormat
  /** File-name ending, such as `.txt`. */
  readonly ending: string
  /** Each id is the path in the folder without the ending, which is the same on both sides. */
  readonly files: readonly { readonly id: string; readonly input: Input }[]
  /** Number of files with another ending, which are not read. */
  readonly otherCount: number
}

// The first ending that is found wins, because Whisper writes all of them with the same text for every recording.
const endings: readonly (readonly [string, SingleFormat])[] = [
  ['.txt', 'lines'],
  ['.json', 'whisper'],
  ['.vtt', 'vtt'],
  ['.srt', 'srt'],
]

/**
 * Lists the files of a folder that hold one transcript each: those with the first ending found of .txt, .json, .vtt
 * and .srt, or those of the requested format.
 *
 * @returns null for a folder without such files, which is reported
 */
export async function openFolder(
  { path, shownPath }: Input,
  format: TranscriptFormat | undefined,
  report: (problem: Problem) => void,
): Promise<DocumentFolder | null> {
  const all = await listFiles(path).catch((error: unknown) => {
    report({ where: shownPath, what: unreadable(error) })
    return null
  })
  if (all === null) return null
  const endingOf = (name: string): string => extname(name).toLowerCase()
  const wanted = endings.filter(([, each]) => format === undefined || format === each)
  const kind = wanted.find(([ending]) => all.some((name) => endingOf(name) === ending))
  if (kind === undefined) {
    report({
      where: shownPath,
      what: 'is a folder without transcripts',
      hint:
        wanted.length === 0
          ? `a folder holds one transcript a file: ${endings.map(([ending]) => ending).join(', ')}`
          : `put one transcript a file into it, as ${wanted.map(([ending]) => ending).join(', ')}, or name a file`,
    })
    return null
  }
  const [ending, found] = kind
  const names = all.filter((name) => endingOf(name) === ending)
  return {
    format: found,
    ending,
    files: names.map((name) => ({
      id: name.slice(0, -ending.length),
      input: fileInput(join(path, name), `${shownPath.replace(/[\\/]+$/, '')}/${name}`, null),
    })),
    otherCount: all.length - names.length,
  }
}

/** Lists the files in a folder and its subfolders, with `/` between the parts of their paths, sorted. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const below = entries
    // macOS writes the attributes of a file to a hidden companion with its ending.
    .filter((entry) => entry.isFile() && !entry.name.startsWith('._'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
  return below.sort()
}

/** Reads the transcripts of a folder; problems name the files. */
export async function* readFolder(
  { files, format }: DocumentFolder,
  events: DocumentEvents,
): AsyncGenerator<{ readonly transcripts: readonly Transcript[]; readonly bytesRead: number }> {
  let bytesRead = 0
  for (const { id, input } of files) {
    const document = await readDocument(input, format, events)
    bytesRead += document.bytesRead
    if (document.text !== null) {
      yield { transcripts: [makeTranscript(id, document.text, input.shownPath)], bytesRead }
    }
  }
}

/** Makes the transcript of a file, whose name is its id. */
export function makeTranscript(id: string, text: string, file: string): Transcript {
  return { id, text, speaker: null, tags: {}, line: 1, file }
}

/** Options for reading documents, and callbacks. */
export interface DocumentEvents {
  readonly captions: CaptionRule
  readonly report: (problem: Problem) => void
  /** Receives notes about a file, such as what was skipped. */
  readonly onNote: (note: string) => void
}

/**
 * Reads a file as one transcript.
 *
 * @returns a null text for a file that violates its format, which is reported
 */
export async function readDocument(
  input: Input,
  format: SingleFormat,
  { captions: rule, report, onNote }: DocumentEvents,
): Promise<{ readonly text: string | null; readonly bytesRead: number }> {
  const { text, bytesRead } = await readWholeText(input, report)
  const found = format === 'lines' ? documentFormat(text) : format
  if (found === null) return { text: text.replace(/\s+/g, ' ').trim(), bytesRead }
  const read =
    found === 'whisper' ? whisperText(text, rule) : (readCaptions(text, found, rule) ?? noSubtitles)
  if (typeof read === 'string') return { text: read, bytesRead }
  if ('what' in read) {
    report({ where: input.shownPath, ...read })
    return { text: null, bytesRead }
  }
  for (const note of read.notes) onNote(`${input.shownPath}: ${note}`)
  return { text: textOfCues(read.cues), bytesRead }
}

const noSubtitles: Omit<Problem, 'where'> = {
  what: 'holds no subtitles',
  hint: 'a line of times begins each: 00:00:01,000 --> 00:00:03,500; an empty file says that nothing was recognised',
}

function whisperText(text: string, rule: CaptionRule): string | Captions | Omit<Problem, 'where'> {
  if (hasTimedLines(text)) return readTimedLines(text, rule)
  const hint =
    'it holds {"text": …}, {"segments": […]}, {"transcription": […]}, or lines [00:00.000 --> 00:01.250] …; ' +
    'rows of JSON are named .jsonl'
  try {
    return readWhisper(parseForeignJson(text)) ?? { what: 'is no transcript of Whisper', hint }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { what: `is not JSON: ${error.message}`, hint }
  }
}

/** The format of text with times: what Whisper's programs print, or subtitles; null for other text. */
function documentFormat(text: string): DocumentFormat | null {
  return hasTimedLines(text) ? 'whisper' : findSubtitles(text)
}

/** The format that a file of JSON or text has by its first block, if it is a single transcript; else null. */
export async function findDocumentFormat(input: Input): Promise<DocumentFormat | null> {
  const isJson = extname(input.path).toLowerCase() === '.json'
  // The later reading of the file reports its problems.
  for await (const { text } of readLineBlocks(input, () => {})) {
    if (!isJson) return documentFormat(text)
    return beginsAsWhisper(text) ? 'whisper' : null
  }
  return null
}
