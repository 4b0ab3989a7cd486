import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { WarmCommand, WarmResult } from './warm-program.ts'

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

/** A command under way, for tests that interrupt it. Disposing of it kills it. */
export interface RunningCli extends AsyncDisposable {
  readonly process: ChildProcess
  readonly ended: Promise<CliResult>
  /** Resolves when what was said so far on stderr matches, and fails when the command ends before. */
  said(pattern: RegExp): Promise<void>
}

/**
 * The words of a command line as it is typed: blanks part them, but not within what is inserted. A list is several words.
 *
 *   argv`run --target ${target} --rounds 2 ${flags}`
 */
export function argv(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | readonly string[])[]
): string[] {
  const line = texts.reduce((before, text, place) => `${before}\0${place - 1}\0${text}`)
  return line
    .trim()
    .split(/\s+/)
    .flatMap((word) => {
      const [, alone] = /^\0(\d+)\0$/.exec(word) ?? []
      const inserted = (_: string, place: string): string => String(values[Number(place)])
      if (alone === undefined) return word.replaceAll(/\0(\d+)\0/g, inserted)
      const value = values[Number(alone)] ?? []
      return typeof value === 'number' ? String(value) : value
    })
}

function environmentOf({ cwd, env }: CliOptions): WarmCommand['env'] {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return { PATH, NODE_COMPILE_CACHE, HOME: cwd, LANG: 'C.UTF-8', ...env }
}

/**
 * Runs a command as a user whom the permissions of files hold, for `through`. The superuser may read and write everything:
 * its command runs without that capability.
 */
export const withPermissions: readonly string[] = (() => {
  if (process.getuid?.() !== 0) return []
  const overrides = '-dac_override,-dac_read_search'
  return ['setpriv', '--bounding-set', overrides, '--inh-caps', overrides]
})()

/** Starts the real command line from its sources, with a separate home folder. */
export function startCli(args: readonly string[], options: CliOptions): RunningCli {
  const { cwd, through = [] } = options
  const flags = ['--disable-warning=ExperimentalWarning']
  const [file = process.execPath, ...rest] = [...through, process.execPath, ...flags, program, ...args]
  const child = spawn(file, rest, {
    cwd,
    env: environmentOf(options),
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
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

const idlePrograms: ChildProcess[] = []

/**
 * Runs a command of the real program, from its sources and outside of the test runner. Its process has executed other commands
 * before where that cannot matter, which spares loading the modules; `startCli` starts a new one.
 */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const { env = {}, through } = options
  if (through !== undefined || 'NODE_OPTIONS' in env) return startCli(args, options).ended
  return runWarmCli(args, options)
}

/** The same with a text as standard input. */
export async function runWarmCli(
  args: readonly string[],
  options: CliOptions,
  stdin = '',
): Promise<WarmResult> {
  const warm = idlePrograms.pop() ?? startWarmProgram()
  const command: WarmCommand = { args, cwd: options.cwd, env: environmentOf(options), stdin }
  warm.send(command)
  const [message] = await Promise.race([
    once(warm, 'message'),
    once(warm, 'exit').then(([code]) => {
      throw new Error(`the program ended with ${code} in: transcribench ${args.join(' ')}`)
    }),
  ])
  idlePrograms.push(warm)
  return message as WarmResult
}

function startWarmProgram(): ChildProcess {
  const program = fork(join(import.meta.dirname, 'warm-program.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  program.setMaxListeners(0)
  // It does not keep the tests running.
  program.unref()
  program.channel?.unref()
  return program
}
