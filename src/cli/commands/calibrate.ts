import { resolve } from 'node:path'
import type { Command } from 'commander'
import { renderCalibration } from '#reports/comparison/render-comparison'
import { calibrate } from '#run/experiment'
import { coolDownOption } from '../arguments.ts'
import { type Attach, listenForInterruption, typedCommand } from '../command-context.ts'
import { loadMeasured } from '../load-config.ts'
import { wholeNumber } from '../options.ts'
import { option, readOption } from '../typed-options.ts'

const calibrateOptions = () => [
  readOption('--pairs <n>', 'pairs of runs', wholeNumber(2), 10),
  coolDownOption(),
  option('--results <folder>', 'where run folders and the calibration are written'),
  option('--json', 'one JSON document on stdout'),
]

/** `transcribench calibrate [config]`: how much equal runs differ here, and the smallest detectable difference. */
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
    context.print(
      options.json === true
        ? JSON.stringify(stored, null, 2)
        : renderCalibration(stored, stored.path, context.output),
    )
    const { pairCount } = stored.calibration
    if (pairCount === options.pairs) return 'done'
    const isInterrupted = interruption.stop.aborted
    const what = isInterrupted ? 'interrupted: ' : ''
    context.say(
      `  ${what}only ${pairCount} of ${options.pairs} pairs are ${isInterrupted ? 'complete' : 'valid'}`,
    )
    return isInterrupted ? 'interrupted' : 'runNotValid'
  })
}
