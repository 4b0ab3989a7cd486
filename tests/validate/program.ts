import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runCli } from '../journeys/run-cli.ts'

const flags = ['--disable-warning=ExperimentalWarning']

function forkProgram(name: string, args: readonly string[]): ChildProcess {
  return fork(join(import.meta.dirname, `${name}.ts`), args, {
    execArgv: flags,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

async function letGo(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.disconnect()
  await exited
}

/** Starts a program of this folder as a separate process, which ends when it is disposed of. */
export async function startProgram<First>(name: string, ...args: readonly string[]) {
  const child = forkProgram(name, args)
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${name} has ended`)))
  ended.catch(() => undefined)
  const message = async () => (await Promise.race([once(child, 'message'), ended]))[0]
  return {
    child,
    /** What it says as soon as it can be used. */
    said: (await message()) as First,
    async ask<Answer>(question: string): Promise<Answer> {
      const answer = message()
      child.send(question)
      return answer
    },
    [Symbol.asyncDispose]: () => letGo(child),
  }
}

/** Another program for every processor of this machine; each takes 80 % of one while it is on. */
export function startHogs() {
  const hogs = Array.from({ length: availableParallelism() }, () => forkProgram('hog-program', []))
  return {
    turn(way: 'on' | 'off'): void {
      for (const hog of hogs) hog.send(way)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(hogs.map(letGo))
    },
  }
}

/** Runs a program of this folder to its end. @returns what it printed */
export async function runProgram(name: string, ...args: readonly (string | number)[]): Promise<string> {
  const program = [join(import.meta.dirname, `${name}.ts`), ...args.map(String)]
  return (await promisify(execFile)(process.execPath, [...flags, ...program])).stdout
}

export interface Spent {
  readonly seconds: number
  readonly processorSeconds: number
  readonly peakMegabytes: number
}

/** Runs a command of transcribench, with what it took. */
export async function spend(args: readonly string[], cwd: string) {
  const file = join(cwd, 'spent.json')
  const preload = join(import.meta.dirname, 'report-spent.ts')
  const startedAtMs = performance.now()
  const ended = await runCli(args, {
    cwd,
    env: { SPENT_FILE: file, NODE_OPTIONS: `--import=${preload}` },
  })
  const seconds = (performance.now() - startedAtMs) / 1000
  return { ...ended, ...(JSON.parse(await readFile(file, 'utf8')) as Omit<Spent, 'seconds'>), seconds }
}
