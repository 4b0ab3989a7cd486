import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { CompareOptions, KeptRun, OpenComparison } from '#analysis'
import { type RunRecord, readRun, runFiles } from '#journal'
import { BenchError, ownProgram } from '#prelude'
import type { KeepResult, KeepTask } from './keep-run-worker.ts'

const program = ownProgram(import.meta.url, 'keep-run-worker')

/** From here on a thread of its own, which takes a quarter of a second to start, is worth it. */
const largeBytes = 32 * 2 ** 20

/** So many runs are in memory at once. */
const mostAtOnce = 2

/** Most of what reading leaves behind is dead at once: a larger nursery than this saves no time. */
const nurseryMegabytes = 24

interface Keeping {
  readonly comparison: OpenComparison
  /** What the comparison was opened with. */
  readonly latest: RunRecord
  readonly options: CompareOptions
}

/**
 * Reads and scores the runs of a comparison, two at once: large ones in threads of their own, which take with them what
 * they leave in memory.
 *
 * @returns what is kept of each, in the order of the folders
 * @throws BenchError of the first folder that cannot be read or scored
 */
export async function keepRuns(folders: readonly string[], keeping: Keeping): Promise<readonly KeptRun[]> {
  const kept: Promise<KeptRun>[] = []
  const waiting = folders.entries()
  const lane = async (): Promise<void> => {
    for (const [place, folder] of waiting) {
      kept[place] = keepFolder(folder, keeping)
      await kept[place]
    }
  }
  // What was begun comes to its end: no thread is left behind.
  await Promise.allSettled(Array.from({ length: mostAtOnce }, lane))
  return await Promise.all(kept)
}

async function keepFolder(folder: string, { comparison, ...task }: Keeping): Promise<KeptRun> {
  const size = await stat(join(folder, runFiles.journal)).then(
    (found) => found.size,
    // Whoever reads it says what is wrong with it.
    () => 0,
  )
  return size < largeBytes ? comparison.keep(await readRun(folder)) : await keepInThread({ folder, ...task })
}

async function keepInThread(task: KeepTask): Promise<KeptRun> {
  const thread = new Worker(program.url, {
    workerData: task,
    execArgv: [...program.execArgv],
    resourceLimits: { maxYoungGenerationSizeMb: nurseryMegabytes },
  })
  const [result]: KeepResult[] = await once(thread, 'message')
  await thread.terminate()
  if (result === undefined) throw new TypeError('a thread said nothing')
  if (result.ok) return result.value
  const { code, exit, ...details } = result.failure
  throw new BenchError(code, exit, details)
}
