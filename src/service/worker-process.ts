import { spawn } from 'node:child_process'
import { addAbortListener } from 'node:events'
import { writeFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import type { OwnProgram } from '#installation/installation'

/** A program of this package in a separate process. A crash ends only that process. */
export interface WorkerProcess<Question, Answer> {
  /** Sends a question, and waits for the answer, or for the end of the process. */
  ask(question: Question, body?: Uint8Array, limit?: AskLimit): Promise<Frame<Answer> | Lost>
  /** Sends a message that has no answer. */
  readonly send: Send<Question>
  /** Resolves when the process has ended, with the reason, such as `signal SIGKILL`. */
  readonly ended: Promise<string>
  /** Kills the process; resolves when it has ended. */
  kill(): Promise<void>
  /** Whether it was killed, by a call or a limit: an answer may still arrive after that. */
  isKilled(): boolean
}

/** Ends a process after its question was aborted. */
interface AskLimit {
  readonly signal: AbortSignal
  /** Time in milliseconds that an aborted question may still take before the process is killed. */
  readonly killAfterMs: number
}

/** The reason why a process ended before it answered. */
export interface Lost {
  readonly lost: string
  /** Whether it had started, so that the question may be the cause; otherwise this host is. */
  readonly hasStarted: boolean
}

/** Sends a frame; resolves when the system has accepted it, even if the other process has ended. */
type Send<Head> = (head: Head, ...body: readonly Uint8Array[]) => Promise<void>

/** A question and its answer share an id, because answers may arrive in another order. */
interface Numbered<Content> {
  readonly id: number | null
  readonly content: Content
}

/** File descriptor of the connection between a worker process and its parent. */
const workerStream = 3

/** Small heap limits, because large data are outside the heap; the default young generation would waste 48 MB. */
const memoryFlags = ['--max-semi-space-size=1', '--max-old-space-size=256']

/**
 * Settings of glibc that return freed native memory to the system: one arena for all threads, and fixed
 * thresholds. A recogniser needs 35 MB less and no more time. Other C libraries ignore them.
 *
 * @see mallopt(3)
 */
const memoryEnvironment = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const

/**
 * Environment variables that a worker receives. A worker decodes untrusted audio, so it gets neither the keys
 * of providers nor other variables that only the service needs.
 */
const neededVariables =
  /^(?:PATH|HOME|USERPROFILE|LANG|LC_\w+|TZ|TMPDIR|TMP|TEMP|SYSTEMROOT|WINDIR|NODE_OPTIONS|NODE_V8_COVERAGE|(?:LD|DYLD|OMP|CUDA|NVIDIA|ORT)_\w+)$/i

/** Maximum number of kept characters of a process's stderr, which may explain its end. */
const keptCharacters = 4_000

/** Starts a program that calls `serveParent`. */
export function startWorkerProcess<Question, Answer>(
  program: OwnProgram,
  environment: Readonly<Record<string, string>> = {},
): WorkerProcess<Question, Answer> {
  const child = spawn(process.execPath, [...memoryFlags, ...program.execArgv, fileURLToPath(program.url)], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...neededEnvironment(), ...program.environment, ...memoryEnvironment, ...environment },
    windowsHide: true,
  })
  let words = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-keptCharacters)
  })
  // A process that could not be started for lack of descriptors has no streams.
  const stream = (child.stdio?.[workerStream] ?? null) as Duplex | null
  // A broken connection means that the process has ended, which is reported separately.
  stream?.on('error', () => undefined)
  const waiting = new Map<number | null, (answer: Frame<Answer> | Lost) => void>()
  let hasStarted = false
  const send: Send<Numbered<Question>> =
    stream === null
      ? async () => undefined
      : openFrames<Numbered<Question>, Numbered<Answer>>(stream, ({ head: { id, content }, body }) => {
          hasStarted = true
          waiting.get(id)?.({ head: content, body })
        })
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => {
      const ending = signal === null ? `exit code ${code}` : `signal ${signal}`
      const word = lastWord(words)
      resolve(word === null ? ending : `${ending}: ${word}`)
    })
  })
  let lost: Lost | null = null
  // One listener serves all questions; a listener per question would accumulate.
  void ended.then((reason) => {
    lost = { lost: reason, hasStarted }
    for (const answer of waiting.values()) answer(lost)
  })
  let isKilled = false
  async function kill(): Promise<void> {
    isKilled = true
    child.kill('SIGKILL')
    await ended
  }
  let count = 0
  return {
    async ask(content, body = nothing, limit) {
      if (lost !== null) return lost
      const id = count
      count += 1
      const { promise, resolve } = Promise.withResolvers<Frame<Answer> | Lost>()
      waiting.set(id, resolve)
      let timer: NodeJS.Timeout | undefined
      using _limit =
        limit &&
        addAbortListener(limit.signal, () => {
          timer = setTimeout(() => void kill(), limit.killAfterMs)
        })
      void send({ id, content }, body)
      try {
        return await promise
      } finally {
        clearTimeout(timer)
        waiting.delete(id)
      }
    },
    send: (content, ...body) => send({ id: null, content }, ...body),
    ended,
    kill,
    isKilled: () => isKilled,
  }
}

function neededEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => neededVariables.test(name)))
}

/** The last line of stderr; earlier lines are mostly the configuration of an engine. */
function lastWord(text: string): string | null {
  const line = text
    .split('\n')
    .map((words) => words.trim())
    .findLast((words) => words !== '')
  // sherpa-onnx prefixes messages with a position in its sources.
  return line?.replace(/^\S+\.(?:cc|h):\S+:\d+\s+/, '') ?? null
}

/** Check interval in milliseconds, during which a decoder can allocate about 100 MB. */
const watchEveryMs = 50

/** When memory runs out, Linux kills the process with the highest score: a recogniser rather than the service. */
const outOfMemoryScore = 500

/**
 * The worker's end of `startWorkerProcess`: delivers questions, and ends when the parent ends in any way. It
 * ignores signals that a terminal or systemd sends to all processes, because the parent decides when to stop.
 *
 * @param onQuestion its second argument sends the answer to the question
 */
export function serveParent<Question, Answer>(
  onQuestion: (question: Frame<Question>, reply: Send<Answer>) => void,
): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  offerToEnd()
  const stream = new Socket({ fd: workerStream, readable: true, writable: true })
  // SIGKILL instead of `process.exit`, which would run destructors of native code that may be in use.
  stream.once('close', () => process.kill(process.pid, 'SIGKILL'))
  stream.on('error', () => stream.destroy())
  let isFirst = true
  const send = openFrames<Numbered<Answer | null>, Numbered<Question>>(
    stream,
    ({ head: { id, content: question }, body }) =>
      onQuestion({ head: question, body }, async (content, ...parts) => {
        await send({ id, content }, ...parts)
        // Node writes its compile cache at exit, but this process will be killed, so it is written now.
        if (isFirst) flushCompileCache()
        isFirst = false
      }),
  )
  // The parent then knows that this process has started.
  void send({ id: null, content: null })
}

function offerToEnd(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', String(outOfMemoryScore))
  } catch {
    // Another system, or one that forbids it: all processes then keep the same score.
  }
}

/**
 * Kills this process when it exceeds `maxBytes` of memory. A separate thread checks, because a busy decoder
 * blocks its own.
 */
export function boundMemory(maxBytes: number): void {
  const watch = `setInterval(() => {
    if (process.memoryUsage.rss() > ${maxBytes}) process.kill(process.pid, 'SIGKILL')
  }, ${watchEveryMs})`
  new Worker(watch, { eval: true, execArgv: [] }).unref()
}

/** A message between two processes of the service: a JSON head and a binary body. */
export interface Frame<Head> {
  readonly head: Head
  /** Body in memory that is not shared, at offset 0. */
  readonly body: Uint8Array<ArrayBuffer>
}

const nothing = new Uint8Array()

/** The lengths of head and body, 4 bytes each. */
const prefixBytes = 8

