import { spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { OwnProgram } from '#installation'
import { type Frame, openFrames } from './frames.ts'
import { workerStream } from './worker-stream.ts'

/** A program of this package in a separate process. A crash ends only that process. */
export interface WorkerProcess<Sent> {
  readonly pid: number | null
  /** Resolves when the system has taken it, also when the process has ended. */
  send(head: Sent, ...body: readonly Uint8Array[]): Promise<void>
  /** Resolves when the process has ended, with the reason in words, such as `signal SIGKILL`. */
  readonly ended: Promise<string>
  /** Ends it at once. Resolves when it has ended. */
  kill(): Promise<void>
}

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

/**
 * Starts a program that calls `serveParent`.
 *
 * @param onFrame called with everything that it sends, in order
 */
export function startWorkerProcess<Sent, Received>(
  program: OwnProgram,
  onFrame: (frame: Frame<Received>) => void,
  environment: Readonly<Record<string, string>> = {},
): WorkerProcess<Sent> {
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
  const frames = stream === null ? null : openFrames<Sent, Received>(stream, onFrame)
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => {
      const ending = signal === null ? `exit code ${code}` : `signal ${signal}`
      const word = lastWord(words)
      resolve(word === null ? ending : `${ending}: ${word}`)
    })
  })
  return {
    pid: child.pid ?? null,
    send: async (head, ...body) => frames?.send(head, ...body),
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
