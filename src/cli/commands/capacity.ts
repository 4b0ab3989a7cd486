import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type PriceList, parsePromises } from '#capacity'
import { type BenchConfig, listFlags } from '#config'
import { findRun } from '#journal'
import type { ExitClass } from '#prelude'
import { renderCapacity, renderWhatIf } from '#reports'
import { askStored, type CapacityRequest, measureCapacity, readPriceList } from '#session'
import { durationOf, durationOrNoneOf, shareOf } from '../arguments.ts'
import { checkOutputs, deliver, endingsOf } from '../document-output.ts'
import { documentFormats, documentRenderings } from '../document-renderings.ts'
import { cliErrors } from '../errors.ts'
import { gravest } from '../failure.ts'
import { fetchWhatIsMissing } from '../fetch-missing.ts'
import { listenForInterruption } from '../interruption.ts'
import { loadConfig } from '../load-config.ts'
import { shortened } from '../paths.ts'
import { repeatable, wholeNumber } from '../plain-arguments.ts'
import type { Attach } from '../program.ts'
import { showCapacity } from '../progress/show-capacity.ts'
import type { World } from '../world.ts'

interface CapacityOptions {
  readonly promise?: readonly string[]
  readonly budget: number
  readonly precision: number
  readonly inFlight: readonly number[]
  readonly overload: number
  readonly bears?: number
  readonly peoplePause: number
  readonly people?: number
  readonly decodes?: number
  readonly whatIf?: string
  readonly prices?: string | boolean
  readonly utilisation: number
  readonly contender?: readonly string[]
  readonly fetch?: boolean
  readonly strict?: boolean
  readonly json?: boolean
  readonly output?: string
}

/** A promise that somebody who dictates would want, and that a small model on a small machine can keep. */
const standardPromises = ['p95 <= 0.5s + 0.1d', 'failures <= 1%']

/** Settings that a capacity measurement decides by itself. */
const decidedHere =
  /^--(load|concurrency|rate|duration|burstiness|trace|speed|speakers|pause|rounds|warmup|fail-if)\b/

/** `asrbench capacity [config]`: the highest load that keeps the promise. */
export function addCapacityCommand(program: Command, attach: Attach): void {
  const capacity = program
    .command('capacity')
    .description('the highest load that keeps a promise, and for how many people that is')
    .argument('[config]', 'a YAML or JSON file; its load, rounds and thresholds are not used')
    .option(
      '--promise <promise>',
      `such as 'p95 <= 2s' or 'p95 <= 0.5s + 0.2d', d being the length of the audio; repeatable (default: ${standardPromises.join(' and ')})`,
      repeatable,
    )
    .addOption(
      new Option('--budget <time>', 'how long it may take, for each contender')
        .argParser(durationOf)
        .default(600, '10min'),
    )
    .addOption(
      new Option('--precision <percent>', 'half of the interval that is wanted')
        .argParser(shareOf)
        .default(0.05, '5%'),
    )
    .addOption(
      new Option('--in-flight <counts>', 'numbers in flight of the sweep')
        .argParser(inFlights)
        .default([1, 2, 4, 8, 16], '1,2,4,8,16'),
    )
    .addOption(
      new Option('--overload <time>', 'how long it is overloaded, 1.2 and 2 times; 0s for not at all')
        .argParser(durationOrNoneOf)
        .default(20, '20s'),
    )
    .addOption(
      new Option(
        '--bears <requests>',
        'requests a second taken for its capacity: only overload, no search',
      ).argParser(aboveZero),
    )
    .addOption(
      new Option('--people-pause <time>', 'how long people pause between dictations')
        .argParser(durationOf)
        .default(20, '20s'),
    )
    .option('--people <count>', 'how many machines for so many people', wholeNumber(1))
    .option(
      '--what-if <run>',
      'measure nothing: ask the simulation of a capacity that was measured, about --exclude, --promise, --people',
    )
    .option('--decodes <count>', 'requests that the built-in service works on at once', wholeNumber(1))
    .option('--prices <file>', 'what machines and providers cost (default: the list that is shipped)')
    .option('--no-prices', 'no costs')
    .addOption(
      new Option('--utilisation <percent>', 'how much of the capacity is used over the day')
        .argParser(shareOf)
        .default(0.1, '10%'),
    )
  for (const { syntax, description, isRepeatable } of listFlags().filter(
    ({ syntax }) => !decidedHere.test(syntax),
  )) {
    const option = new Option(syntax, description)
    capacity.addOption(isRepeatable ? option.argParser(repeatable) : option)
  }
  capacity
    .option('--fetch', 'first install the models and fetch the corpus where they are missing')
    .option('--strict', 'exit 6 where no capacity was found or it was not confirmed')
    .option('--json', 'one JSON document on stdout')
    .option(
      '-o, --output <file>',
      `also write it to a file, in the format of its ending: ${endingsOf(documentFormats.capacity)}`,
    )
  attach<CapacityOptions>(capacity, async (world, options, [configPath]) => {
    await checkOutputs(world, documentFormats.capacity, [options])
    const { config } = await loadConfig(world, configPath, { ...options })
    if (options.whatIf !== undefined) return await answerWhatIf(world, options.whatIf, { config, options })
    const request = await requestOf(world, options)
    // Without a config one contender is measured: the time is asked for each.
    const isQuick = configPath === undefined && options.contender === undefined
    const chosen = isQuick
      ? { ...config, name: 'capacity', contenders: config.contenders.slice(0, 1) }
      : config
    if (options.fetch === true) await fetchWhatIsMissing(world, chosen)
    return await carryOut(world, chosen, { request, options })
  })
}

