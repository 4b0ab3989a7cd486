import { Worker } from 'node:worker_threads'
import { failed, type Outcome, ownProgram } from '#prelude'
import { engineSampleRateHz } from '../engines/engine.ts'
import { createTurnstile } from '../engines/turnstile.ts'
import type { DecodedClip, DecodeResult, DecodeTask, UndecodedClip } from './decode-worker.ts'

/** Decodes audio in threads of its own. */
export interface Decoder {
  /**
   * The bytes are gone afterwards: their memory moves to the thread.
   *
   * @param longestClipSeconds a longer recording comes back undecoded; null decodes it whatever its length
   */
  decode(
    bytes: Uint8Array<ArrayBuffer>,
    longestClipSeconds: number | null,
    signal: AbortSignal,
  ): Promise<Outcome<DecodedClip | UndecodedClip, { readonly reason: string } | 'abandoned'>>
  close(): Promise<void>
}

const program = ownProgram(import.meta.url, 'decode-worker')

const hugeBytes = 16 * 2 ** 20

/** @param threadCount at most; they start when they are needed, and the first one at once */
export function createDecoder(threadCount: number): Decoder {
  const turnstile = createTurnstile(threadCount, Number.POSITIVE_INFINITY)
  const threads = new Set<Worker>()
  const idle: Worker[] = []

  function startThread(): Worker {
    const thread = new Worker(program.url, { execArgv: [...program.execArgv] })
    // A thread without work does not keep the process alive, nor does it take it along when it ends.
    thread.unref()
    thread.on('error', () => undefined)
    thread.once('exit', () => {
      threads.delete(thread)
      if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1)
    })
    threads.add(thread)
    return thread
  }

  idle.push(startThread())
  return {
    async decode(bytes, longestClipSeconds, signal) {
      const turn = await turnstile.enter(signal)
      if (!turn.ok) return failed('abandoned')
      if (signal.aborted) {
        turn.value()
        return failed('abandoned')
      }
      const thread = idle.pop() ?? startThread()
      const isHuge = bytes.length > hugeBytes
      const task = { bytes, sampleRateHz: engineSampleRateHz, longestClipSeconds }
      const result = await ask(thread, task, signal)
      // What a huge recording left behind would stay in the thread's memory until it is busy again.
      if ('lost' in result || isHuge) await thread.terminate()
      else idle.push(thread)
      turn.value()
      if (!('lost' in result)) return result
      return failed(signal.aborted ? 'abandoned' : { reason: result.lost })
    },

    async close() {
      await Promise.all([...threads].map((thread) => thread.terminate()))
    },
  }
}

/** Why a thread is not to be used again. */
interface Lost {
  readonly lost: string
}

/**
 * Gives a thread one task. It may end over it (out of memory, a trap in a decoder), or be still at it when the
 * task is given up.
 */
function ask(thread: Worker, task: DecodeTask, signal: AbortSignal): Promise<DecodeResult | Lost> {
  return new Promise((resolve) => {
    const finish = (result: DecodeResult | Lost): void => {
      thread.off('message', finish).off('error', onError).off('exit', onEnd).unref()
      signal.removeEventListener('abort', onEnd)
      resolve(result)
    }
    const onError = (error: unknown): void =>
      finish({ lost: error instanceof Error ? error.message : String(error) })
    const onEnd = (): void => finish({ lost: 'the decoder ended' })
    thread.ref()
    thread.once('message', finish).once('error', onError).once('exit', onEnd)
    signal.addEventListener('abort', onEnd, { once: true })
    thread.postMessage(task, [task.bytes.buffer])
  })
}
