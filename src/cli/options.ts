import { createRequire } from 'node:module'
import { isAbsolute, relative, resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { nearest, shellWord } from '#prelude'
import { defaultResults, resultsVariable, standardResults } from '#run/commands'
import type { CommandContext } from './command-context.ts'
import { cliErrors } from './errors.ts'
import type { TypedOption } from './typed-options.ts'

export function wholeNumber(minimum: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= minimum) return value
    throw new InvalidArgumentError(`A whole number, ${minimum} or more, is needed.`)
  }
}

/** A reader of a number above 0, such as 2.5. @param unit what it counts, for its error */
export function positiveNumber(unit: string): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d*\.?\d+$/.test(text) && value > 0 && Number.isFinite(value)) return value
    throw new InvalidArgumentError(`A number of ${unit} above 0 is needed, such as 2.5.`)
  }
}

/** Collects the values of a repeatable option. */
export function repeatable(value: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), value]
}

/** Reads comma-separated values; repeatable. */
export function commaSeparated(text: string, previous: readonly string[] | undefined): string[] {
  const values = text.split(',').map((value) => value.trim())
  return [...(previous ?? []), ...values.filter((value) => value !== '')]
}

/**
 * Checks the address of a queue. It must not contain a password, because it is part of the command that a run
 * records; the error does not repeat it.
 *
 * @throws BenchError COMMAND_LINE_INVALID
 */
export function queueUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url !== null && /^rediss?:$/.test(url.protocol) && url.password === '') return text
  throw cliErrors.make('COMMAND_LINE_INVALID', {
    message: '--queue needs an address with redis:// or rediss://, and without a password',
    hint: 'such as --queue redis://127.0.0.1:6379; an address with a password belongs in TRANSCRIBENCH_FLEET_QUEUE',
  })
}

/**
 * Checks the address of a collector. The error does not repeat it, because it may contain a password.
 *
 * @throws BenchError COMMAND_LINE_INVALID
 */
export function collectorUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return text
  throw cliErrors.make('COMMAND_LINE_INVALID', {
    message: '--otlp needs an address of HTTP without name and password',
    hint: 'such as --otlp http://127.0.0.1:4318; keys belong in OTEL_EXPORTER_OTLP_HEADERS',
  })
}

const require = createRequire(import.meta.url)

export function scoreOption(): TypedOption<'score', string | undefined> {
  return new Option(
    '--score <name>',
    'a score of the run by its file, profile or fingerprint (default: the newest)',
  ).conflicts('profile')
}

/** Option `--profile` for a normalisation profile; a misspelt name is answered with the nearest one. */
export function profileOption(description: string): TypedOption<'profile', string | undefined> {
  return new Option('--profile <profile>', description).argParser((name: string) => {
    // The module is required only here, because it contains the rules of all languages.
    const { profileNames } = require('#scoring/profiles/index') as typeof import('#scoring/profiles/index')
    if (profileNames.includes(name)) return name
    const meant = nearest(name, profileNames)
    throw new InvalidArgumentError(
      `${meant === null ? '' : `Did you mean "${meant}"? `}All profiles: transcribench explain`,
    )
  })
}

/** Option `--results`: folder in which a command looks for runs. The same variable sets where `run` writes them. */
export function resultsOption(description = 'where run folders are'): TypedOption<'results', string> {
  return new Option('--results <folder>', description)
    .env(resultsVariable)
    .default(standardResults)
    .argParser((folder) => folder || standardResults)
}

/** A path relative to the working directory if it is inside of it, otherwise unchanged. */
export function shortened(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short
}

/** A corpus folder as a command takes it: a path without a slash would be read as a name. */
export function corpusArgument(folder: string, cwd: string): string {
  const short = shortened(folder, cwd)
  return shellWord(/[\\/]/.test(short) ? short : `./${short}`)
}

/** Makes commands in texts find the runs of a results folder: with a flag, unless they do by default. */
export function findRunsIn(results: string, context: CommandContext): void {
  const [chosen = '', usual] = [results, defaultResults(context)].map((folder) =>
    resolve(context.cwd, folder),
  )
  context.findRunsWith(chosen === usual ? '' : ` --results ${shellWord(shortened(chosen, context.cwd))}`)
}

/** Headings of a help with the options below each, in the order in which they are shown. */
export type OptionGroups = readonly (readonly [heading: string, names: readonly string[]])[]

/** Groups of config settings in a help that does not list them among its first options. */
export const settingGroups: OptionGroups = [
  [
    'Load:',
    [
      'load',
      'concurrency',
      'rate',
      'users',
      'duration',
      'burstiness',
      'trace',
      'speed',
      'pause',
      'rounds',
      'warmup',
      'max-warmup',
    ],
  ],
  ['Requests:', ['timeout', 'retry', 'rate-limit', 'transport', 'stage']],
  [
    'Targets and contenders:',
    ['target', 'contender', 'platform', 'key-from', 'engines', 'skip-unready', 'parallel'],
  ],
  ['Corpus and scoring:', ['corpus', 'workload', 'sample', 'exclude', 'profile', 'threshold']],
  ['Cost:', ['prices', 'no-prices', 'utilisation', 'max-billed-minutes', 'reuse']],
  ['Run and its results:', ['name', 'results', 'seed', 'resume', 'otlp', 'strict']],
]

/** Options in the order of groups, each below the first heading that names it; ungrouped ones last, with --help. */
export function inGroups<Options extends readonly Option[]>(options: Options, groups: OptionGroups): Options {
  const ungrouped = new Map(options.map((option) => [option.long?.slice(2), option]))
  const grouped: Option[] = []
  for (const [heading, names] of groups) {
    for (const name of names) {
      const option = ungrouped.get(name)
      if (option === undefined) continue
      grouped.push(option.helpGroup(heading))
      ungrouped.delete(name)
    }
  }
  return [...grouped, ...ungrouped.values()] as readonly Option[] as Options
}
