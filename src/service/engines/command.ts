import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { encodeWav } from '#audio/sound-stream'
import { failed, type Outcome, succeeded } from '#prelude'
import { type Clip, type Engine, type EngineFailure, engineSampleRateHz, type Spoken } from './engine.ts'
import type { CommandEntry } from './engines-file.ts'

/** Maximum size of a program's output; a larger one is no transcript. */
const maxOutputBytes = 8 * 2 ** 20

/** Shorter clips get an empty text, because many programs fail on files that are almost empty. */
const shortestClipSeconds = 0.1

/** Name of the recording in the program's folder. The command lines of Whisper name their text after it: `audio.txt`. */
const audioName = 'audio.wav'
/** Maximum number of files that are listed where the expected one is missing. */
const maxListedFiles = 5

/** Runs any program as an engine: one process per clip, killed with all its children when the clip is abandoned. */
export function commandEngine(commands: readonly CommandEntry[]): Engine {
  return {
    describe: () => ({
      family: 'command',
      maxConcurrency: smallest(commands.map(({ atOnce }) => atOnce)),
      maxClipSeconds: smallest(commands.map(({ longestSeconds }) => longestSeconds)),
    }),

    async load({ id }) {
      const command = commands.find((known) => known.id === id)
      if (command === undefined) {
        return failed({ code: 'ENGINE_UNAVAILABLE', message: `There is no command named "${id}".` })
      }
      return succeeded({
        transcribe: (clip, { language, signal }) => transcribe(command, clip, language, signal),
        unload: async () => undefined,
      })
    },
  }
}

function smallest(limits: readonly (number | undefined)[]): number | null {
  const numbers = limits.filter((limit) => limit !== undefined)
  return numbers.length === 0 ? null : Math.min(...numbers)
}

