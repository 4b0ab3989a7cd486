import { basename, resolve } from 'node:path'
import type { Command } from 'commander'
import { becameWorse } from '#analysis/documents/comparison'
import type { Experiment } from '#analysis/documents/experiment'
import { evaluateRun } from '#analysis/evaluate-run'
import { undetectable } from '#analysis/figures/ranking/required-utterances'
import { gateMargin } from '#analysis/figures/speed/margins'
import { parseThresholds, type Threshold } from '#analysis/metrics/threshold'
import { checkThresholds } from '#analysis/thresholds/check-thresholds'
import { readRun } from '#journal/run-reader'
import { allOf, type ExitClass } from '#prelude'
import { experimentLook, renderCalibration } from '#reports/comparison/render-comparison'
import { storedScoring } from '#results/scores'
import { calibrate, type ExperimentEvent, type ExperimentSide, runExperiment } from '#run/experiment'
import { coolDownOption, parseMargin, parseSeconds, parseShare } from '../arguments.ts'
import { type Attach, type CommandContext, listenForInterruption, typedCommand } from '../command-context.ts'
import { checkOutputs, deliverDocument, outputOption, withFailureComment } from '../document-output.ts'
import { cliErrors } from '../errors.ts'
import { loadMeasured } from '../load-config.ts'
import { standardStream } from '../named-files.ts'
import { repeatable, shortened, wholeNumber } from '../options.ts'
import { type OptionsOf, option, readOption } from '../typed-options.ts'

const experimentOptions = () => [
  readOption(
    '--margin <margin>',
    'differences up to this are equivalent: latency=5%; repeatable',
    parseMargin,
  ),
  readOption('--precision <percent>', 'also stop where the interval is ± this, such as 2%', parseShare),
  readOption(
    '--budget <duration>',
    'start no further pass after this time, such as 20min',
    parseSeconds,
    3600,
    '60min',
  ),
  readOption('--max-runs <n>', 'max runs per side', wholeNumber(2), 30),
  coolDownOption(),
  option('--results <folder>', 'where run folders are written'),
  readOption(
    '--threshold <threshold>',
    "what must hold, such as 'latency.regression <= 5%'; repeatable; else exit 3",
    repeatable,
  ),
  option('--fail-if-worse', 'exit 3 if any figure is significantly worse'),
  option('--strict', 'exit 6 if the experiment is inconclusive'),
  outputOption('experiment'),
  option('--markdown <file>', 'also write a comment for a pull request'),
  option('--junit <file>', 'also write the thresholds and verdicts as JUnit XML'),
  option('--json', 'one JSON document on stdout'),
]
type ExperimentCommandOptions = OptionsOf<typeof experimentOptions>

/** `transcribench experiment <config...>`: which side is better, measured until it is resolved. */
export function defineExperimentCommand(experiment: Command, attach: Attach): void {
  experiment.argument(
    '<config...>',
    'one config: its contenders are the sides; several: each config is a side',
  )
  attach(experiment, experimentOptions, async (context, options, paths) => {
    await checkOutputs(context, 'experiment', options)
    const experiment = await withFailureComment(context, 'experiment', options, () =>
      held(context, options, paths),
    )
    await deliverDocument(context, { kind: 'experiment', experiment }, options)
    return chooseExitClass(experiment, options)
  })
}

/** Measures the sides, and checks the thresholds. */
async function held(
  context: CommandContext,
  options: ExperimentCommandOptions,
  paths: readonly string[],
): Promise<Experiment> {
  const [thresholds, sides] = await allOf([
    (async () => parseThresholds(options.threshold ?? []))(),
    readSides(context, paths, options.results),
  ])
  using interruption = listenForInterruption(() => context.say('  stopping after what is in flight'))
  let passes = 0
  let isWarned = false
  const measured = await runExperiment({
    sides,
    margins: options.margin,
    precision: options.precision ?? null,
    budgetSeconds: options.budget,
    maxRuns: options.maxRuns,
    coolDownSeconds: options.coolDown,
    seed: sides[0]?.config.seed ?? 1,
    onEvent: (event) => {
      if (event.kind === 'look') passes = event.runCount
      if (event.kind === 'measure' && event.event.kind === 'planned' && !isWarned) {
        isWarned = true
        const { length } = event.event.plan.corpus.utterances
        const margin = gateMargin(options.failIfWorse, options.margin)
        for (const text of undetectable(thresholds, length, margin)) context.say(`  ~ ${text}`)
      }
      showEvent(context, event)
    },
    stop: interruption.stop,
    drop: interruption.drop,
    command: typedCommand(),
    env: context.env,
  }).catch((error: unknown) => {
    const folder = shortened(sides[0]?.config.results ?? '', context.cwd)
    if (passes > 0) context.say(`  what was measured before, ${passes} runs a side, is kept in ${folder}/`)
    throw error
  })
  return thresholds.length === 0 ? measured : await heldTo(thresholds, measured)
}

