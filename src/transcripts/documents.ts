import { readdir } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import { type Problem, parseForeignJson } from '#prelude'
import type { CaptionRule, DocumentFormat, TranscriptFormat } from './formats.ts'
import { fileInput, type Input, readLineBlocks, readWholeText, unreadable } from './input.ts'
import type { Transcript } from './rows.ts'
import {
  beginsAsWhisper,
  type Captions,
  hasTimedLines,
  readCaptions,
  readTimedLines,
  readWhisper,
  textOfCues,
} from './timed-texts.ts'

/** Files of one transcript each: those that are, and plain text in a folder. */
type SingleFormat = DocumentFormat | 'lines'

/** The files of one kind in a folder and below. */
export interface DocumentFolder {
  readonly format: SingleFormat
  /** `.txt` */
  readonly ending: string
  /** The id is the name in the folder without the ending: the same on both sides. */
  readonly files: readonly { readonly id: string; readonly input: Input }[]
  /** Files of another ending, which are not read. */
  readonly otherCount: number
}

// In this order: Whisper writes all of them for every recording, and they hold the same text.
const endings: readonly (readonly [string, SingleFormat])[] = [
  ['.txt', 'lines'],
  ['.json', 'whisper'],
  ['.vtt', 'vtt'],
  ['.srt', 'srt'],
]

/**
 * Lists the files of a folder that hold a transcript each: those of the first ending that there is of .txt, .json, .vtt
 * and .srt, or of the format that is asked for.
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
  const kind = endings.find(
    ([ending, each]) =>
      (format === undefined || format === each) && all.some((name) => endingOf(name) === ending),
  )
  if (kind === undefined) {
    const wanted = endings.filter(([, each]) => format === undefined || format === each)
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

/** The files in a folder and below, with `/` between the steps of their paths, sorted. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const below = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
  return below.sort()
}

/** Reads the transcripts of a folder, some files at a time; problems name the files. */
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

/** The one transcript of a file, which has the name of the file as its id. */
export function makeTranscript(id: string, text: string, file: string): Transcript {
  return { id, text, speaker: null, tags: {}, line: 1, file }
}

/** The id of a file that is a transcript by itself. */
export function documentId({ path }: Input): string {
  return basename(path, extname(path))
}

/** How documents are read, and who hears of it. */
export interface DocumentEvents {
  readonly captions: CaptionRule
  readonly report: (problem: Problem) => void
  /** What was done, or is to be known, of a file. */
  readonly onNote: (note: string) => void
}

/**
 * Reads a file as one transcript.
 *
 * @returns text null where the file is not what its format requires, which is reported
 */
export async function readDocument(
  input: Input,
  format: SingleFormat,
  { captions: rule, report, onNote }: DocumentEvents,
): Promise<{ readonly text: string | null; readonly bytesRead: number }> {
  const { text, bytesRead } = await readWholeText(input, report)
  if (format === 'lines' && !hasTimedLines(text)) return { text: text.replace(/\s+/g, ' ').trim(), bytesRead }
  const read =
    format === 'whisper' || format === 'lines'
      ? whisperText(text, rule)
      : (readCaptions(text, format, rule) ?? noSubtitles)
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

/** Whether a file holds a transcript of Whisper, by its first block: JSON, or in a text the lines that its programs print. */
export async function isWhisperFile(input: Input): Promise<boolean> {
  const isJson = extname(input.path).toLowerCase() === '.json'
  // The reader of the file reports what is wrong with it.
  for await (const { text } of readLineBlocks(input, () => {}))
    return isJson ? beginsAsWhisper(text) : hasTimedLines(text)
  return false
}
