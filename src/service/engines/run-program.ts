import { type ChildProcess, spawn } from 'node:child_process'

export interface ProgramRun {
  readonly program: string
  readonly arguments: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  /** Where it runs. */
  readonly folder: string
  readonly timeoutMs: number
  readonly maxOutputBytes: number
  readonly signal: AbortSignal
}

/** How a program came to its end. */
export type ProgramEnd =
  | {
      readonly kind: 'exited'
      /** Null where a signal ended it. */
      readonly exitCode: number | null
      readonly killedBy: NodeJS.Signals | null
      readonly stdout: string
      /** Its end, where it is long. */
      readonly stderr: string
    }
  /** `reason` is the system's code, such as `ENOENT`. */
  | { readonly kind: 'unstarted'; readonly reason: string }
  | { readonly kind: 'timedOut' | 'tooMuch' | 'abandoned'; readonly stderr: string }

const maxStderrCharacters = 16_000

/**
 * Runs a program without a shell, and resolves when it has ended, whatever the reason. Past the time, past the
 * output, or after the signal it is killed with everything that it has started.
 */
export function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  if (run.signal.aborted) return Promise.resolve({ kind: 'abandoned', stderr: '' })
  return new Promise((resolve) => {
    // A program that could not be started, for want of descriptors, has no streams.
    const child: ChildProcess = spawn(run.program, run.arguments, {
      cwd: run.folder,
      env: run.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A separate process group, to be killed as a whole.
      detached: process.platform !== 'win32',
      windowsHide: true,
      shell: false,
    })
    const stdout: Buffer[] = []
    let [stdoutBytes, stderr] = [0, '']
    let cutShort: 'timedOut' | 'tooMuch' | 'abandoned' | null = null
    let unstarted: ProgramEnd | null = null
    const end = (kind: 'timedOut' | 'tooMuch' | 'abandoned'): void => {
      cutShort ??= kind
      killTree(child)
    }
    const onAbort = (): void => end('abandoned')
    const timer = setTimeout(() => end('timedOut'), run.timeoutMs)
    run.signal.addEventListener('abort', onAbort, { once: true })
    child.stdout?.on('data', (chunk: Buffer) => {
      stdoutBytes += chunk.length
      if (stdoutBytes > run.maxOutputBytes) end('tooMuch')
      else stdout.push(chunk)
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-maxStderrCharacters)
    })
    child.once('error', (error) => {
      unstarted = { kind: 'unstarted', reason: 'code' in error ? String(error.code) : error.message }
    })
    child.once('close', (exitCode, killedBy) => {
      clearTimeout(timer)
      run.signal.removeEventListener('abort', onAbort)
      const output = Buffer.concat(stdout).toString('utf8')
      if (unstarted !== null) resolve(unstarted)
      else if (cutShort !== null) resolve({ kind: cutShort, stderr })
      else resolve({ kind: 'exited', exitCode, killedBy, stdout: output, stderr })
    })
  })
}

/** A child that left the group would survive; a program that does so is a daemon, and no transcriber. */
function killTree({ pid }: ChildProcess): void {
  if (pid === undefined) return
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true })
    return
  }
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
