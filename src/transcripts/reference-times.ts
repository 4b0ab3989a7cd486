import { extname } from 'node:path'
import { failed, type Outcome, parseJson, succeeded } from '#prelude'
import { parseCtm, type TimedText, type TimedWord } from '#scoring/counting'
import { readTextGrid } from './text-grid.ts'
import { readWhisperTimes } from './whisper.ts'

/** Times of words or segments, by recording; `null` is the one recording of a file that names none. */
export type TimesByRecording = ReadonlyMap<string | null, readonly TimedText[]>

/** Endings of files that have times, as they are looked for next to a recording. */
export const timesEndings = ['.TextGrid', '.ctm', '.json'] as const

/**
 * Reads when words or segments are spoken: a TextGrid of Praat, NIST's ctm, or the JSON of Whisper.
 *
 * @param name of the file; its ending decides the format
 * @returns what is wrong, behind the file's name
 */
export function readTimes(text: string, name: string): Outcome<TimesByRecording, string> {
  switch (extname(name).toLowerCase()) {
    case '.textgrid':
      return ofOneRecording(readTextGrid(text))
    case '.ctm':
      return readCtmTimes(text)
    case '.json': {
      const times = readWhisperTimes(parseJson(text))
      return ofOneRecording(
        times === null ? failed('is no transcript of Whisper with times') : succeeded(times),
      )
    }
    default:
      return failed(`has another ending than ${timesEndings.join(', ')}`)
  }
}

function ofOneRecording(times: Outcome<readonly TimedText[], string>): Outcome<TimesByRecording, string> {
  return times.ok ? succeeded(new Map([[null, times.value]])) : times
}

function readCtmTimes(text: string): Outcome<TimesByRecording, string> {
  const { parts, problems } = parseCtm(text)
  const [problem] = problems
  if (problem !== undefined) return failed(`line ${problem.where}: ${problem.what}`)
  const choice = parts.find((part) => 'branches' in part)
  if (choice !== undefined)
    return failed(`line ${choice.line}: has alternatives, and a reference has one time for a word`)
  const words = parts.filter((part): part is TimedWord => !('branches' in part))
  return succeeded(
    new Map([...Map.groupBy(words, ({ file }) => file)].map(([file, own]) => [file, own.map(timedWord)])),
  )
}

/** To a microsecond: 0.1 + 0.2 is more than 0.3. */
function timedWord({ word, startSeconds, durationSeconds }: TimedWord): TimedText {
  const endSeconds = Math.round((startSeconds + durationSeconds) * 1e6) / 1e6
  return { text: word, startSeconds, endSeconds }
}