/**
 * Sends and receives frames over a byte stream. A clip of 5 s takes 0.3 ms of processor time in each
 * direction; Node's IPC takes four times as long and three times the memory.
 *
 *   | head length | body length | head: JSON, UTF-8 | body |
 *
 * @param onFrame called in order
 * @returns sends a frame, whose parts form one body; resolves when the system has accepted it, even if the
 *   other end is gone. The caller may change the bytes from then on.
 */
function openFrames<Sent, Received>(stream: Duplex, onFrame: (frame: Frame<Received>) => void): Send<Sent> {
  stream.on('data', frameReader(onFrame))
  return (head, ...body) => {
    const text = Buffer.from(JSON.stringify(head))
    const prefix = Buffer.alloc(prefixBytes)
    prefix.writeUInt32LE(text.length, 0)
    const bodyBytes = body.reduce((sum, { length }) => sum + length, 0)
    prefix.writeUInt32LE(bodyBytes, 4)
    return new Promise((resolve) => {
      stream.cork()
      stream.write(Buffer.concat([prefix, text]))
      for (const part of body) stream.write(part)
      // A closed stream reports an error, which is ignored because the owner learns of the process's end separately.
      stream.write(nothing, () => resolve())
      stream.uncork()
    })
  }
}

function frameReader<Head>(onFrame: (frame: Frame<Head>) => void): (chunk: Buffer) => void {
  const prefix = new Uint8Array(prefixBytes)
  let parts: readonly [Uint8Array, Uint8Array<ArrayBuffer>] | null = null
  let filled = 0

  /** Copies the next bytes of the chunk into the target, and returns the rest. */
  function fill(target: Uint8Array, offset: number, chunk: Buffer): Buffer {
    const part = chunk.subarray(0, target.length - (filled - offset))
    target.set(part, filled - offset)
    filled += part.length
    return chunk.subarray(part.length)
  }

  return (chunk) => {
    let rest = chunk
    for (;;) {
      if (parts === null) {
        rest = fill(prefix, 0, rest)
        if (filled < prefixBytes) return
        const lengths = new DataView(prefix.buffer)
        parts = [new Uint8Array(lengths.getUint32(0, true)), new Uint8Array(lengths.getUint32(4, true))]
      }
      const [head, body] = parts
      const bodyStart = prefixBytes + head.length
      if (filled < bodyStart) rest = fill(head, prefixBytes, rest)
      if (filled < bodyStart) return
      rest = fill(body, bodyStart, rest)
      if (filled < bodyStart + body.length) return
      parts = null
      filled = 0
      onFrame({ head: JSON.parse(Buffer.from(head.buffer).toString('utf8')) as Head, body })
    }
  }
}

/** Frees memory without waiting for the garbage collector; all views of the buffer become empty. */
export function freeBytes({ buffer }: Uint8Array<ArrayBuffer> | Float32Array<ArrayBuffer>): void {
  buffer.transfer(0)
}

/**
 * The garbage collector of the calling thread, for native memory that V8 does not count and so does not free.
 * `minor` collects young objects in about 3 ms, `major` the whole heap in 20 to 30 ms.
 *
 * Node offers it under `--expose-gc` only, to contexts created after the flag was set: here, to this one
 * alone.
 *
 * @see https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function garbageCollector(type: 'minor' | 'major'): () => void {
  return collectorWith(`{ type: '${type}' }`)
}

/**
 * Collects young objects whenever unused native memory has reached a size.
 *
 * @returns a function to call with the size of memory that is no longer used, in bytes
 */
export function collectEvery(maxWaitingBytes: number): (sizeBytes: number) => void {
  const collect = garbageCollector('minor')
  let waitingBytes = 0
  return (sizeBytes) => {
    waitingBytes += sizeBytes
    if (waitingBytes < maxWaitingBytes) return
    waitingBytes = 0
    collect()
  }
}

/**
 * Returns unused memory to the system, which halves the process's memory after its start. Blocks the event
 * loop for about 100 ms.
 */
export function trimMemory(): void {
  collectorWith("{ type: 'major', flavor: 'last-resort' }")()
}

function collectorWith(options: string): () => void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext(`() => gc(${options})`)
  return typeof collect === 'function' ? () => collect() : () => undefined
}
