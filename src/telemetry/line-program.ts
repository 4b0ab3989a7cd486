import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface LineProgramOptions {
  /** Name in PATH, or path. */
  readonly command: string
  readonly args: readonly string[]
  /** Environment variables; PATH finds the program. */
  readonly env: Readonly<Record<string, string | undefined>>
  onLine(line: string): void
  /** Receives the reason why the program ended. Not called after disposal. */
  onEnd(reason: string): void
}

/** A program that is kept running while it prints lines. Disposing ends it. */
export interface LineProgram extends Disposable {
  /** Null where it could not be started. */
  readonly pid: number | null
}

/** Max length of the text from stderr that is included in a reason. */
const maxReasonLength = 200

/** Starts a program once, because starting one for each sample would disturb the measurement. */
export function startLineProgram({ command, args, env, onLine, onEnd }: LineProgramOptions): LineProgram {
  let isDisposed = false
  let lastWords = ''
  const end = (reason: string): void => {
    if (isDisposed) return
    isDisposed = true
    onEnd(reason)
  }
  const child: ChildProcess = spawn(command, args, {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  })
  child.on('error', (error: NodeJS.ErrnoException) =>
    end(error.code === 'ENOENT' ? `${command} is not installed` : `${command}: ${error.message}`),
  )
  // `exit` may come before the last lines; `close` comes after them.
  child.on('close', (code, signal) => {
    const how = signal === null ? `exit code ${code}` : signal
    end(`${command} ended (${how})${lastWords === '' ? '' : `: ${lastWords}`}`)
  })
  // Lines after disposal are ignored, so that a program that continues to print does not keep this process alive.
  // Without free file descriptors a child has no streams, not even null; its error comes later.
  const lines = (stream: ChildProcess['stdout'] | undefined, take: (line: string) => void): void => {
    if (stream != null) createInterface({ input: stream }).on('line', (line) => isDisposed || take(line))
  }
  lines(child.stdout, onLine)
  lines(child.stderr, (line) => {
    if (line.trim() !== '') lastWords = line.trim().slice(0, maxReasonLength)
  })
  return {
    pid: child.pid ?? null,
    [Symbol.dispose]() {
      isDisposed = true
      child.kill()
    },
  }
}
