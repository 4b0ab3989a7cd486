import { writeFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { type Frame, openFrames } from './frames.ts'
import { workerStream } from './worker-stream.ts'

/** Sends a frame to the parent. Resolves when the system has taken it. */
export type Reply<Sent> = (head: Sent, ...body: readonly Uint8Array[]) => Promise<void>

/** In which time a decoder can take some 100 MB. */
const watchEveryMs = 50

/** Where memory runs out, Linux ends the process with the highest score: rather one recogniser than the service. */
const outOfMemoryScore = 500

/**
 * The other end of `startWorkerProcess`: hands on what the parent sends, and ends with the parent, however that ends.
 * Signals that a terminal or systemd sends to all processes are left to the parent, which knows what is under way.
 */
export function serveParent<Received, Sent>(
  onFrame: (frame: Frame<Received>, reply: Reply<Sent>) => void,
): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  offerToEnd()
  const stream = new Socket({ fd: workerStream, readable: true, writable: true })
  // Not `process.exit`, which would run the destructors of native code that may be at work.
  stream.once('close', () => process.kill(process.pid, 'SIGKILL'))
  stream.on('error', () => stream.destroy())
  let isFirst = true
  const reply: Reply<Sent> = async (...answer) => {
    await frames.send(...answer)
    // Node keeps what it compiled when a process ends, for the next start, and this one will be killed.
    if (isFirst) flushCompileCache()
    isFirst = false
  }
  const frames = openFrames<Sent, Received>(stream, (frame) => onFrame(frame, reply))
}

function offerToEnd(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', String(outOfMemoryScore))
  } catch {
    // Another system, or one that does not let us: then all processes are alike to it.
  }
}

/**
 * Ends this process when it takes more memory than that. A decoder that is at work holds its thread, so that another
 * one looks.
 */
export function boundMemory(maxBytes: number): void {
  const watch = `setInterval(() => {
    if (process.memoryUsage.rss() > ${maxBytes}) process.kill(process.pid, 'SIGKILL')
  }, ${watchEveryMs})`
  new Worker(watch, { eval: true, execArgv: [] }).unref()
}
