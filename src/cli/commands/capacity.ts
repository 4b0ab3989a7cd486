import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CapacityEstimate } from '#capacity/calibration'
import type { Level } from '#capacity/level'
import type { CapacityEvent, CapacityRequest, CapacityStage } from '#capacity/measure/contender-input'
import { measureCapacity, unsearchedSeconds } from '#capacity/measure/measure-capacity'
import { evaluateStoredWhatIf } from '#capacity/measure/stored-what-if'
import { type Objective, parseObjectives } from '#capacity/objective'
import type { PriceList } from '#capacity/prices'
import type { BenchConfig } from '#config/bench-config'
import { listFlags } from '#config/flags'
import { findRun } from '#journal/find-run'
import { standardPauseSeconds } from '#load/loads/users'
import type { ExitClass } from '#prelude'
import { formatRate } from '#reports/capacity/capacity-words'
import { renderCapacity, renderWhatIf } from '#reports/capacity/render-capacity'
import { counted, formatSeconds } from '#reports/layout/units'
import { readPriceList } from '#run/plan/provider-terms'
import { parseDurationOrNone, parseSeconds, parseShare } from '../arguments.ts'
import { type Attach, type CommandContext, listenForInterruption, typedCommand } from '../command-context.ts'
import { checkOutputs, deliver, documentRenderings, outputOption } from '../document-output.ts'
import { gravest } from '../failure.ts'
import { fetchWhatIsMissing, orAdviseToFetch } from '../fetch.ts'
import { loadConfig, loadMeasured } from '../load-config.ts'
import { namedFile } from '../named-files.ts'
import {
  inGroups,
  type OptionGroups,
  positiveNumber,
  repeatable,
  settingGroups,
  shortened,
  wholeNumber,
} from '../options.ts'
import { movingLine } from '../progress-lines.ts'
import { type OptionsOf, option, readOption, type TypedOption, withMore } from '../typed-options.ts'

/** Default objectives: acceptable for dictation, and feasible for a small model on a small machine. */
const standardObjectives = ['p95 <= 0.5s + 0.1d', 'failures <= 1%']

/** Settings that a capacity measurement decides itself, or that have another meaning here. */
const decidedHere =
  /^--(load|concurrency|rate|duration|burstiness|trace|speed|users|pause|rounds|warmup|max-warmup|threshold)\b/
const settings = listFlags().filter(({ syntax }) => !decidedHere.test(syntax))

const optionGroups: OptionGroups = [
  [
    'Options:',
    [
      ...['target', 'contender', 'corpus', 'slo', 'budget', 'users', 'what-if', 'prices', 'fetch', 'strict'],
      ...['json', 'output'],
    ],
  ],
  ['Search:', ['precision', 'in-flight', 'overload', 'known-capacity', 'pause', 'decodes']],
  ...settingGroups,
]

/** Attributes of the options that a question to a stored capacity uses; with it, the others would be without effect. */
const usedByWhatIf = ['whatIf', 'exclude', 'slo', 'users', 'results', 'strict', 'json', 'output']

/** The option `--no-prices`, without the default `true` that it has if `--prices` is not defined. */
function withoutPrices(): TypedOption<'prices', boolean | undefined> {
  return new Option('--no-prices', 'omit costs, also with --users')
}

const ownOptions = () => [
  readOption(
    '--slo <objective>',
    `service-level objective, such as 'p95 <= 2s' or 'p95 <= 0.5s + 0.2d', d: audio length; repeatable (default: ${standardObjectives.join(' and ')})`,
    anotherObjective,
  ),
  readOption('--budget <duration>', 'time to use, for each contender', parseSeconds, 600, '10min'),
  readOption(
    '--precision <percent>',
    'stop early at a confirmed interval of ± this (default: use the budget)',
    parseShare,
  ),
  readOption(
    '--in-flight <counts>',
    'concurrency levels of the sweep',
    inFlights,
    [1, 2, 4, 8, 16],
    '1,2,4,8,16',
  ),
  readOption(
    '--overload <time>',
    'length of each overload; 0s: none (default: 1/60 of the budget, max 20 s)',
    parseDurationOrNone,
  ),
  readOption(
    '--known-capacity <requests>',
    'requests per second taken for the capacity: overload only, no search',
    positiveNumber('requests per second'),
  ),
  readOption(
    '--pause <time>',
    'pause of a user between two dictations',
    parseSeconds,
    standardPauseSeconds,
    `${standardPauseSeconds}s`,
  ),
  readOption(
    '--users <count>',
    'size machines for this many concurrent users, with costs per year',
    wholeNumber(1),
  ),
  option('--what-if <run>', 'simulate --exclude, --slo, --users from a stored capacity; send nothing'),
  readOption('--decodes <count>', 'concurrent requests of the built-in service', wholeNumber(1)),
  option('--prices [file]', 'costs of this machine and of providers (default list: configs/prices.yaml)'),
  withoutPrices(),
  readOption(
    '--utilisation <percent>',
    'mean load of a year, of the capacity or of the load of all --users',
    parseShare,
    0.1,
    '10%',
  ),
  option('--fetch', 'first install the models and fetch the corpus where they are missing'),
  option('--strict', 'exit 6 where the capacity was not measured and confirmed'),
  option('--json', 'one JSON document on stdout'),
  outputOption('capacity'),
]
type CapacityOptions = OptionsOf<typeof ownOptions>

