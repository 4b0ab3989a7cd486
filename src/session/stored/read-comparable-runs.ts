import { on } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { ComparableRun, CompareOptions, OpenComparison } from '#analysis'
import { ownProgram } from '#installation'
import { type PlannedUtterance, type RunRecord, readRun, runFiles } from '#journal'
import { BenchError } from '#prelude'
import type { KeepMessage, KeepTask } from './read-comparable-run-worker.ts'

const program = ownProgram(import.meta.url, 'read-comparable-run-worker')

/** From this size on a separate thread, which takes a quarter of a second to start, is worth it. */
const largeBytes = 32 * 2 ** 20

/** So many runs are in memory at once. */
const maxConcurrency = 2

/** Most of what reading leaves behind is dead at once: a larger nursery than this saves no time. */
const nurseryMegabytes = 8

interface Keeping {
  readonly comparison: OpenComparison
  /** What the comparison was opened with. */
  readonly latest: RunRecord
  readonly options: CompareOptions
}

/** Makes of an utterance one that is already there, where there is one like it. */
type Sharing = (utterance: PlannedUtterance) => PlannedUtterance

/**
 * Reads and scores the runs of a comparison, two at once: large ones in separate threads, so that their
 * memory is freed when the threads end.
 *
 * @returns what is kept of each, in the order of the folders
 * @throws BenchError of the first folder that cannot be read or scored
 */
export async function keepRuns(
  folders: readonly string[],
  keeping: Keeping,
): Promise<readonly ComparableRun[]> {
  const kept: Promise<ComparableRun>[] = []
  const waiting = folders.entries()
  const share = sharing()
  const lane = async (): Promise<void> => {
    for (const [place, folder] of waiting) {
      kept[place] = keepFolder(folder, keeping, share)
      await kept[place]
    }
  }
  // What was begun comes to its end: no thread is left behind.
  await Promise.allSettled(Array.from({ length: maxConcurrency }, lane))
  return await Promise.all(kept)
}

/** The runs of a comparison mostly are of the same utterances. */
function sharing(): Sharing {
  const known = new Map<string, PlannedUtterance>()
  return (utterance) => {
    const other = known.get(utterance.id)
    if (other === undefined) known.set(utterance.id, utterance)
    return other !== undefined && isDeepStrictEqual(other, utterance) ? other : utterance
  }
}

async function keepFolder(
  folder: string,
  { comparison, ...task }: Keeping,
  share: Sharing,
): Promise<ComparableRun> {
  const size = await stat(join(folder, runFiles.journal)).then(
    (found) => found.size,
    // The code that reads it reports the problem.
    () => 0,
  )
  return size < largeBytes
    ? comparison.keep(await readRun(folder))
    : await keepInThread({ folder, ...task }, share)
}

async function keepInThread(task: KeepTask, share: Sharing): Promise<ComparableRun> {
  const thread = new Worker(program.url, {
    workerData: task,
    execArgv: [...program.execArgv],
    resourceLimits: { maxYoungGenerationSizeMb: nurseryMegabytes },
  })
  const utterances: PlannedUtterance[] = []
  for await (const [posted] of on(thread, 'message', { close: ['exit'] })) {
    const message: KeepMessage = posted
    if (message.kind === 'utterances') {
      for (const utterance of message.utterances) utterances.push(share(utterance))
      continue
    }
    await thread.terminate()
    const { result } = message
    if (result.ok) return { ...result.value, utterances }
    const { code, exit, ...details } = result.failure
    throw new BenchError(code, exit, details)
  }
  throw new TypeError('a thread ended and said nothing')
}
