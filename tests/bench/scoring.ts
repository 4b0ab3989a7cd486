import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { profiles } from '#scoring/profiles/index'
import { readLanguagePairs } from '../../scripts/language-pairs.ts'
import type { BenchRow } from './bench-row.ts'

/** What one task took, in a separate process: without a warm-up, its own compilation included. */
interface Measured {
  readonly seconds: number
  /** Processor time of all threads: on a busy machine it is what can be compared. */
  readonly processorSeconds: number
  readonly peakBytes: number
  /** Errors or edits: what two programmes that do the same have to agree on. */
  readonly result: number
}

async function run(...task: readonly (number | string)[]): Promise<Measured> {
  const program = fileURLToPath(import.meta.resolve('./scoring-task.ts'))
  const args = [program, ...task.map(String)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as Measured
}

const seconds = ({ seconds }: Measured): string => `${seconds.toFixed(seconds < 0.1 ? 3 : 2)} s`
const megabytes = ({ peakBytes }: Measured): string => `${(peakBytes / 1e6).toFixed(0)} MB`

interface Against {
  readonly name: string
  readonly ours: Measured
  readonly theirs: Measured
  readonly baseline: string
  readonly goalSeconds: number
  readonly goalBytes: number | null
  /** What else the value should say, as words per second. */
  readonly beside?: string
}

function rowOf({ name, ours, theirs, baseline, goalSeconds, goalBytes, beside }: Against): BenchRow {
  const memory = goalBytes === null ? '' : ` and ${(goalBytes / 1e6).toFixed(0)} MB`
  const isInMemory = goalBytes === null || ours.peakBytes < goalBytes
  return {
    name,
    value: `${seconds(ours)}, ${megabytes(ours)}${beside === undefined ? '' : `, ${beside}`}`,
    baseline: `${seconds(theirs)}, ${baseline}`,
    ratio: ours.seconds / theirs.seconds,
    goal: `under ${goalSeconds} s${memory}, same edits`,
    met: ours.seconds < goalSeconds && isInMemory && ours.result === theirs.result,
  }
}

/**
 * Aligning and normalising beside the plainest dynamic programme and beside fastest-levenshtein (words mapped
 * to characters, distance only), each in a separate process, one after another.
 */
export async function benchScoring(): Promise<BenchRow[]> {
  return [
    ...(await benchUtterances()),
    ...(await benchLongPairs()),
    await benchWhisper(),
    await benchEnglish(),
    ...(await benchProfiles()),
  ]
}

async function benchUtterances(): Promise<BenchRow[]> {
  const ours = await run('utterances')
  const perSecond = `${Math.round(100 / ours.seconds)}k utterances/s, ${(2 / ours.seconds).toFixed(1)}M words/s`
  const common = { ours, goalSeconds: 1, goalBytes: 250e6, beside: perSecond }
  return [
    rowOf({
      ...common,
      name: 'counts of 100,000 utterances, tokenising included',
      theirs: await run('utterances-plain'),
      baseline: 'plainest programme, distance only',
    }),
    rowOf({
      ...common,
      name: 'the same',
      theirs: await run('utterances-characters'),
      baseline: 'fastest-levenshtein, distance only',
    }),
  ]
}

async function benchLongPairs(): Promise<BenchRow[]> {
  const counts = await run('counts', 50_000, 0.1)
  const unrelated = await run('distance', 50_000)
  const pair = { ours: counts, goalSeconds: 0.3, goalBytes: 150e6 }
  return [
    rowOf({
      ...pair,
      name: 'counts of one pair of 50,000 words, 10 % errors',
      theirs: await run('plain-distance', 50_000, 0.1),
      baseline: 'plainest programme, distance only',
    }),
    rowOf({
      ...pair,
      name: 'the same',
      theirs: await run('characters-distance', 50_000, 0.1),
      baseline: 'fastest-levenshtein, distance only',
    }),
    rowOf({
      name: 'distance of 50,000 unrelated words',
      ours: unrelated,
      theirs: await run('characters-distance', 50_000),
      baseline: 'fastest-levenshtein',
      goalSeconds: 2,
      goalBytes: null,
    }),
  ]
}

/** As `scoring-task` makes them. */
const lineCount = 100_000

async function benchWhisper(): Promise<BenchRow> {
  const linesPerSecond = Math.round(lineCount / (await run('normalise', 'whisper-english')).seconds)
  return {
    name: 'lines of 20 words normalised with whisper-english',
    value: `${linesPerSecond.toLocaleString('en')} lines/s`,
    baseline: '7,400 lines/s, the Python original, measured once',
    ratio: null,
    goal: '75,000 lines/s or more',
    met: linesPerSecond >= 75_000,
  }
}

/** The fastest of three runs each, in turns: a version has more rules than the one before, and is hardly slower. */
async function benchEnglish(): Promise<BenchRow> {
  const [newest, first] = [[], []] as [Measured[], Measured[]]
  for (let turn = 0; turn < 3; turn += 1) {
    newest.push(await run('normalise', 'english'))
    first.push(await run('normalise', 'english@2'))
  }
  const fastest = (runs: readonly Measured[]): number => Math.min(...runs.map((one) => one.seconds))
  const perSecond = (runs: readonly Measured[]): string =>
    `${Math.round(lineCount / fastest(runs)).toLocaleString('en')} lines/s`
  const ratio = fastest(newest) / fastest(first)
  return {
    name: 'lines of 20 words normalised with english',
    value: perSecond(newest),
    baseline: `${perSecond(first)}, english@2`,
    ratio,
    goal: 'at most 1.2 times the time of english@2',
    met: ratio <= 1.2,
  }
}

/**
 * Every profile on 100,000 lines, in a separate process. Those of a language have lines of its pairs, in which figures, names
 * and marks are more frequent than in speech; the others have English.
 */
async function benchProfiles(): Promise<BenchRow[]> {
  const withPairs = new Set(readLanguagePairs().map(({ name }) => name))
  const rows: BenchRow[] = []
  for (const { id } of profiles) {
    const name = id.replace(/@.*/, '')
    const ours = await (withPairs.has(name) ? run('language', name) : run('normalise', id))
    const linesPerSecond = Math.round(lineCount / ours.seconds)
    const perProcessorSecond = Math.round(lineCount / ours.processorSeconds)
    rows.push({
      name: `lines normalised with ${id}`,
      value: `${linesPerSecond.toLocaleString('en')} lines/s, ${perProcessorSecond.toLocaleString('en')} per second of processor time`,
      baseline: '',
      ratio: null,
      goal: '20,000 lines/s or more',
      met: linesPerSecond >= 20_000,
    })
  }
  return rows
}
