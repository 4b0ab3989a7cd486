import { basename, extname, resolve } from 'node:path'
import type { Outcome } from '#prelude'
import { errorRate, findProfile, scorePair, type TimedText } from '#scoring'
import { timedTextSchema } from '#scoring/shapes'
import { readTimes, type TimesByRecording, timesEndings } from '#transcripts/times'
import type { Check } from '../manifest/check.ts'
import { readTextFile } from '../texts/text-file.ts'
import type { Utterance } from './utterance.ts'

/** The times of a reference as its line gives them: themselves, or the absolute path of a file. */
export type GivenTimes = { readonly parts: readonly TimedText[] } | { readonly path: string }

const wanted = `a file (${timesEndings.join(', ')}), or a list of { "text": …, "startSeconds": …, "endSeconds": … }`

/** @param folder absolute; where the path of a file starts */
export function checkTimes(value: unknown, folder: string): Check<GivenTimes> {
  if (typeof value === 'string') {
    const ending = extname(value).toLowerCase()
    const isKnown = timesEndings.some((known) => known.toLowerCase() === ending)
    return isKnown && !value.includes('\0')
      ? { value: { path: resolve(folder, value) } }
      : { problem: `"times" is ${JSON.stringify(value)}; it has to be ${wanted}` }
  }
  const parsed = timedTextSchema.array().safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')})`
    return { problem: `"times" has to be ${wanted}${where}` }
  }
  return { value: { parts: parsed.data } }
}

/** Words of other speech than the reference; more than this share of its characters is another recording. */
const mostOtherCharacters = 0.5

/** What times cannot be compared with: out of order, negative, or of another text. */
export function timesFault(
  { text, alternatives }: Pick<Utterance, 'text' | 'alternatives'>,
  times: readonly TimedText[],
): string | null {
  if (times.length === 0) return 'times no word'
  const problem = orderFault(times)
  if (problem !== null) return problem
  const hypothesis = times.map((part) => part.text).join(' ')
  const basic = findProfile('basic')
  const isOfText = [text, ...alternatives].some((reference) => {
    const rate = errorRate(scorePair({ reference, hypothesis }, basic).characters)
    return rate !== null && rate <= mostOtherCharacters
  })
  return isOfText ? null : `times other words than "text" has: “${beginningOf(hypothesis)}”`
}

function orderFault(times: readonly TimedText[]): string | null {
  const early = times.findIndex(({ startSeconds, endSeconds }, at) => {
    const before = times[at - 1]?.startSeconds ?? 0
    return startSeconds < before || endSeconds < startSeconds
  })
  const part = times[early]
  if (part === undefined) return null
  const { text, startSeconds, endSeconds } = part
  return `has “${text}” from ${startSeconds} to ${endSeconds} s: write them in the order of speech, each with its end after its start`
}

function beginningOf(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`
}

/** Reads files of times. One file may have the times of many utterances, so each is read once. */
export function timesReader(): (
  path: string,
  utterance: Utterance,
) => Promise<{ readonly times: readonly TimedText[] } | { readonly problem: string }> {
  const files = new Map<string, Promise<Outcome<TimesByRecording, string>>>()
  return async (path, utterance) => {
    const name = basename(path)
    const reading = files.get(path) ?? readFile(path)
    files.set(path, reading)
    const read = await reading
    if (!read.ok) return { problem: `"times": ${name} ${read.failure}` }
    const audio = basename(utterance.audioPath, extname(utterance.audioPath))
    const times = read.value.get(null) ?? read.value.get(utterance.id) ?? read.value.get(audio)
    if (times === undefined) return { problem: `"times": ${name} has no words of ${utterance.id}` }
    const problem = timesFault(utterance, times)
    return problem === null ? { times } : { problem: `"times": ${name} ${problem}` }
  }
}

async function readFile(path: string): Promise<Outcome<TimesByRecording, string>> {
  try {
    const { lines, problems } = await readTextFile(path, basename(path))
    const [problem] = problems
    if (problem !== undefined) return { ok: false, failure: problem.what }
    return readTimes(lines.map(({ text }) => text).join('\n'), path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return { ok: false, failure: error.code === 'ENOENT' ? 'is missing' : `cannot be read: ${error.message}` }
  }
}
