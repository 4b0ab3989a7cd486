import { basename, delimiter, dirname, relative, resolve } from 'node:path'
import process from 'node:process'
import type { Command, Option } from 'commander'
import { homeDirectory } from '#installation/installation'
import { type ExitClass, shellWord } from '#prelude'
import type { Terminal } from '#reports/layout/terminal'
import { cliErrors } from './errors.ts'
import type { OptionsOf } from './typed-options.ts'

/** All external resources that a command may use, so that no other code accesses them directly. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  /**
   * Standard input, which can be read once.
   *
   * @param what reads it: `the config`, `--prices`
   * @throws BenchError COMMAND_LINE_INVALID the second time, naming both readers
   */
  openStandardInput(what: string): AsyncIterable<Uint8Array>
  /** Registers a clean-up for the end of the command, however it ends; they run in reverse order. */
  atEnd(cleanUp: () => Promise<void>): void
  end(): Promise<void>
  /** Makes texts and errors show a file or folder as what was typed for it, because it is gone after the command. */
  showAs(path: string, typed: string): void
  /** A text with the paths of `showAs` replaced. */
  shown(text: string): string
  /** Makes commands in texts find the runs of this one with a flag `--results`; empty if they do by default. */
  findRunsWith(flag: string): void
  /** A text whose commands find the runs of this one. */
  findingRuns(text: string): string
  /** A text whose commands are shown as they can be typed here. */
  asTyped(text: string): string
  /** Prints the result to stdout. In text, but not in JSON, commands are shown as they can be typed here. */
  print(text: string): void
  /** Prints the result to stdout, as one JSON document with `--json`. */
  printResult(options: { readonly json?: boolean }, document: unknown, text: () => string): void
  /**
   * Writes a piece of a long result; resolves when it is written.
   *
   * @returns false if no more is accepted: the reader of a pipe has stopped, or the disk is full
   */
  write(piece: string): Promise<boolean>
  /** Whether a result, or a part of one, was printed to stdout. */
  readonly hasPrinted: boolean
  /** Prints progress, warnings and errors to stderr. */
  say(text: string): void
  readonly stderr: NodeJS.WriteStream
  /** Terminal capabilities of stdout. */
  readonly output: Terminal
  readonly conversation: Terminal
  /** Whether stderr is a terminal, so that a user may watch it. */
  readonly isWatched: boolean
  /** Whether `--quiet` suppresses everything on stderr but errors. */
  readonly isQuiet: boolean
}

/** Options that every command accepts, at any position on the line. */
export interface GlobalOptions {
  readonly quiet?: boolean
  /** `--color` and `--no-color`; undefined for the choice of the terminal and NO_COLOR. */
  readonly color?: boolean
}

/** The context of this process; no other code reads its environment. */
export function processContext(options: GlobalOptions = {}): CommandContext {
  const { stdin, stdout, stderr, env } = process
  let reader: string | null = null
  let hasPrinted = false
  const cleanUps: (() => Promise<void>)[] = []
  const shownAs = new Map<string, string>()
  const program = typedProgram()
  const shown = (text: string): string =>
    [...shownAs].reduce((now, [path, typed]) => now.replaceAll(path, () => typed), text)
  let resultsFlag = ''
  const typed = (text: string): string => asTyped(withResults(text, resultsFlag), program)
  const print = (text: string): void => {
    hasPrinted = true
    stdout.write(`${/^[[{]/.test(text) ? text : typed(shown(text))}\n`)
  }
  return {
    env,
    // The directory is read only when needed, so that other commands do not fail without it.
    get cwd() {
      return workingDirectory()
    },
    get home() {
      return homeDirectory(env)
    },
    openStandardInput(what) {
      if (reader !== null) throw readTwice(reader, what)
      reader = what
      return stdin
    },
    atEnd: (cleanUp) => cleanUps.push(cleanUp),
    async end() {
      for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
    },
    showAs: (path, typed) => shownAs.set(path, typed),
    shown,
    findRunsWith(flag) {
      resultsFlag = flag
    },
    findingRuns: (text) => withResults(text, resultsFlag),
    asTyped: typed,
    print,
    printResult: ({ json }, document, text) =>
      print(json === true ? JSON.stringify(document, null, 2) : text()),
    write(piece) {
      hasPrinted = true
      return new Promise((resolve) => stdout.write(piece, (error) => resolve(error == null)))
    },
    get hasPrinted() {
      return hasPrinted
    },
    say: (text) => options.quiet === true || stderr.write(`${typed(shown(text))}\n`),
    stderr,
    output: describeTerminal(stdout, env, options),
    conversation: describeTerminal(stderr, env, options),
    isWatched: stderr.isTTY === true && env['TERM'] !== 'dumb' && env['CI'] === undefined,
    isQuiet: options.quiet === true,
  }
}

function workingDirectory(): string {
  try {
    return process.cwd()
  } catch (cause) {
    throw cliErrors.make('WORKING_FOLDER_GONE', {
      message: 'the folder that this command was started in is gone',
      hint: 'go to another folder, then give the command again: cd ~',
      cause,
    })
  }
}

/** The error for two readers of standard input. */
export function readTwice(first: string, second: string): Error {
  return cliErrors.make('COMMAND_LINE_INVALID', {
    message: `standard input (-) can be read once, and both ${first} and ${second} are to come from it`,
    hint: 'name a file in one of the places',
  })
}