/** `transcribench capacity [config]`: the highest load within the objectives. */
export function defineCapacityCommand(capacity: Command, attach: Attach): void {
  capacity.argument('[config]', 'a YAML or JSON file; its load, rounds and thresholds are not used')
  attach(
    capacity,
    () => {
      const options = withMore(ownOptions(), ofSettings())
      const names = options.map((option) => option.attributeName())
      options
        .find((option) => option.attributeName() === 'whatIf')
        ?.conflicts(names.filter((name) => !usedByWhatIf.includes(name)))
      return inGroups(options, optionGroups)
    },
    async (context, options, [configPath]) => {
      await checkOutputs(context, 'capacity', options)
      const load = options.whatIf === undefined ? loadMeasured : loadConfig
      const flags = settingFlags(options)
      const { config, sources } = await load(context, configPath, flags)
      if (options.whatIf !== undefined)
        return await answerWhatIf(context, options.whatIf, { config, options })
      const request = await readRequest(context, options)
      // Without a config only one contender is measured, because each takes the whole budget.
      const isQuick = configPath === undefined && flags['contender'] === undefined
      const chosen = isQuick
        ? {
            ...config,
            name: sources['name'] === 'default' ? 'capacity' : config.name,
            contenders: config.contenders.slice(0, 1),
          }
        : config
      if (options.fetch === true) await fetchWhatIsMissing(context, chosen)
      return await orAdviseToFetch(context, chosen, () => execute(context, chosen, { request, options }))
    },
    (context, options, [configPath]) => loadConfig(context, configPath, settingFlags(options)),
  )
}

function ofSettings(): readonly Option[] {
  return settings.map(({ syntax, description, isRepeatable }) => {
    const option = new Option(syntax, description)
    return isRepeatable ? option.argParser(repeatable) : option
  })
}

function settingFlags(options: CapacityOptions): Readonly<Record<string, unknown>> {
  const values: Readonly<Record<string, unknown>> = { ...options }
  return Object.fromEntries(settings.map(({ attribute }) => [attribute, values[attribute]]))
}

/** Evaluates a question with a stored capacity; nothing is sent. */
async function answerWhatIf(
  context: CommandContext,
  name: string,
  { config, options }: { readonly config: BenchConfig; readonly options: CapacityOptions },
): Promise<ExitClass> {
  const results = resolve(context.cwd, config.results)
  const { finding, answers } = await evaluateStoredWhatIf(await findRun(name, results), {
    exclude: config.exclude,
    objectives: options.slo ?? null,
    users: options.users ?? null,
  })
  const renderings = documentRenderings({ kind: 'capacity', finding })
  const text = (): string => `\n${renderWhatIf(answers, { terminal: context.output, finding })}\n`
  context.printResult(options, finding, text)
  if (options.output !== undefined) await deliver(context, renderings, { output: options.output })
  const unansweredCount = answers.filter(({ whatIf }) => whatIf === null).length
  const isUnanswered = unansweredCount === answers.length || (options.strict === true && unansweredCount > 0)
  return isUnanswered ? 'unresolved' : 'done'
}

async function readRequest(context: CommandContext, options: CapacityOptions): Promise<CapacityRequest> {
  return {
    objectives: options.slo ?? parseObjectives(standardObjectives),
    budgetSeconds: options.budget,
    precision: options.precision ?? null,
    inFlights: options.inFlight,
    overloadSeconds: options.overload ?? null,
    knownCapacity: options.knownCapacity ?? null,
    meanPauseSeconds: options.pause,
    users: options.users ?? null,
    decodes: options.decodes ?? null,
    prices: await askedPrices(context, options),
    utilisation: options.utilisation,
  }
}

async function execute(
  context: CommandContext,
  config: BenchConfig,
  { request, options }: { readonly request: CapacityRequest; readonly options: CapacityOptions },
): Promise<ExitClass> {
  const watcher = showCapacity(context, request)
  using interruption = listenForInterruption(() =>
    watcher.say('  stopping: waiting for what is in flight; Ctrl-C again drops it'),
  )
  const { folder, finding } = await measureCapacity({
    config: { ...config, results: resolve(context.cwd, config.results) },
    request,
    onEvent: watcher.onEvent,
    stop: interruption.stop,
    drop: interruption.drop,
    command: typedCommand(),
    env: context.env,
  }).finally(() => watcher.done())
  const renderings = documentRenderings({ kind: 'capacity', finding })
  const shown = { terminal: context.output, folder: shortened(folder, context.cwd) }
  context.printResult(options, finding, () => `\n${renderCapacity(finding, shown)}\n`)
  if (options.output !== undefined) await deliver(context, renderings, { output: options.output })
  const isUnresolved = finding.contenders.some(
    ({ capacity, confirmation }) => capacity?.basis !== 'measured' || confirmation?.verdict !== 'met',
  )
  // If no searched contender has a capacity, the command fails, because a script might take the output for an answer.
  const isUnknown = finding.contenders.every(({ capacity, ended }) => capacity === null && ended !== 'given')
  return gravest([
    interruption.stop.aborted && 'interrupted',
    finding.remarks.some(({ severity }) => severity === 'invalid') && 'runNotValid',
    (isUnknown || (options.strict === true && isUnresolved)) && 'unresolved',
  ])
}

