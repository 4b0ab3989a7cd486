import { basename, delimiter, dirname, relative, resolve } from 'node:path'
import process from 'node:process'
import type { Command, Option } from 'commander'
import { homeDirectory } from '#installation/installation'
import { type ExitClass, shellWord } from '#prelude'
import type { Terminal } from '#reports/layout/terminal'
import { cliErrors } from './errors.ts'
import type { OptionsOf } from './typed-options.ts'

/** Everything of the outside that a command may touch, in one value, so that nothing reaches for it elsewhere. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  /**
   * Standard input, which can be read once.
   *
   * @param what reads it: `the config`, `--prices`
   * @throws BenchError COMMAND_LINE_INVALID the second time, with both
   */
  openStandardInput(what: string): AsyncIterable<Uint8Array>
  /** Something to do when the command has ended, however it ended: in reverse order. */
  atEnd(cleanUp: () => Promise<void>): void
  end(): Promise<void>
  /** The result: what a pipe or a file gets. In a text, but not in JSON, commands are printed as they can be typed here. */
  print(text: string): void
  /** The result, as one JSON document where `--json` asks for it. */
  printResult(asked: { readonly json?: boolean }, document: unknown, text: () => string): void
  /**
   * A piece of a long result; ends when it is written.
   *
   * @returns false where no more is taken: the reader of a pipe has seen enough, or the disk is full
   */
  write(piece: string): Promise<boolean>
  /** Whether stdout has a result, or a part of one. */
  readonly hasPrinted: boolean
  /** The conversation: progress, warnings, errors. */
  say(text: string): void
  readonly stderr: NodeJS.WriteStream
  /** How stdout, respectively stderr, can be written to. */
  readonly output: Terminal
  readonly conversation: Terminal
  /** Whether a person watches stderr. */
  readonly isWatched: boolean
  /** Set by `--quiet`: nothing is said but errors. */
  readonly isQuiet: boolean
}

/** Options that every command accepts, at any position on the line. */
export interface GlobalOptions {
  readonly quiet?: boolean
  /** `--color` and `--no-color`; undefined leaves it to the terminal and to NO_COLOR. */
  readonly color?: boolean
}

/** The one place that reads the process's own surroundings. */
export function processContext(options: GlobalOptions = {}): CommandContext {
  const { stdin, stdout, stderr, env } = process
  let reader: string | null = null
  let hasPrinted = false
  const cleanUps: (() => Promise<void>)[] = []
  const program = typedProgram()
  const print = (text: string): void => {
    hasPrinted = true
    stdout.write(`${/^[[{]/.test(text) ? text : asTyped(text, program)}\n`)
  }
  return {
    env,
    // Asked for only where they are needed: not every command fails without them.
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
    say: (text) => options.quiet === true || stderr.write(`${asTyped(text, program)}\n`),
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

/** The refusal of standard input that two places ask for. */
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
    // Some terminals say that they are 0 columns wide. A file has no width; what is written to one is laid out as on a common terminal.
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

/** Finds what else is wrong with a command line whose values are not all taken. */
export type Check<Options> = (...given: Parameters<Action<Options>>) => Promise<unknown>

/** Adds options and an action to a command; what it throws is reported here, and its ending becomes the exit code. */
export type Attach = <Make extends () => readonly Option[]>(
  command: Command,
  options: Make,
  action: Action<OptionsOf<Make>>,
  check?: Check<OptionsOf<Make>>,
) => void

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Listens for Ctrl-C, SIGTERM and the closing of the terminal. The first stops the sending, the second drops what is in flight, the
 * third ends the process as if there were no handler.
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
 * `npm run` starts a shell that starts this program, and a SIGTERM for npm ends the shell alone: only that the parent is
 * another one shows that it came.
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

/** The command that started this process, as a run keeps it: wherever it is read, it is printed as there. */
export function typedCommand(): readonly string[] {
  return ['transcribench', ...process.argv.slice(2)]
}

type Started = Pick<NodeJS.Process, 'argv' | 'argv0' | 'env'> & { cwd(): string }

/**
 * The program as it was typed: `transcribench`, `./scripts/transcribench`, `npx transcribench`, or
 * `npm run -s transcribench --`. `transcribench` where that is not known, as under a debugger.
 */
export function typedProgram({ argv, argv0, env, cwd }: Started = process): string {
  const { npm_lifecycle_event: script, npm_lifecycle_script: line = '' } = env
  if (script === 'transcribench') return 'npm run -s transcribench --'
  if (script === 'npx' && /^['"]?transcribench\b/.test(line)) return 'npx transcribench'
  // The launcher of a checkout hands its name over; a link of npm's is the program itself.
  const path = [argv0, argv[1] ?? ''].find((name) => basename(name) === 'transcribench')
  if (path === undefined || path === 'transcribench') return 'transcribench'
  const folders = (env['PATH'] ?? '').split(delimiter)
  if (folders.includes(dirname(path))) return 'transcribench'
  if (path === argv0) return shellWord(path)
  const short = relative(cwd(), resolve(path))
  return shellWord(short.startsWith('..') ? path : `./${short}`)
}

/** The catalogue loads the commands, which load this file: it cannot be read here, and a test compares both. */
const names =
  'run|experiment|capacity|calibrate|replay|fleet|init|config|doctor|compare|merge|baseline|history|wer|report|view|review|score|export|query|explain|corpus|serve|models|modes|conformance|help'

/** Commands in a text for people, such as `transcribench report latest`, also where a line was broken in one. */
const namedCommand = new RegExp(String.raw`\btranscribench(?=\s+(?:(?:${names})\b|--\w|\[options\]))`, 'gu')

/** A text for people with its commands as they can be typed here. */
export function asTyped(text: string, program: string): string {
  return program === 'transcribench' ? text : text.replaceAll(namedCommand, program)
}
