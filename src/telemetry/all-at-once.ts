import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ownProgram } from '#prelude'
import type { MatrixOrder, MatrixRate } from './matrix-worker.ts'

const program = ownProgram(import.meta.url, 'matrix-worker')
/** The best of so many counts: other programs can make one slower and none can make it faster. */
const tries = 3

/**
 * How fast each processor is while all of them multiply matrices, as a share of what one does while the others rest:
 * 1 where they are not in each other's way, about a half where two of them are threads of one core. Nothing else may be
 * measured meanwhile.
 *
 * @param forSeconds in all, beside the time that threads take to start
 * @returns 0..1; 1 for one processor
 */
export async function measureAllAtOnce(processors: number, forSeconds: number): Promise<number> {
  if (processors < 2) return 1
  const threads = Array.from(
    { length: processors },
    () => new Worker(program.url, { execArgv: [...program.execArgv] }),
  )
  try {
    await Promise.all(threads.map(answer))
    const forMs = (1000 * forSeconds) / (2 * tries)
    const alone: number[] = []
    const together: number[] = []
    // In turn, so that a machine that becomes slower does so for both.
    for (let attempt = 0; attempt < tries; attempt += 1) {
      alone.push(await meanRate(threads.slice(attempt % processors, (attempt % processors) + 1), forMs))
      together.push(await meanRate(threads, forMs))
    }
    return Math.min(1, Math.max(...together) / Math.max(...alone))
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
}

async function meanRate(threads: readonly Worker[], forMs: MatrixOrder): Promise<number> {
  const rates = await Promise.all(
    threads.map((thread) => {
      const rate = answer(thread)
      thread.postMessage(forMs)
      return rate
    }),
  )
  return rates.reduce((sum, rate) => sum + rate, 0) / rates.length
}

/** What a thread says next. */
async function answer(thread: Worker): Promise<MatrixRate> {
  const [rate] = await once(thread, 'message')
  return Number(rate)
}
