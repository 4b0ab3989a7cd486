import { dirname, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { ThresholdResult } from '#analysis/documents/comparison'
import type { Evaluation } from '#analysis/documents/evaluation'
import { undetectable } from '#analysis/figures/ranking/required-utterances'
import { parseThresholds } from '#analysis/metrics/threshold'
import type { PriceList } from '#capacity/prices'
import type { BenchConfig } from '#config/bench-config'
import { listFlags } from '#config/flags'
import { givenFields, type ResolvedConfig } from '#config/resolve-config'
import { findRun } from '#journal/find-run'
import type { PlannedRequest } from '#journal/plan-line'
import type { RunRecord } from '#journal/run-record'
import { type ExitClass, serverAddressIn, shellWord, withoutUndefined } from '#prelude'
import { resumeCommand } from '#run/commands'
import { runErrors } from '#run/execute/errors'
import { sendLiveMetrics } from '#run/live-metrics'
import type { MeasuredRun } from '#run/measure'
import { previewRun } from '#run/plan/preview-run'
import { readPriceList } from '#run/plan/provider-terms'
import type { MeasureOptions } from '#run/prepare-run'
import { rateMetrics } from '#scoring/counts'
import { type Attach, type CommandContext, listenForInterruption, typedCommand } from '../command-context.ts'
import { gravest } from '../failure.ts'
import { fetchWhatIsMissing, orAdviseToFetch } from '../fetch.ts'
import { findConfig, loadConfig, loadMeasured } from '../load-config.ts'
import { namedFile } from '../named-files.ts'
import {
  collectorUrl,
  findRunsIn,
  inGroups,
  repeatable,
  resultsOption,
  settingGroups,
  shortened,
} from '../options.ts'
import { plannedText, renderDryRun, renderPlan, reusedText } from '../plan-text.ts'
import { showRun } from '../show-run.ts'
import { option, readOption, withMore } from '../typed-options.ts'

/** Options that are not settings of a config. */
const runOptions = () => [
  option('--resume <run>', 'resume a run that ended before its plan was complete').conflicts([
    'dryRun',
    'fetch',
  ]),
  option('--fetch', 'first install the models and fetch the corpus where they are missing'),
  option('--prices <file>', 'price list of providers and machines (default: the built-in list)'),
  readOption(
    '--otlp <url>',
    'send live metrics to a collector of OTLP over HTTP while the run goes',
    collectorUrl,
  ),
  option('--dry-run', 'print the plan, its cost, and where each setting comes from; send nothing'),
  option('--json', 'one JSON document on stdout'),
  option('--strict', 'exit 6 for a run that is too short for the percentiles asked for'),
]

/** Options that a first run and most later ones need. */
const firstOptions = [
  ...['target', 'contender', 'corpus', 'sample', 'concurrency', 'rate', 'users', 'rounds', 'threshold'],
  ...['fetch', 'dry-run', 'json'],
]

/** `transcribench run [config]`: measure. */
export function defineRunCommand(run: Command, attach: Attach): void {
  run.argument(
    '[config]',
    'a YAML or JSON file, - for standard input; default: transcribench.config.yaml or .json here or above',
  )
  run.addHelpText(
    'after',
    '\nEach of these can be set by an environment variable: TRANSCRIBENCH_ROUNDS for --rounds. Write - for a file to read standard input.',
  )
  attach(
    run,
    () => inGroups(withMore(runOptions(), settingOptions()), [['Options:', firstOptions], ...settingGroups]),
    async (context, options, [typedPath]) => {
      const isNew = options.resume === undefined
      const configPath = typedPath ?? (isNew ? await findConfig(context.cwd) : undefined)
      if (configPath !== typedPath) context.say(`\n  config    ${configPath}`)
      // A resumed run already has its contenders.
      const load = isNew ? loadMeasured : loadConfig
      const resolved = await load(context, configPath, { ...options })
      const shown = { options, otlp: options.otlp }
      if (options.resume !== undefined) {
        const folder = await findRun(options.resume, resolve(context.cwd, resolved.config.results))
        const given = fieldsToCompare(resolved, configPath !== undefined)
        return showMeasuring(context, {
          ...shown,
          measure: async (watching) => (await measuring()).resumeRun({ ...watching, folder, given }),
        })
      }
      if (configPath === undefined && isQuickRun(resolved)) {
        context.say(
          '\n  No config given: a quick run on the built-in service.\n  Save these settings with `transcribench init`.',
        )
      }
      if (options.fetch === true) await fetchWhatIsMissing(context, resolved.config)
      // The built-in list is read only if a plan or a run has prices.
      const named = namedFile(context, options.prices, '--prices')
      const prices = named === null ? undefined : await readPriceList(named)
      const config = { ...resolved.config, results: resolve(context.cwd, resolved.config.results) }
      return await orAdviseToFetch(context, config, () =>
        options.dryRun === true
          ? dryRun(context, resolved, { prices, asJson: options.json === true })
          : showMeasuring(context, {
              ...shown,
              measure: async (watching) =>
                (await measuring()).measure({
                  ...watching,
                  onEvent(event) {
                    watching.onEvent?.(event)
                    if (event.kind === 'planned') sayUndetectable(context, config, event.plan)
                  },
                  config,
                  prices,
                  settingSources: resolved.sources,
                }),
            }),
      )
    },
    checkSettings,
  )
}

/** Checks the settings of a command that has other invalid values. */
export async function checkSettings(
  context: CommandContext,
  flags: object,
  [configPath]: readonly string[],
): Promise<void> {
  await loadConfig(context, configPath, { ...flags })
}

/** The import is dynamic, because a dry run needs neither the sender nor the scorer. */
function measuring(): Promise<typeof import('#run/measure')> {
  return import('#run/measure')
}

/** Warns before anything is sent about changes that a threshold could not detect. */
function sayUndetectable(
  context: CommandContext,
  { thresholds }: Pick<BenchConfig, 'thresholds'>,
  { corpus }: { readonly corpus: { readonly utterances: readonly unknown[] } },
): void {
  for (const text of undetectable(parseThresholds(thresholds), corpus.utterances.length)) {
    context.say(`  ~ ${text}`)
  }
}

export function settingOptions(): readonly Option[] {
  return listFlags().map(({ syntax, description, standard, isRepeatable }) => {
    const option = new Option(
      syntax,
      standard === null ? description : `${description} (default: ${standard})`,
    )
    return isRepeatable ? option.argParser(repeatable) : option
  })
}

/** Whether target, corpus, contenders and workload are all defaults. */
function isQuickRun({ sources }: ResolvedConfig): boolean {
  return ['target', 'corpus', 'contenders', 'workload'].every((key) => sources[key] === 'default')
}

/** The fields to compare with a recorded config: all of a file, without a default name or cap, or only the typed ones. */
function fieldsToCompare(resolved: ResolvedConfig, isWhole: boolean): ReadonlyMap<string, unknown> {
  if (!isWhole) return givenFields(resolved)
  const fields = new Map<string, unknown>(Object.entries(resolved.config))
  for (const key of ['name', 'maxBilledMinutes']) if (resolved.sources[key] === 'default') fields.delete(key)
  return fields
}

interface Measuring {
  readonly options: { readonly json?: boolean; readonly strict?: boolean }
  /** Address for live metrics; default: none. */
  readonly otlp?: string | undefined
  measure(options: Omit<MeasureOptions, 'config'>): Promise<MeasuredRun>
}

/** Shows a measurement and its result, and returns the exit class. */
export async function showMeasuring(
  context: CommandContext,
  { options, otlp, measure }: Measuring,
): Promise<ExitClass> {
  using watcher = showRun(context)
  await using live =
    otlp === undefined
      ? null
      : sendLiveMetrics(otlp, (problem) =>
          watcher.say(`  ~ live metrics do not arrive at ${otlp}, the run goes on: ${problem}`),
        )
  using interruption = listenForInterruption(watcher.stopping)
  const { folder, record, config, evaluation, unwritten } = await measure({
    onEvent(event) {
      watcher.onEvent(event)
      live?.onEvent(event)
    },
    stop: interruption.stop,
    drop: interruption.drop,
    command: typedCommand(),
    env: context.env,
  })
  findRunsIn(dirname(folder), context)
  if (record.status === 'interrupted' && record.counts?.notSent === record.counts?.planned) {
    throw runErrors.make('STOPPED_EARLY', {
      message: 'interrupted in the warm-up: nothing was measured',
      hint: `go on with: ${resumeCommand(folder)}`,
    })
  }
  // These imports are dynamic, because a plan needs none of them.
  const { checkThresholds } = await import('#analysis/thresholds/check-thresholds')
  const { renderSummary } = await import('#reports/run/render-summary')
  const { renderSummaryDocument } = await import('#reports/run/summary-document')
  const checked = checkThresholds(parseThresholds(config.thresholds), { evaluation })
  context.print(
    options.json === true
      ? renderSummaryDocument(evaluation, checked).trimEnd()
      : `\n${renderSummary(evaluation, {
          terminal: context.output,
          // On a full disk there is no report, as the following error explains.
          folder: unwritten === null ? shortened(folder, context.cwd) : null,
          thresholds: checked,
          detailsCommand: 'transcribench report latest --details',
          next: nextCommands(config, record, evaluation),
        })}\n`,
  )
  if (unwritten !== null) throw unwritten
  return chooseExitClass(record, evaluation, { checked, isStrict: options.strict === true })
}

function chooseExitClass(
  { status }: Pick<RunRecord, 'status'>,
  evaluation: Evaluation,
  { checked, isStrict }: { readonly checked: readonly ThresholdResult[]; readonly isStrict: boolean },
): ExitClass {
  return gravest([
    status === 'interrupted' && 'interrupted',
    // After a contender was given up, the others' figures are valid, but the measurement is incomplete.
    (evaluation.validity === 'invalid' || status === 'failed') && 'runNotValid',
    checked.some(({ outcome }) => outcome !== 'passed') && 'thresholdFailed',
    isStrict && evaluation.validity === 'short' && 'unresolved',
  ])
}

function nextCommands(
  { workload }: Pick<BenchConfig, 'workload'>,
  { id, status }: Pick<RunRecord, 'id' | 'status'>,
  { profile: { leads }, contenders }: Pick<Evaluation, 'profile' | 'contenders'>,
): { readonly command: string; readonly purpose: string }[] {
  const hasAnswers = contenders.some(({ counts }) => counts.answered > 0)
  const resume = { command: `transcribench run --resume ${shellWord(id)}`, purpose: 'resume this run' }
  return [
    ...(status === 'finished' ? [] : [resume]),
    ...(workload === 'transcribe' && hasAnswers
      ? [{ command: 'transcribench review latest', purpose: 'listen, and correct references' }]
      : []),
    ...(hasAnswers
      ? [
          {
            command: `transcribench compare ${shellWord(id)} latest`,
            purpose: 'after the next run: better or worse than this one',
          },
        ]
      : []),
    {
      command: `transcribench explain ${rateMetrics[leads]}`,
      purpose: 'meaning and formula of a figure',
    },
  ]
}

/** Reads and verifies everything that can be checked without a target, and shows the plan. */
async function dryRun(
  context: CommandContext,
  { config, sources, values }: ResolvedConfig,
  { prices, asJson }: { readonly prices: PriceList | undefined; readonly asJson: boolean },
): Promise<ExitClass> {
  const preview = await previewRun(config, context.env, prices)
  const { corpus, load, expected, before, reuse, costs, meanAudioSeconds, profile } = preview
  const requests: readonly PlannedRequest[] = load?.requests ?? []
  const reused = reusedText({ requests, reused: reuse.reused })
  if (asJson) {
    const requestCount = requests.filter(({ phase }) => phase === 'measure').length
    const schedule = load?.schedule.describe(meanAudioSeconds) ?? null
    const { audioSeconds } = corpus
    context.print(
      JSON.stringify(
        {
          config,
          sources,
          requestCount,
          audioSeconds,
          schedule,
          expected,
          reused,
          costs,
          requests,
        },
        null,
        2,
      ),
    )
    return 'done'
  }
  context.print(`${renderDryRun({ sources, values }, context.output)}\n`)
  if (load === null || expected === null) {
    context.print('  The load is the history of the target, which is asked for it when the run begins.')
  } else {
    context.print(
      renderPlan(
        {
          ...plannedText({
            corpus,
            requests,
            contenders: config.contenders,
            profile,
            seed: config.seed,
            asksServers: config.contenders.some(
              ({ target = config.target }) => serverAddressIn(target) !== null,
            ),
          }),
          skipped: [],
          load: {
            schedule: load.schedule.describe(meanAudioSeconds || undefined),
            endsByItself: load.schedule.requestCount() !== null,
            ...expected,
            before,
          },
          targets: [],
          reused,
          paces: [],
          costs,
          warnings: reuse.unknownIds.map(
            (id) => `earlier answers of ${id} are looked for when its target is there: its cost may be less`,
          ),
        },
        context.output,
      ),
    )
  }
  sayUndetectable(context, config, { corpus })
  context.print('\n  Nothing was sent.')
  return 'done'
}

const replayOptions = () => [
  option('--target <target>', 'another target that has the same models (default: that of the run)'),
  option('--name <name>', 'name of the new run (default: that of the run)'),
  resultsOption('folder that the run is in, and the new one is written to'),
  option('--json', 'one JSON document on stdout'),
  option('--strict', 'exit 6 for a run that is too short for the percentiles asked for'),
]

/** `transcribench replay <run>`: sends the same plan again. */
export function defineReplayCommand(replay: Command, attach: Attach): void {
  replay.argument('<run>', 'a run folder, its name, a unique beginning of it, or "latest"')
  attach(replay, replayOptions, async (context, options, [run = 'latest']) => {
    const { target, name } = options
    const results = resolve(context.cwd, options.results)
    const folder = await findRun(run, results)
    const changes = { results, ...withoutUndefined({ target, name }) }
    return showMeasuring(context, {
      options,
      measure: async (watching) => (await measuring()).replayRun({ ...watching, folder, changes }),
    })
  })
}