/** The price list for --prices, and for --users, which needs yearly costs; the built-in list by default. */
async function askedPrices(
  context: CommandContext,
  { prices, users }: Pick<CapacityOptions, 'prices' | 'users'>,
): Promise<PriceList | null> {
  if (prices === false || (prices === undefined && users === undefined)) return null
  return await readPriceList(namedFile(context, typeof prices === 'string' ? prices : undefined, '--prices'))
}

function anotherObjective(text: string, previous: readonly Objective[] = []): readonly Objective[] {
  return parseObjectives([...previous.map((objective) => objective.text), text])
}

function inFlights(text: string): readonly number[] {
  const counts = [...new Set(text.split(',').map(Number))].sort((a, b) => a - b)
  if (counts.every((count) => Number.isInteger(count) && count >= 1) && counts[0] === 1) return counts
  throw new InvalidArgumentError('Whole numbers that begin with 1 are needed, such as 1,2,4,8.')
}

const stageWords: Readonly<Record<CapacityStage, string>> = {
  cold: 'cold start, two requests at once, first answer after an idle time',
  sweep: 'requests in flight: throughput, and whether texts change',
  search: 'open loads around the expected capacity',
  overload: 'overload and recovery',
  interference: 'dictation next to long recordings',
  confirmation: 'confirmation in a separate test',
}

/** Shows the progress of a capacity measurement on stderr: a line per stage and load, and a moving one. */
function showCapacity(
  context: CommandContext,
  request: CapacityRequest,
): { onEvent(event: CapacityEvent): void; say(text: string): void; done(): void } {
  const moving = movingLine(context, { watchedMs: 200, loggedMs: Infinity, showsAtOnce: context.isWatched })
  const say = (text: string): void => {
    moving.clear()
    context.say(text)
  }
  return {
    say,
    done: moving.done,
    onEvent(event) {
      switch (event.kind) {
        case 'verified':
          return
        case 'planned': {
          const { corpus, contenderIds, target, folder } = event
          const { correctedCount } = corpus
          const { budgetSeconds, knownCapacity } = request
          const neededSeconds = unsearchedSeconds(request)
          const short =
            knownCapacity !== null || budgetSeconds > neededSeconds
              ? ''
              : `, too short for open loads: cold start, sweep and results have ${formatSeconds(neededSeconds)} at least`
          const corrected = correctedCount === 0 ? '' : `; ${counted(correctedCount, 'corrected reference')}`
          say(
            [
              '',
              `  plan      ${contenderIds.join(', ')}; a budget of ${formatSeconds(budgetSeconds)} each${short}`,
              `  objective ${request.objectives.map(({ text }) => text).join(' and ')}`,
              `  corpus    ${corpus.name}, ${corpus.utteranceCount} utterances of ${corpus.meanAudioSeconds.toFixed(1)} s on average${corrected}`,
              `  target    ${target}`,
              `  folder    ${folder}`,
              '',
            ].join('\n'),
          )
          return
        }
        case 'stage':
          say(
            `  ${event.contenderId}: ${stageWords[event.stage]}; ${formatSeconds(Math.max(0, event.secondsLeft))} left`,
          )
          return
        case 'level':
          say(levelLine(event.level, event.estimate, event.secondsLeft))
          return
        case 'run': {
          if (event.event.kind !== 'attempted') return
          const { line, inFlight } = event.event
          moving.show(() => `measuring   block ${line.block + 1}   in flight ${inFlight}`)
        }
      }
    },
  }
}

function levelLine(
  { perSecond, objectives, verdict }: Level,
  estimate: CapacityEstimate | null,
  secondsLeft: number,
): string {
  const sign = verdict === 'met' ? '✓' : verdict === 'violated' ? '✗' : '~'
  const misses = objectives.map((each) => `${each.misses} of ${each.requests} missed`).join(', ')
  const capacityText =
    estimate === null
      ? ''
      : `   capacity ${formatRate(estimate.perSecond)} (${formatRate(estimate.low)} to ${formatRate(estimate.high)})`
  return `    ${sign} ${formatRate(perSecond)} requests per second   ${misses}${capacityText}   ${formatSeconds(Math.max(0, secondsLeft))} left`
}
