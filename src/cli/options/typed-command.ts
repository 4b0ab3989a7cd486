import { basename, delimiter, dirname, relative, resolve } from 'node:path'
import process from 'node:process'
import { shellWord } from '#prelude'

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