async function transcribe(
  command: CommandEntry,
  clip: Clip,
  language: string | null,
  signal: AbortSignal,
): Promise<Outcome<Spoken, EngineFailure>> {
  if (clip.samples.length < shortestClipSeconds * engineSampleRateHz) {
    return succeeded({ text: '', language: command.language ?? null })
  }
  // `mkdtemp` makes a folder that only this user can read.
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-command-'))
  try {
    const audio = join(folder, audioName)
    await writeFile(audio, encodeWav(clip.samples, engineSampleRateHz), { mode: 0o600 })
    const values: Readonly<Record<string, string>> = { audio, language: language ?? 'auto' }
    const fill = (text: string): string =>
      text.replaceAll(/\{\{(\w+)\}\}|\{(audio|language)\}/g, (_, literal, name) =>
        literal === undefined ? (values[name] ?? '') : `{${literal}}`,
      )
    const end = await runProgram({
      program: command.program,
      arguments: command.arguments.map(fill),
      environment: { ...process.env, ...command.environment },
      folder,
      timeoutMs: command.timeoutSeconds * 1000,
      maxOutputBytes,
      signal,
    })
    const spoken = await spokenBy(command, end, () =>
      written(command, folder, command.output === 'stdout' ? '' : fill(command.output.file)),
    )
    return spoken.ok
      ? succeeded({ text: findText(spoken.value, command.pattern), language: command.language ?? language })
      : failed(withStderr(spoken.failure, 'stderr' in end ? end.stderr : ''))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The program's output, from stdout or from its file, or the reason why there is none. */
async function spokenBy(
  command: CommandEntry,
  end: ProgramEnd,
  readFile: () => Promise<Outcome<string, EngineFailure>>,
): Promise<Outcome<string, EngineFailure>> {
  const name = basename(command.program)
  switch (end.kind) {
    case 'exited': {
      const { exitCode, killedBy, stdout } = end
      if (exitCode !== null && command.successExitCodes.includes(exitCode)) {
        return command.output === 'stdout' ? succeeded(stdout) : readFile()
      }
      const ending = exitCode === null ? `signal ${killedBy}` : `exit code ${exitCode}`
      return failed({ code: 'TRANSCRIPTION_FAILED', message: `${name} ended with ${ending}.` })
    }
    case 'timedOut': {
      const message = `${name} gave no text within ${command.timeoutSeconds} s.`
      return failed({ code: 'TIMEOUT', message })
    }
    case 'tooMuch':
      return failed(tooMuch(command))
    case 'abandoned':
      return failed({ code: 'TRANSCRIPTION_FAILED', message: 'Abandoned.' })
    case 'unstarted':
      return failed({
        code: 'ENGINE_UNAVAILABLE',
        message: `${name} cannot be started (${end.reason}).`,
        hint: 'Install it, or the interpreter that its first line names, or correct `program` in the engines file.',
      })
  }
}

/** The content of the output file that the engines file names; a relative path is in the folder of the program. */
async function written(
  command: CommandEntry,
  folder: string,
  file: string,
): Promise<Outcome<string, EngineFailure>> {
  const path = resolve(folder, file)
  try {
    if ((await stat(path)).size > maxOutputBytes) return failed(tooMuch(command))
    return succeeded(await readFile(path, 'utf8'))
  } catch {
    // The system's message would name the temporary folder, so it is omitted.
    const names = await readdir(folder).catch(() => [])
    const others = names.filter((name) => name !== audioName).slice(0, maxListedFiles)
    const left = others.length === 0 ? '' : ` What it left in its folder: ${others.join(', ')}.`
    return failed({
      code: 'TRANSCRIPTION_FAILED',
      message: `${basename(command.program)} left no file ${withoutPaths(path)} with its text.`,
      hint: `Correct \`output\` in the engines file.${left}`,
    })
  }
}

function tooMuch({ program }: CommandEntry): EngineFailure {
  return { code: 'TRANSCRIPTION_FAILED', message: `${basename(program)} printed more than a transcript.` }
}

const maxHintCharacters = 500
const maxDetailCharacters = 4_000

/** Adds the last line of stderr, usually the reason, to the hint for the client, and its end to the log detail. */
function withStderr(failure: EngineFailure, stderr: string): EngineFailure {
  const detail = stderr.trim().slice(-maxDetailCharacters)
  if (detail === '') return failure
  const lastLine = withoutPaths(detail.split('\n').at(-1) ?? '').slice(0, maxHintCharacters)
  const hint = [failure.hint, `It said: ${lastLine}`].filter((part) => part !== undefined).join(' ')
  return { ...failure, hint, detail }
}

/** Shortens absolute paths to their last part, because clients need not know the folders of this machine. */
function withoutPaths(text: string): string {
  return text.replaceAll(/(?<![\w.:/\\])(?:[A-Za-z]:)?[\\/](?:[^\s\\/:'"]+[\\/])+([^\s\\/:'"]*)/g, '$1')
}

function findText(output: string, pattern: string | undefined): string {
  const found =
    pattern === undefined
      ? [output]
      : [...output.matchAll(new RegExp(pattern, 'gm'))].map(([whole, group]) => group ?? whole)
  return found.join(' ').trim().replaceAll(/\s+/g, ' ')
}

interface ProgramRun {
  readonly program: string
  readonly arguments: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  /** Working directory. */
  readonly folder: string
  readonly timeoutMs: number
  readonly maxOutputBytes: number
  readonly signal: AbortSignal
}

type ProgramEnd =
  | {
      readonly kind: 'exited'
      /** Null if a signal ended the process. */
      readonly exitCode: number | null
      readonly killedBy: NodeJS.Signals | null
      readonly stdout: string
      /** The end of stderr, if it is long. */
      readonly stderr: string
    }
  /** `reason` is the system's code, such as `ENOENT`. */
  | { readonly kind: 'unstarted'; readonly reason: string }
  | { readonly kind: 'timedOut' | 'tooMuch' | 'abandoned'; readonly stderr: string }

const maxStderrCharacters = 16_000

/**
 * Runs a program without a shell, and resolves when it has ended. It is killed with all its children on
 * time-out, excessive output, or the signal.
 */
export function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  if (run.signal.aborted) return Promise.resolve({ kind: 'abandoned', stderr: '' })
  return new Promise((resolve) => {
    // A program that could not be started for lack of descriptors has no streams.
    const child: ChildProcess = spawn(run.program, run.arguments, {
      cwd: run.folder,
      env: run.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Starts the program in a separate process group, so that it can be killed with its children.
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

/** Kills the process group. A child that left the group survives, but no transcriber should do that. */
function killTree({ pid }: ChildProcess): void {
  if (pid === undefined) return
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true })
    return
  }
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has ended meanwhile.
  }
}
