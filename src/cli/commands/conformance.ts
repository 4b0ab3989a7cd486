import { resolve } from 'node:path'
import type { Command } from 'commander'
import { platforms } from '#contract/enums'
import { shellWord } from '#prelude'
import { renderConformance } from '#reports/help/help-texts'
import { cleanCommand } from '#run/commands'
import { cleanModes } from '#run/leftovers'
import { checkConformance } from '#run/target/conformance'
import { type Attach, listenForInterruption } from '../command-context.ts'
import { commaSeparated, resultsOption } from '../options.ts'
import { choice, option, readOption } from '../typed-options.ts'

const conformanceOptions = () => [
  choice(
    '--platform <platform>',
    'platform build of the service (default: that of this machine, if it is local)',
    platforms,
  ),
  option('--write', 'also create Modes, which are removed again, and have audio transcribed'),
  option(
    '--disposable',
    'also use the microphone, leave a transcript, and try to delete the last Mode (implies --write)',
  ),
  option('--files <folder>', 'a folder that the service may read, for the cases about files'),
  readOption('--select <ids>', 'only these rules or subjects, separated by commas', commaSeparated),
  option('--json', 'one JSON document on stdout'),
]

const cleanOptions = () => [
  option(
    '--target <target>',
    'auto, a discovery file, or an address; default: TRANSCRIBENCH_TARGET, else auto',
  ),
  resultsOption(),
  option(
    '--orphans <run...>',
    'also delete the Modes of these runs, which are not known here and, as you know, do not go on',
  ),
  option('--json', 'one JSON document on stdout'),
]

/** `transcribench conformance <target>`: the rules of the API that an implementation meets. */
export function defineConformanceCommand(conformance: Command, attach: Attach): void {
  conformance.argument('<target>', 'embedded, auto, a discovery file, or an address')
  attach(conformance, conformanceOptions, async (context, options, [target = '']) => {
    using interruption = listenForInterruption(() => context.say('stopping; what was created is removed'))
    const checked = await checkConformance({
      target,
      platform: options.platform ?? null,
      writes: options.write === true || options.disposable === true,
      isDisposable: options.disposable === true,
      only: options.select ?? [],
      folder: options.files === undefined ? null : resolve(context.cwd, options.files),
      env: context.env,
      signal: interruption.stop,
    })
    const { report } = checked
    context.printResult(options, { target: checked.target, ...report }, () =>
      renderConformance(checked.target, report, context.output),
    )
    if (!report.isComplete) return 'interrupted'
    return report.counts.broken === 0 && report.leftBehind.length === 0 ? 'done' : 'thresholdFailed'
  })
}

/** `transcribench modes clean`: restores what a dead run left on a server. */
export function defineModesCommand(modes: Command, attach: Attach): void {
  const clean = modes
    .command('clean')
    .description('remove or restore the Modes, and the copies of recordings, that a crashed run left behind')
  attach(clean, cleanOptions, async (context, options) => {
    const target = options.target ?? (context.env['TRANSCRIBENCH_TARGET'] || 'auto')
    const cleaned = await cleanModes({
      target,
      resultsFolder: resolve(context.cwd, options.results),
      orphansOf: options.orphans ?? [],
      env: context.env,
    })
    if (options.json === true) {
      context.print(JSON.stringify(cleaned, null, 2))
    } else {
      for (const { name, outcome, reason } of cleaned.settled) {
        context.print(`${outcome.padEnd(9)} ${name}${reason === null ? '' : `  (${reason})`}`)
      }
      for (const folder of cleaned.removedCopies) context.print(`${'removed'.padEnd(9)} ${folder}`)
      for (const what of cleaned.keptCopies) context.say(what)
      if (cleaned.settled.length + cleaned.removedCopies.length + cleaned.keptCopies.length === 0)
        context.print('nothing was left behind')
      for (const run of cleaned.livingRuns) context.say(`${run} is still running; its Modes were left alone`)
      if (cleaned.orphans.length > 0) {
        context.say(
          `${cleaned.orphans.length} more ${cleaned.orphans.length === 1 ? 'has' : 'have'} a name that transcribench gives, of no run of yours on this machine:`,
        )
        for (const { name } of cleaned.orphans) context.say(`  ${name}`)
        const runs = [...new Set(cleaned.orphans.map(({ runId }) => runId))]
        context.say(
          'A run on another machine, or of another user, may still be using them. Where you know that none does:',
        )
        context.say(`  ${cleanCommand(target, options.results)} --orphans ${runs.map(shellWord).join(' ')}`)
      }
    }
    return cleaned.settled.some(({ outcome }) => outcome === 'failed') ? 'targetNotReady' : 'done'
  })
}
