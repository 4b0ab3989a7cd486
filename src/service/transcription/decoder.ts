import { ownProgram } from '#installation/installation'
import { failed, type Outcome, succeeded } from '#prelude'
import { decoderLost, type EngineFailure, engineSampleRateHz, undecodable } from '../engines/engine.ts'
import { createSemaphore, unlessAborted } from '../waiting.ts'
import { freeBytes, startWorkerProcess, type WorkerProcess } from '../worker-process.ts'
import type { DecodeAnswer, DecodeQuestion } from './decode-program.ts'

const program = ownProgram(import.meta.url, 'decode-program')

/** A process that exceeds this memory after a recording is replaced, because it would not shrink. */
const maxIdleBytes = 200 * 2 ** 20

/** Time in milliseconds after which the process of an abandoned recording is killed; decoding usually takes less. */
const maxAbandonedMs = 1_000

type DecoderProcess = WorkerProcess<DecodeQuestion, DecodeAnswer>
type Answer = Awaited<ReturnType<DecoderProcess['ask']>>

export type Decoder = ReturnType<typeof createDecoder>

/**
 * Decodes audio in child processes.
 *
 * @param processCount maximum number of processes; the first starts at once, others on demand
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

  /** Sends a recording to a process, which becomes idle when it has answered. */
  async function ask(
    bytes: Uint8Array<ArrayBuffer>,
    maxSeconds: number,
    signal: AbortSignal,
  ): Promise<Answer> {
    const worker = idle.pop() ?? start()
    const limit = { signal, killAfterMs: maxAbandonedMs }
    const answer = await worker.ask({ sampleRateHz: engineSampleRateHz, maxSeconds }, bytes, limit)
    // Files of 48 MiB would wait for the collector, because they are outside of its heap.
    if (signal.aborted || !isTooLong(answer)) freeBytes(bytes)
    if (!('lost' in answer) && answer.head.residentBytes > maxIdleBytes) void worker.kill()
    if (!('lost' in answer) && !worker.isKilled()) idle.push(worker)
    return answer
  }

  idle.push(start())
  return {
    /**
     * @param bytes freed afterwards, except for a recording that is too long
     * @param maxSeconds a longer recording has to be decoded piece by piece
     * @returns samples for an engine, or null for a recording that is too long
     */
    async decode(
      bytes: Uint8Array<ArrayBuffer>,
      maxSeconds: number,
      signal: AbortSignal,
    ): Promise<Outcome<Float32Array<ArrayBuffer> | null, EngineFailure | 'abandoned'>> {
      const turn = await semaphore.acquire(signal)
      if (!turn.ok) return failed('abandoned')
      const answering = ask(bytes, maxSeconds, signal).finally(turn.value)
      const answer = await unlessAborted(answering, signal)
      if (answer === 'abandoned') return failed('abandoned')
      if ('lost' in answer) return failed(decoderLost(answer))
      const { outcome } = answer.head
      if (!outcome.ok) return failed(undecodable(outcome.failure.reason))
      return succeeded(isTooLong(answer) ? null : new Float32Array(answer.body.buffer))
    },

    async close() {
      await Promise.all([...all].map((worker) => worker.kill()))
    },
  }
}

function isTooLong(answer: Answer): boolean {
  return !('lost' in answer) && answer.head.outcome.ok && !answer.head.outcome.value.isWhole
}
