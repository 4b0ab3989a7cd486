import { basename, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Margins } from '#analysis'
import type { BenchConfig } from '#config'
import type { ExitClass } from '#prelude'
import { type Experiment, type ExperimentEvent, type ExperimentSide, runExperiment } from '#session'
import { marginOf, secondsOf, shareOf, wholeNumber } from '../arguments.ts'
import { deliver, endingsOf } from '../document-output.ts'
import { documentFormats, documentRenderings } from '../document-renderings.ts'
import { cliErrors } from '../errors.ts'
import { listenForInterruption } from '../interruption.ts'
import { loadConfig } from '../load-config.ts'
import type { Attach } from '../program.ts'
import type { World } from '../world.ts'

interface ExperimentCommandOptions {
  readonly margin?: Partial<Margins>
  readonly precision?: number
  readonly budget: number
  readonly mostRuns: number
  readonly coolDown: number
  readonly results?: string
  readonly strict?: boolean
  readonly output?: string
  readonly json?: boolean
}

/** `asrbench experiment <config...>`: which side is faster, measured until that is answered. */
export function addExperimentCommand(program: Command, attach: Attach): void {
  const experiment = program
    .command('experiment')
    .description('two or more sides in turn, in ABBA order, until it is told which is faster')
    .argument('<config...>', 'one config: its contenders are the sides; several: each config is a side')
    .option('--margin <margin>', 'differences up to this are equivalent: latency=5%; repeatable', marginOf)
    .option('--precision <share>', 'also stop where the interval is ± this, such as 2%', shareOf)
    .option('--budget <duration>', 'begin no further pass after this, such as 20min', secondsOf, 3600)
    .option('--most-runs <n>', 'runs of every side at most', wholeNumber(2), 30)
    .option('--cool-down <duration>', 'quiet time before every run', secondsOf, 1)
    .option('--results <folder>', 'where run folders are written')
    .option('--strict', 'exit 6 where the question was not answered')
    .option(
      '-o, --output <file>',
      `also write it to a file, in the format of its ending: ${endingsOf(documentFormats.experiment)}`,
    )
    .option('--json', 'one JSON document on stdout')
  attach<ExperimentCommandOptions>(experiment, async (world, options, paths) => {
    const sides = await sidesOf(world, paths, options.results)
    using interruption = listenForInterruption(() => world.say('  stopping after what is in flight'))
    const found = await runExperiment({
      sides,
      margins: options.margin,
      precision: options.precision ?? null,
      budgetSeconds: options.budget,
      mostRuns: options.mostRuns,
      coolDownSeconds: options.coolDown,
      seed: sides[0]?.config.seed ?? 1,
      onEvent: (event) => tell(world, event),
      stop: interruption.stop,
      drop: interruption.drop,
      command: ['asrbench', ...process.argv.slice(2)],
      env: world.env,
    })
    const renderings = documentRenderings({ kind: 'experiment', experiment: found }, world)
    if (options.output !== undefined) await deliver(world, renderings, { output: options.output })
    await deliver(world, renderings, { format: options.json === true ? 'json' : 'text' })
    return endingOf(found, options.strict === true)
  })
}

/** Contenders of one config, each measured alone, or several configs. */
async function sidesOf(
  world: World,
  paths: readonly string[],
  results: string | undefined,
): Promise<readonly ExperimentSide[]> {
  const configs: { readonly name: string; readonly config: BenchConfig }[] = []
  for (const path of paths) {
    const { config } = await loadConfig(world, path, results === undefined ? {} : { results })
    const name = basename(path).replace(/\.(ya?ml|json)$/, '')
    configs.push({ name, config: { ...config, results: resolve(world.cwd, config.results) } })
  }
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
    hint: 'add a contender to it, or name a second config: asrbench experiment a.yaml b.yaml',
  })
}

function tell(world: World, event: ExperimentEvent): void {
  if (event.kind === 'run') world.say(`  pass ${event.pass}  ${event.side}`)
  // A wide interval of three runs tells nobody anything.
  if (event.kind !== 'look' || event.runCount < 5) return
  for (const { contenders } of event.comparisons) {
    for (const { runContenderId, speed } of contenders) {
      const latency = speed.find(({ metric }) => metric === 'latency')
      if (latency === undefined || latency.interval === null) continue
      const { low, high } = latency.interval
      const range = `${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)} %`
      world.say(
        `  so far  ${runContenderId}: latency ${range} against the base, ${latency.verdict ?? 'too few runs'}`,
      )
    }
  }
}

function endingOf({ stopped }: Experiment, isStrict: boolean): ExitClass {
  if (stopped === 'interrupted') return 'interrupted'
  return isStrict && stopped !== 'resolved' && stopped !== 'precision' ? 'unresolved' : 'done'
}
