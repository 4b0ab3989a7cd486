import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { OwnProgram } from '#installation/installation'

/** A program of this package in a separate process. A crash ends only that process. */
export interface WorkerProcess<Question, Answer> {
  /** Sends a question, and waits for its answer, or for the end of a process that gives none. */
  ask(question: Question, ...body: readonly Uint8Array[]): Promise<Frame<Answer> | Lost>
  /** Sends what is not answered. */
  readonly send: Send<Question>
  /** Resolves when the process has ended, with the reason in words, such as `signal SIGKILL`. */
  readonly ended: Promise<string>
  /** Ends it at once. Resolves when it has ended. */
  kill(): Promise<void>
}

/** Why a process ended before it answered. */
interface Lost {
  readonly lost: string
}

/** Sends a frame to the other process. Resolves when the system has taken it, also when that process has ended. */
type Send<Head> = (head: Head, ...body: readonly Uint8Array[]) => Promise<void>

/** A question and its answer have the same number: answers come in the order in which they are ready. */
interface Numbered<Content> {
  readonly id: number | null
  readonly content: Content
}

/** The file descriptor on which a worker process and its parent speak with each other. */
const workerStream = 3

/** What is large is outside of JavaScript's heap, whose youngest part would take 48 MB for nothing. */
const memoryFlags = ['--max-semi-space-size=1', '--max-old-space-size=256']

/**
 * Native memory goes back to the system when it is freed: one arena instead of one for each thread, and thresholds that do
 * not grow. A recogniser takes 35 MB less, and no more time. Other C libraries than glibc ignore it.
 *
 * @see mallopt(3)
 */
const memoryEnvironment = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const

/**
 * The variables that a worker gets. It decodes audio that anybody may have made, so the keys of providers, and whatever else the
 * environment holds that only the service needs, stay out of it.
 */
const neededVariables =
  /^(?:PATH|HOME|USERPROFILE|LANG|LC_\w+|TZ|TMPDIR|TMP|TEMP|SYSTEMROOT|WINDIR|NODE_OPTIONS|NODE_V8_COVERAGE|(?:LD|DYLD|OMP|CUDA|NVIDIA|ORT)_\w+)$/i

/** What a process says on stderr is kept up to this many characters, for the case that it is its last word. */
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
  // A process that could not be started, for want of descriptors, has no streams.
  const stream = (child.stdio?.[workerStream] ?? null) as Duplex | null
  // A broken connection is the end of the process, which says so itself.
  stream?.on('error', () => undefined)
  const waiting = new Map<number | null, (answer: Frame<Answer> | Lost) => void>()
  const send: Send<Numbered<Question>> =
    stream === null
      ? async () => undefined
      : openFrames<Numbered<Question>, Numbered<Answer>>(stream, ({ head: { id, content }, body }) =>
          waiting.get(id)?.({ head: content, body }),
        )
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => {
      const ending = signal === null ? `exit code ${code}` : `signal ${signal}`
      const word = lastWord(words)
      resolve(word === null ? ending : `${ending}: ${word}`)
    })
  })
  let lost: Lost | null = null
  // Once, and not for each question, or they would pile up.
  void ended.then((reason) => {
    lost = { lost: reason }
    for (const answer of waiting.values()) answer(lost)
  })
  let count = 0
  return {
    async ask(content, ...body) {
      if (lost !== null) return lost
      const id = count
      count += 1
      const { promise, resolve } = Promise.withResolvers<Frame<Answer> | Lost>()
      waiting.set(id, resolve)
      void send({ id, content }, ...body)
      return promise.finally(() => waiting.delete(id))
    },
    send: (content, ...body) => send({ id: null, content }, ...body),
    ended,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function neededEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => neededVariables.test(name)))
}

/** The last line of a complaint; what comes before is mostly the configuration of an engine. */
function lastWord(text: string): string | null {
  const line = text
    .split('\n')
    .map((words) => words.trim())
    .findLast((words) => words !== '')
  // sherpa-onnx begins with the place in its own sources.
  return line?.replace(/^\S+\.(?:cc|h):\S+:\d+\s+/, '') ?? null
}

/** In which time a decoder can take some 100 MB. */
const watchEveryMs = 50

/** Where memory runs out, Linux ends the process with the highest score: rather one recogniser than the service. */
const outOfMemoryScore = 500

/**
 * The other end of `startWorkerProcess`: hands on what the parent sends, and ends with the parent, however that ends.
 * Signals that a terminal or systemd sends to all processes are left to the parent, which knows what is under way.
 *
 * @param onQuestion `reply` answers this question
 */
export function serveParent<Question, Answer>(
  onQuestion: (question: Frame<Question>, reply: Send<Answer>) => void,
): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  offerToEnd()
  const stream = new Socket({ fd: workerStream, readable: true, writable: true })
  // Not `process.exit`, which would run the destructors of native code that may be at work.
  stream.once('close', () => process.kill(process.pid, 'SIGKILL'))
  stream.on('error', () => stream.destroy())
  let isFirst = true
  const send = openFrames<Numbered<Answer>, Numbered<Question>>(
    stream,
    ({ head: { id, content: question }, body }) =>
      onQuestion({ head: question, body }, async (content, ...parts) => {
        await send({ id, content }, ...parts)
        // Node keeps what it compiled when a process ends, for the next start, and this one will be killed.
        if (isFirst) flushCompileCache()
        isFirst = false
      }),
  )
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

/** A message between two processes of the service: a JSON head and binary bytes. */
export interface Frame<Head> {
  readonly head: Head
  /** Memory that is not shared, at offset 0. */
  readonly body: Uint8Array<ArrayBuffer>
}

const nothing = new Uint8Array()

/** Two lengths, of 4 bytes each: of the head and of the body. */
const prefixBytes = 8

/**
 * Frames over a byte stream. A clip of 5 s takes 0.3 ms of processor time in each direction; Node's own IPC, which
 * serialises it, takes four times that and holds it three times over.
 *
 *   | head length | body length | head: JSON, UTF-8 | body |
 *
 * @param onFrame called in order
 * @returns what sends a frame, whose body comes in parts that arrive as one. It resolves when the system has taken it, also when
 *   the other end is gone. The bytes may be changed from then on.
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
      // A stream that is gone says so by an error; the owner of the process is notified separately.
      stream.write(nothing, () => resolve())
      stream.uncork()
    })
  }
}

function frameReader<Head>(onFrame: (frame: Frame<Head>) => void): (chunk: Buffer) => void {
  const prefix = new Uint8Array(prefixBytes)
  let parts: readonly [Uint8Array, Uint8Array<ArrayBuffer>] | null = null
  let filled = 0

  /** Fills the target from its current offset. */
  function fill(target: Uint8Array, offset: number, chunk: Buffer): Buffer {
    const taken = chunk.subarray(0, target.length - (filled - offset))
    target.set(taken, filled - offset)
    filled += taken.length
    return chunk.subarray(taken.length)
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

/** Frees memory now instead of at the next garbage collection. Every reference to the bytes becomes empty. */
export function freeBytes({ buffer }: Uint8Array<ArrayBuffer> | Float32Array<ArrayBuffer>): void {
  buffer.transfer(0)
}
