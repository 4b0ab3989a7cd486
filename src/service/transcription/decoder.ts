import { ownProgram } from '#installation/installation'
import { failed, type Outcome, succeeded } from '#prelude'
import { engineSampleRateHz } from '../engines/engine.ts'
import { createSemaphore, unlessAborted } from '../waiting.ts'
import { freeBytes, startWorkerProcess, type WorkerProcess } from '../worker-process.ts'
import type { DecodeAnswer, DecodeQuestion } from './decode-program.ts'

const program = ownProgram(import.meta.url, 'decode-program')

/** A process that has grown over a large recording keeps its memory; another one begins anew. */
const maxIdleBytes = 200 * 2 ** 20

/** A recording that was given up is decoded to its end, which takes some milliseconds, unless it takes longer. */
const maxAbandonedMs = 1_000

type DecoderProcess = WorkerProcess<DecodeQuestion, DecodeAnswer>
type Answer = Awaited<ReturnType<DecoderProcess['ask']>>

export type Decoder = ReturnType<typeof createDecoder>

/**
 * Decodes audio in child processes.
 *
 * @param processCount at most; they start when they are needed, and the first one at once
 */
export function createDecoder(processCount: number) {
  const semaphore = createSemaphore(processCount, Number.POSITIVE_INFINITY)
  const all = new Set<DecoderProcess>()
  const idle: DecoderProcess[] = []

  function start(): DecoderProcess {
    const worker: DecoderProcess = startWorkerProcess(program)
    all.add(worker)
    void worker.ended.then(() => {
      all.delete(worker)
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1)
    })
    return worker
  }

  /** Asks, and releases the process when it has answered or ended. */
  async function ask(
    bytes: Uint8Array<ArrayBuffer>,
    maxSeconds: number,
    signal: AbortSignal,
  ): Promise<Answer> {
    const worker = idle.pop() ?? start()
    let timer: NodeJS.Timeout | undefined
    // Its answer may still come after that.
    let isEnded = false
    const end = (): void => {
      isEnded = true
      void worker.kill()
    }
    const onAbort = (): void => {
      timer = setTimeout(end, maxAbandonedMs)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    const answer = await worker.ask({ sampleRateHz: engineSampleRateHz, maxSeconds }, bytes)
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    // Several files of 48 MiB would wait for the collector, whose heap they do not fill.
    if (signal.aborted || !isTooLong(answer)) freeBytes(bytes)
    if (!('lost' in answer) && answer.head.residentBytes > maxIdleBytes) end()
    if (!('lost' in answer) && !isEnded) idle.push(worker)
    return answer
  }

  idle.push(start())
  return {
    /**
     * @param bytes gone afterwards, except those of a recording that is too long
     * @param maxSeconds of a longer recording only its name is reported; it is to be decoded piece by piece
     * @returns samples for an engine, null for a recording that is too long, and the name of the bytes that they came from
     */
    async decode(
      bytes: Uint8Array<ArrayBuffer>,
      maxSeconds: number,
      signal: AbortSignal,
    ): Promise<
      Outcome<
        { readonly sha256: string; readonly samples: Float32Array<ArrayBuffer> | null },
        { readonly reason: string } | 'abandoned'
      >
    > {
      const turn = await semaphore.acquire(signal)
      if (!turn.ok) return failed('abandoned')
      const answering = ask(bytes, maxSeconds, signal).finally(turn.value)
      const answer = await unlessAborted(answering, signal)
      if (answer === 'abandoned') return failed('abandoned')
      if ('lost' in answer) {
        const reason = `it ended its decoder (${answer.lost}): it is damaged, or takes more memory than it may`
        return failed({ reason })
      }
      const { outcome } = answer.head
      if (!outcome.ok) return outcome
      const samples = isTooLong(answer) ? null : new Float32Array(answer.body.buffer)
      return succeeded({ sha256: outcome.value.sha256, samples })
    },

    async close() {
      await Promise.all([...all].map((worker) => worker.kill()))
    },
  }
}

function isTooLong(answer: Answer): boolean {
  return !('lost' in answer) && answer.head.outcome.ok && !answer.head.outcome.value.isWhole
}