/** Asks what was measured; nothing is sent. */
async function answerWhatIf(
  world: World,
  name: string,
  { config, options }: { readonly config: BenchConfig; readonly options: CapacityOptions },
): Promise<ExitClass> {
  const results = resolve(world.cwd, config.results)
  const { finding, answers } = await askStored(await findRun(name, results), {
    exclude: config.exclude,
    promises: options.promise === undefined ? null : parsePromises(options.promise),
    people: options.people ?? null,
  })
  const renderings = documentRenderings({ kind: 'capacity', finding }, world)
  if (options.output !== undefined) await deliver(world, renderings, { output: options.output })
  world.print(
    options.json === true
      ? JSON.stringify(finding, null, 2)
      : `\n${renderWhatIf(answers, { terminal: world.output, finding })}\n`,
  )
  const isUnanswered = answers.some(({ whatIf }) => whatIf === null)
  return options.strict === true && isUnanswered ? 'unresolved' : 'done'
}

async function requestOf(world: World, options: CapacityOptions): Promise<CapacityRequest> {
  const promises = parsePromises(options.promise ?? standardPromises)
  return {
    promises,
    budgetSeconds: options.budget,
    precision: options.precision,
    inFlights: options.inFlight,
    overloadSeconds: options.overload,
    bears: options.bears ?? null,
    meanPauseSeconds: options.peoplePause,
    people: options.people ?? null,
    decodes: options.decodes ?? null,
    prices: options.prices === false ? null : await pricesFrom(world, options.prices),
    utilisation: options.utilisation,
  }
}

async function carryOut(
  world: World,
  config: BenchConfig,
  { request, options }: { readonly request: CapacityRequest; readonly options: CapacityOptions },
): Promise<ExitClass> {
  const watcher = showCapacity(world, request)
  using interruption = listenForInterruption(() =>
    watcher.say('  stopping: waiting for what is in flight; Ctrl-C again drops it'),
  )
  const { folder, finding } = await measureCapacity({
    config: { ...config, results: resolve(world.cwd, config.results) },
    request,
    onEvent: watcher.onEvent,
    stop: interruption.stop,
    drop: interruption.drop,
    command: ['asrbench', ...process.argv.slice(2)],
    env: world.env,
  }).finally(() => watcher.done())
  const renderings = documentRenderings({ kind: 'capacity', finding }, world)
  if (options.output !== undefined) await deliver(world, renderings, { output: options.output })
  world.print(
    options.json === true
      ? JSON.stringify(finding, null, 2)
      : `\n${renderCapacity(finding, { terminal: world.output, folder: shortened(folder, world.cwd) })}\n`,
  )
  const isUnresolved = finding.contenders.some(
    ({ capacity, confirmation }) => capacity === null || confirmation?.verdict !== 'kept',
  )
  return gravest([
    ...(interruption.stop.aborted ? (['interrupted'] as const) : []),
    ...(finding.remarks.some(({ severity }) => severity === 'invalid') ? (['runNotValid'] as const) : []),
    ...(options.strict === true && isUnresolved ? (['unresolved'] as const) : []),
    'done',
  ])
}

/** @param path true: the list that is shipped */
function pricesFrom({ cwd }: World, path: string | boolean | undefined): Promise<PriceList> {
  return readPriceList(typeof path === 'string' ? resolve(cwd, path) : null)
}

function inFlights(text: string): readonly number[] {
  const counts = [...new Set(text.split(',').map(Number))].sort((a, b) => a - b)
  if (counts.every((count) => Number.isInteger(count) && count >= 1) && counts[0] === 1) return counts
  throw new InvalidArgumentError('Whole numbers that begin with 1 are needed, such as 1,2,4,8.')
}

function aboveZero(text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new InvalidArgumentError('A number of requests a second above 0 is needed, such as 6.9.')
}
