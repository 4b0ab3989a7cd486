import { resolve } from 'node:path'
import type { Command } from 'commander'
import { findRun } from '#journal'
import { replayRun } from '#session/measure'
import type { Attach } from '../attach.ts'
import { resultsOption } from '../options/results-option.ts'
import { showMeasuring } from './run.ts'

interface ReplayCommandOptions {
  readonly target?: string
  readonly name?: string
  readonly results: string
  readonly json?: boolean
  readonly strict?: boolean
}

/** `transcribench replay <run>`: the same plan again. */
export function defineReplayCommand(replay: Command, attach: Attach): void {
  replay
    .argument('<run>', 'a run folder, its name, a unique beginning of it, or "latest"')
    .option('--target <target>', 'another target that has the same models (default: that of the run)')
    .option('--name <name>', 'name of the new run (default: that of the run)')
    .addOption(resultsOption('folder that the run is in, and the new one is written to'))
    .option('--json', 'one JSON document on stdout')
    .option('--strict', 'exit 6 for a run that is too short for the percentiles asked for')
  attach<ReplayCommandOptions>(replay, async (context, options, [run = 'latest']) => {
    const { target, name } = options
    const results = resolve(context.cwd, options.results)
    const folder = await findRun(run, results)
    const changes = {
      results,
      ...(target === undefined ? {} : { target }),
      ...(name === undefined ? {} : { name }),
    }
    return showMeasuring(context, {
      results: options.results,
      asJson: options.json === true,
      isStrict: options.strict === true,
      measure: (watching) => replayRun({ ...watching, folder, changes }),
    })
  })
}