function describeTerminal(
  stream: NodeJS.WriteStream,
  env: CommandContext['env'],
  { color }: GlobalOptions,
): Terminal {
  const isTerminal = stream.isTTY === true
  const isForced = env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0'
  const isRefused = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb'
  const locale = env['LC_ALL'] ?? env['LC_CTYPE'] ?? env['LANG'] ?? ''
  const isPlainConsole =
    isTerminal && process.platform !== 'win32' && locale !== '' && !/utf-?8/i.test(locale)
  return {
    // Some terminals report a width of 0. A file has no width, so it is laid out like a common terminal.
    width: isTerminal ? stream.columns || 80 : 100,
    color: color ?? (isForced || (isTerminal && !isRefused)),
    unicode: !isPlainConsole,
  }
}

/** Executes a command: receives its context and returns the exit class. */
export type Action<Options> = (
  context: CommandContext,
  options: Options,
  args: readonly string[],
) => Promise<ExitClass>

/** Finds further problems of a command line that has invalid values. */
export type Check<Options> = (...given: Parameters<Action<Options>>) => Promise<unknown>

/** Adds options and an action to a command. Its errors are reported, and its exit class becomes the exit code. */
export type Attach = <Make extends () => readonly Option[]>(
  command: Command,
  options: Make,
  action: Action<OptionsOf<Make>>,
  check?: Check<OptionsOf<Make>>,
) => void

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Listens for Ctrl-C, SIGTERM and the closing of the terminal. The first signal stops sending, the second drops
 * requests in flight, the third ends the process like an unhandled signal.
 */
export function listenForInterruption(
  onStop: () => void,
): Disposable & Readonly<Record<'stop' | 'drop', AbortSignal>> {
  const stop = new AbortController()
  const drop = new AbortController()
  const listener = (): void => {
    if (!stop.signal.aborted) {
      stop.abort()
      onStop()
    } else if (!drop.signal.aborted) {
      drop.abort()
    } else {
      process.exit(130)
    }
  }
  for (const signal of signals) process.on(signal, listener)
  const watch = watchLauncher(process.env, listener)
  return {
    stop: stop.signal,
    drop: drop.signal,
    [Symbol.dispose]() {
      clearInterval(watch)
      for (const signal of signals) process.off(signal, listener)
    },
  }
}

const launcherIntervalMs = 250

/**
 * Detects a SIGTERM to `npm run`, which only ends the shell between npm and this program: the parent process changes.
 */
function watchLauncher(
  env: Readonly<Record<string, string | undefined>>,
  onGone: () => void,
): NodeJS.Timeout | undefined {
  if (env['npm_lifecycle_event'] === undefined) return undefined
  const launcher = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === launcher) return
    clearInterval(timer)
    onGone()
  }, launcherIntervalMs)
  return timer.unref()
}

/** The command that started this process, as stored in a run; commands are adapted when they are shown. */
export function typedCommand(): readonly string[] {
  return ['transcribench', ...process.argv.slice(2)]
}

type Started = Pick<NodeJS.Process, 'argv' | 'argv0' | 'env'> & { cwd(): string }

/**
 * The program as it was typed: `transcribench`, `./scripts/transcribench`, `npx transcribench`, or `npm run -s
 * transcribench --`. The default is `transcribench`, for example under a debugger.
 */
export function typedProgram({ argv, argv0, env, cwd }: Started = process): string {
  const { npm_lifecycle_event: script, npm_lifecycle_script: line = '' } = env
  if (script === 'transcribench') return 'npm run -s transcribench --'
  if (script === 'npx' && /^['"]?transcribench\b/.test(line)) return 'npx transcribench'
  // The launcher of a checkout passes its name in argv0; npm's link is in argv[1].
  const path = [argv0, argv[1] ?? ''].find((name) => basename(name) === 'transcribench')
  if (path === undefined || path === 'transcribench') return 'transcribench'
  const folders = (env['PATH'] ?? '').split(delimiter)
  if (folders.includes(dirname(path))) return 'transcribench'
  if (path === argv0) return shellWord(path)
  const short = relative(cwd(), resolve(path))
  return shellWord(short.startsWith('..') ? path : `./${short}`)
}

/** Names of the commands, copied because the catalogue's commands import this file; a test compares both. */
const names =
  'run|experiment|capacity|calibrate|replay|fleet|init|config|doctor|compare|merge|baseline|history|wer|report|view|review|score|export|query|explain|corpus|serve|models|modes|conformance|help'

/** Commands in a text, such as `transcribench report latest`, even across a line break. */
const namedCommand = new RegExp(String.raw`\btranscribench(?=\s+(?:(?:${names})\b|--\w|\[options\]))`, 'gu')

/** Commands in a text that read runs, and neither name a results folder nor the path of a run. */
const readingCommand =
  /\btranscribench\s+(?:baseline\s+(?:set|list|remove)|run(?=\s+--resume)|(?:report|review|compare|score|export)(?=\s+[^-\s]))(?!\s+(?:--resume\s+)?(?:'[^']*|\S*)\/)(?![^\n]* --results )/gu

/** A text whose commands find the runs of the results folder that a flag names. */
function withResults(text: string, flag: string): string {
  return flag === '' ? text : text.replaceAll(readingCommand, (command) => command + flag)
}

/** A text whose commands name the program as it was typed. */
export function asTyped(text: string, program: string): string {
  return program === 'transcribench' ? text : text.replaceAll(namedCommand, program)
}
