import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { BenchRow } from './bench-row.ts'
import { longPair, utterances } from './scoring-corpus.ts'

const execute = promisify(execFile)
const repetitions = 3

/** A task that transcribench and jiwer both carry out as a whole command: start, reading, scoring, printing. */
interface Task {
  readonly name: string
  readonly files: 'utterances' | 'long'
  readonly only: 'words' | 'both'
  /** How many times as fast as jiwer it has to be. */
  readonly goal: number
  /**
   * What jiwer 4.0 takes, as a multiple of the plainest programme on the 100,000 pairs: recorded on a machine where that
   * took 1.72 s, and jiwer 6.7 s, 16.3 s, 0.86 s and 7.7 s.
   */
  readonly jiwerPerPlainest: number
}

const tasks: readonly Task[] = [
  { name: '100,000 pairs, words', files: 'utterances', only: 'words', goal: 6, jiwerPerPlainest: 3.9 },
  {
    name: '100,000 pairs, words and characters',
    files: 'utterances',
    only: 'both',
    goal: 12,
    jiwerPerPlainest: 9.5,
  },
  { name: 'one pair of 50,000 words, words', files: 'long', only: 'words', goal: 2, jiwerPerPlainest: 0.5 },
  {
    name: 'one pair of 50,000 words, words and characters',
    files: 'long',
    only: 'both',
    goal: 5,
    jiwerPerPlainest: 4.5,
  },
]

const jiwerProgram = `
import sys, jiwer
reference, hypothesis = (open(path).read().splitlines() for path in sys.argv[1:3])
print(jiwer.process_words(reference, hypothesis).wer)
if sys.argv[3] == 'both': print(jiwer.process_characters(reference, hypothesis).cer)
`

/**
 * `transcribench wer` next to jiwer, each as a whole process. Where Python has no jiwer, next to its recorded times, scaled by
 * what the plainest programme takes in the same run.
 */
export async function benchWer(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-bench-'))
  try {
    const paths = await writeTexts(folder)
    const plainestSeconds = (await hasJiwer()) ? null : await plainest()
    const rows: BenchRow[] = []
    for (const task of tasks) rows.push(await rowOf(task, paths[task.files], plainestSeconds))
    return rows
  } finally {
    await rm(folder, { recursive: true })
  }
}

type Paths = Readonly<Record<Task['files'], readonly [string, string]>>

/** Writes the texts of the bench into a folder. */
export async function writeTexts(folder: string): Promise<Paths> {
  const lines = utterances(100_000)
  const long = longPair(50_000, 0.1)
  const write = async (name: string, texts: readonly string[]): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, `${texts.join('\n')}\n`)
    return path
  }
  return {
    utterances: [
      await write(
        'reference.txt',
        lines.map(({ reference }) => reference),
      ),
      await write(
        'hypothesis.txt',
        lines.map(({ hypothesis }) => hypothesis),
      ),
    ],
    long: [
      await write('long-reference.txt', [long.reference.join(' ')]),
      await write('long-hypothesis.txt', [long.hypothesis.join(' ')]),
    ],
  }
}

async function rowOf(
  task: Task,
  paths: readonly [string, string],
  plainestSeconds: number | null,
): Promise<BenchRow> {
  const program = fileURLToPath(import.meta.resolve('../../src/cli/main.js'))
  const only = task.only === 'words' ? ['--only', 'words'] : []
  const ours = await fastest(process.execPath, [
    ...['--disable-warning=ExperimentalWarning', program],
    ...['wer', ...paths, ...only],
  ])
  const jiwer =
    plainestSeconds === null
      ? await fastest('python3', ['-c', jiwerProgram, ...paths, task.only])
      : task.jiwerPerPlainest * plainestSeconds
  const source = plainestSeconds === null ? '' : ', recorded and scaled'
  return {
    name: `wer, ${task.name}`,
    value: `${ours.toFixed(2)} s`,
    baseline: `${jiwer.toFixed(2)} s, jiwer${source}`,
    ratio: ours / jiwer,
    goal: `${task.goal} times as fast`,
    met: ours * task.goal <= jiwer,
  }
}

/** Seconds of the fastest of several processes: others on the machine make one slower, never faster. */
async function fastest(program: string, args: readonly string[]): Promise<number> {
  const seconds: number[] = []
  for (let count = 0; count < repetitions; count += 1) {
    const startedAtMs = performance.now()
    await execute(program, args)
    seconds.push((performance.now() - startedAtMs) / 1000)
  }
  return Math.min(...seconds)
}

async function plainest(): Promise<number> {
  const program = fileURLToPath(import.meta.resolve('./scoring-task.ts'))
  const seconds: number[] = []
  for (let count = 0; count < repetitions; count += 1) {
    const args = [program, 'utterances-plain']
    const { stdout } = await execute(process.execPath, args)
    seconds.push((JSON.parse(stdout) as { readonly seconds: number }).seconds)
  }
  return Math.min(...seconds)
}

async function hasJiwer(): Promise<boolean> {
  return await execute('python3', ['-c', 'import jiwer']).then(
    () => true,
    () => false,
  )
}
