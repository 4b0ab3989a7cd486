import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
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
    const problem = problemOf(command, end)
    if (problem !== null || end.kind !== 'exited') return failed(problem ?? unstartable(command, ''))
    const output =
      command.output === 'stdout' ? end.stdout : await readFile(fill(command.output.file), 'utf8')
    return succeeded({ text: textOf(output, command.pattern), language: command.language ?? language })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function problemOf(command: CommandSettings, end: ProgramEnd): EngineFailure | null {
  switch (end.kind) {
    case 'exited':
      return end.exitCode !== null && command.successExitCodes.includes(end.exitCode)
        ? null
        : {
            code: 'TRANSCRIPTION_FAILED',
            message: `${command.program} ended with ${end.exitCode === null ? `signal ${end.killedBy}` : `exit code ${end.exitCode}`}.`,
            // The last line, where programs say what went wrong.
            hint: end.stderr.trim().split('\n').at(-1)?.slice(0, 500),
          }
    case 'timedOut':
      return {
        code: 'TIMEOUT',
        message: `${command.program} gave no text within ${command.timeoutSeconds} s.`,
      }
    case 'tooMuch':
      return { code: 'TRANSCRIPTION_FAILED', message: `${command.program} printed more than a transcript.` }
    case 'abandoned':
      return { code: 'TRANSCRIPTION_FAILED', message: 'Abandoned.' }
    case 'unstarted':
      return unstartable(command, end.reason)
  }
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
