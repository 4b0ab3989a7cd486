import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const program = join(import.meta.dirname, '../../src/cli/main.js')

/** What a command came to. */
export interface CliResult {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface CliOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** A command that the command line is given to, as its further arguments. */
  readonly through?: readonly string[]
}

/** A command under way, for tests that interrupt it. */
export interface RunningCli {
  readonly process: ChildProcess
  readonly ended: Promise<CliResult>
  /** Resolves when what was said so far on stderr matches, and fails when the command ends before. */
  said(pattern: RegExp): Promise<void>
}

/** Starts the real command line from its sources, with a separate home folder. */
export function startCli(args: readonly string[], { cwd, env = {}, through = [] }: CliOptions): RunningCli {
  const flags = ['--disable-warning=ExperimentalWarning']
  const [file = process.execPath, ...rest] = [...through, process.execPath, ...flags, program, ...args]
  const child = spawn(file, rest, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  const listeners = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    for (const listener of listeners) listener()
  })
  const ended = once(child, 'close').then(([code, signal]): CliResult => ({ code, signal, stdout, stderr }))
  return {
    process: child,
    ended,
    async said(pattern) {
      const heard = new Promise<void>((resolve) => {
        const listener = (): void => {
          if (!pattern.test(stderr)) return
          listeners.delete(listener)
          resolve()
        }
        listeners.add(listener)
        listener()
      })
      const isHeard = await Promise.race([heard.then(() => true), ended.then(() => false)])
      if (!isHeard && !pattern.test(stderr)) throw new Error(`ended without saying ${pattern}:\n${stderr}`)
    },
  }
}

export function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  return startCli(args, options).ended
}
