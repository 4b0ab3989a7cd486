import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeWav } from '#audio'
import { failed, type Outcome, succeeded } from '#prelude'
import { type Clip, type Engine, type EngineFailure, engineSampleRateHz, type Spoken } from './engine.ts'
import { type ProgramEnd, runProgram } from './run-program.ts'

/** A program that writes down what it hears in a file. */
export interface CommandSettings {
  /** What clients name as `model`. */
  readonly id: string
  readonly displayName: string
  /** Looked up in PATH where it is a bare name. Never run through a shell. */
  readonly program: string
  /** `{audio}` in them stands for the path of a WAV file, `{language}` for the language, or `auto`. */
  readonly arguments: readonly string[]
  /** Added to the service's own environment. */
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
  readonly successExitCodes: readonly number[]
  /** Where the text is: on stdout, or in a file whose path may hold `{audio}`. */
  readonly output: 'stdout' | { readonly file: string }
  /** What of the output is the text: each match's first group, or the whole match. Null for all of it. */
  readonly pattern: RegExp | null
  /** What it decodes as; null where it is told, or does not say. */
  readonly language: string | null
  readonly longestClipSeconds: number | null
  /** Processes at the same time; null for as many as the service allows. */
  readonly atOnce: number | null
}

/** A text of more than this is no transcript. */
const longestOutputBytes = 8 * 2 ** 20

/** Programs trip over files that hold next to nothing. */
const shortestClipSeconds = 0.1

/** Any program as an engine: one process for each clip, ended with all of its children when the clip is given up. */
export function commandEngine(commands: readonly CommandSettings[]): Engine {
  const bounds = commands.map(({ atOnce, longestClipSeconds }) => ({ atOnce, longestClipSeconds }))
  return {
    describe: () => ({
      family: 'command',
      timestamps: [],
      mostAtOnce: smallest(bounds.map(({ atOnce }) => atOnce)),
      longestClipSeconds: smallest(bounds.map(({ longestClipSeconds }) => longestClipSeconds)),
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

function smallest(limits: readonly (number | null)[]): number | null {
  const numbers = limits.filter((limit) => limit !== null)
  return numbers.length === 0 ? null : Math.min(...numbers)
}

async function transcribe(
  command: CommandSettings,
  clip: Clip,
  language: string | null,
  signal: AbortSignal,
): Promise<Outcome<Spoken, EngineFailure>> {
  if (clip.samples.length < shortestClipSeconds * engineSampleRateHz) {
    return succeeded({ text: '', language: command.language })
  }
  // Made for this user alone.
  const folder = await mkdtemp(join(tmpdir(), 'asrbench-command-'))
  try {
    const audio = join(folder, 'audio.wav')
    await writeFile(audio, encodeWav(clip.samples, engineSampleRateHz), { mode: 0o600 })
    const fill = (text: string): string =>
      text.replaceAll(/\{(audio|language)\}/g, (_, name) => (name === 'audio' ? audio : (language ?? 'auto')))
    const end = await runProgram({
      program: command.program,
      arguments: command.arguments.map(fill),
      environment: { ...process.env, ...command.environment },
      folder,
      timeoutMs: command.timeoutSeconds * 1000,
      longestOutputBytes,
      signal,
    })
    const printed = printedBy(command, end)
    if (!printed.ok) return printed
    const output = command.output === 'stdout' ? printed : await written(command, fill(command.output.file))
    if (!output.ok) return output
    return succeeded({ text: textOf(output.value, command.pattern), language: command.language ?? language })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What a program that did its work has printed. */
function printedBy(command: CommandSettings, end: ProgramEnd): Outcome<string, EngineFailure> {
  switch (end.kind) {
    case 'exited':
      return end.exitCode !== null && command.successExitCodes.includes(end.exitCode)
        ? succeeded(end.stdout)
        : failed({
            code: 'TRANSCRIPTION_FAILED',
            message: `${command.program} ended with ${end.exitCode === null ? `signal ${end.killedBy}` : `exit code ${end.exitCode}`}.`,
            // The last line, where programs say what went wrong.
            hint: end.stderr.trim().split('\n').at(-1)?.slice(0, 500),
          })
    case 'timedOut':
      return failed({
        code: 'TIMEOUT',
        message: `${command.program} gave no text within ${command.timeoutSeconds} s.`,
      })
    case 'tooMuch':
      return failed(tooMuch(command))
    case 'abandoned':
      return failed({ code: 'TRANSCRIPTION_FAILED', message: 'Abandoned.' })
    case 'unstarted':
      return failed(unstartable(command, end.reason))
  }
}

/** What it has written into the file that the engines file names. */
async function written(command: CommandSettings, path: string): Promise<Outcome<string, EngineFailure>> {
  try {
    if ((await stat(path)).size > longestOutputBytes) return failed(tooMuch(command))
    return succeeded(await readFile(path, 'utf8'))
  } catch {
    // The system's words would name a folder that is gone by now.
    return failed({
      code: 'TRANSCRIPTION_FAILED',
      message: `${command.program} left no file with its text.`,
      hint: 'Correct `output` in the engines file.',
    })
  }
}

function tooMuch({ program }: CommandSettings): EngineFailure {
  return { code: 'TRANSCRIPTION_FAILED', message: `${program} printed more than a transcript.` }
}

function unstartable({ program }: CommandSettings, reason: string): EngineFailure {
  return {
    code: 'ENGINE_UNAVAILABLE',
    message: `${program} cannot be started: ${reason}.`,
    hint: 'Install it, or correct `program` in the engines file.',
  }
}

function textOf(output: string, pattern: RegExp | null): string {
  const found =
    pattern === null
      ? [output]
      : [...output.matchAll(new RegExp(pattern, 'gm'))].map(([whole, group]) => group ?? whole)
  return found.join(' ').trim().replaceAll(/\s+/g, ' ')
}