/** The sides: contenders of one config, each measured alone, or several configs. */
async function readSides(
  context: CommandContext,
  paths: readonly string[],
  results: string | undefined,
): Promise<readonly ExperimentSide[]> {
  const configs = await allOf<ExperimentSide[]>(
    paths.map(async (path) => {
      const { config } = await loadMeasured(context, path, results === undefined ? {} : { results })
      const name = path === standardStream ? 'stdin' : basename(path).replace(/\.(ya?ml|json)$/, '')
      return { name, config: { ...config, results: resolve(context.cwd, config.results) } }
    }),
  )
  const [only] = configs
  const sides =
    configs.length === 1 && only !== undefined
      ? only.config.contenders.map((contender) => ({
          name: contender.id,
          config: { ...only.config, name: `${only.config.name}-${contender.id}`, contenders: [contender] },
        }))
      : configs.map(({ name, config }, index) => ({
          name: configs.findIndex((other) => other.name === name) === index ? name : `${name}-${index + 1}`,
          config,
        }))
  if (sides.length >= 2) return sides
  throw cliErrors.make('ONE_SIDE', {
    message: 'an experiment needs two sides: the config has one contender',
    hint: 'add a contender to it, or name a second config: transcribench experiment a.yaml b.yaml',
  })
}

function showEvent(context: CommandContext, event: ExperimentEvent): void {
  if (event.kind === 'run') context.say(`  pass ${event.pass}  ${event.side}`)
  // The interval of fewer runs is too wide to be informative.
  if (event.kind !== 'look' || event.runCount < 5) return
  for (const line of event.comparisons.flatMap(experimentLook)) context.say(`  so far  ${line}`)
}

/** Checks the thresholds for every further side, with its last run and its comparison with the first side. */
async function heldTo(thresholds: readonly Threshold[], experiment: Experiment): Promise<Experiment> {
  const [, ...others] = experiment.sides
  const comparisons = await Promise.all(
    experiment.comparisons.map(async (comparison, index) => {
      const latest = others[index]?.folders.at(-1)
      if (latest === undefined) return comparison
      const evaluation = evaluateRun(await readRun(latest), await storedScoring(latest))
      return { ...comparison, thresholds: checkThresholds(thresholds, { evaluation, comparison }) }
    }),
  )
  return { ...experiment, comparisons }
}

function chooseExitClass(
  { stopped, comparisons }: Experiment,
  { strict = false, failIfWorse = false }: ExperimentCommandOptions,
): ExitClass {
  if (stopped === 'interrupted') return 'interrupted'
  const checked = comparisons.flatMap(({ thresholds = [] }) => thresholds)
  if (comparisons.some(({ findings }) => findings.some(({ severity }) => severity === 'invalid'))) {
    return 'runNotValid'
  }
  if (checked.some(({ outcome }) => outcome !== 'passed')) return 'thresholdFailed'
  if (failIfWorse && comparisons.some(becameWorse)) return 'thresholdFailed'
  const isOpen =
    (stopped !== 'resolved' && stopped !== 'precision') || checked.some(({ isResolved }) => !isResolved)
  return strict && isOpen ? 'unresolved' : 'done'
}

const calibrateOptions = () => [
  readOption('--pairs <n>', 'pairs of runs', wholeNumber(2), 10),
  coolDownOption(),
  option('--results <folder>', 'where run folders and the calibration are written'),
  option('--json', 'one JSON document on stdout'),
]

/** `transcribench calibrate [config]`: the spread of equal runs here, and the smallest detectable difference. */
export function defineCalibrateCommand(command: Command, attach: Attach): void {
  command.argument('[config]', 'its first contender is measured; without one, the first of the quick run')
  attach(command, calibrateOptions, async (context, options, [path]) => {
    const flags = options.results === undefined ? {} : { results: options.results }
    const { config } = await loadMeasured(context, path, flags)
    using interruption = listenForInterruption(() => context.say('  stopping after what is in flight'))
    const stored = await calibrate({
      config: { ...config, results: resolve(context.cwd, config.results) },
      pairCount: options.pairs,
      coolDownSeconds: options.coolDown,
      onEvent: (event) => {
        if (event.kind === 'run') context.say(`  pair ${event.pass} of ${options.pairs}  ${event.side}`)
      },
      stop: interruption.stop,
      drop: interruption.drop,
      command: typedCommand(),
      env: context.env,
    })
    context.printResult(options, stored, () => renderCalibration(stored, stored.path, context.output))
    const { pairCount } = stored.calibration
    if (pairCount === options.pairs) return 'done'
    const isInterrupted = interruption.stop.aborted
    const prefix = isInterrupted ? 'interrupted: ' : ''
    context.say(
      `  ${prefix}only ${pairCount} of ${options.pairs} pairs are ${isInterrupted ? 'complete' : 'valid'}`,
    )
    return isInterrupted ? 'interrupted' : 'runNotValid'
  })
}
