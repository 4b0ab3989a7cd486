import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { type Platform, platforms } from '#contract'
import { renderConformance } from '#reports/help'
import { checkConformance } from '#session/target'
import type { Attach } from '../attach.ts'
import { listenForInterruption } from '../interruption.ts'
import { commaSeparated } from '../options/plain-arguments.ts'

interface ConformanceOptions {
  readonly platform?: Platform
  readonly write?: boolean
  readonly disposable?: boolean
  readonly files?: string
  readonly select?: readonly string[]
  readonly json?: boolean
}

/** `transcribench conformance <target>`: which rules of the API an implementation keeps. */
export function defineConformanceCommand(conformance: Command, attach: Attach): void {
  conformance
    .argument('<target>', 'embedded, auto, a discovery file, or an address')
    .addOption(
      new Option(
        '--platform <platform>',
        'platform build of the service (default: that of this machine, if it is local)',
      ).choices(platforms),
    )
    .option('--write', 'also create Modes, which are removed again, and have audio transcribed')
    .option(
      '--disposable',
      'also use the microphone, leave a transcript, and try to delete the last Mode (implies --write)',
    )
    .option('--files <folder>', 'a folder that the service may read, for the cases about files')
    .option('--select <ids>', 'only these rules or subjects, separated by commas', commaSeparated)
    .option('--json', 'one JSON document on stdout')
  attach<ConformanceOptions>(conformance, async (context, options, [target = '']) => {
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
    context.print(
      options.json === true
        ? JSON.stringify({ target: checked.target, ...report }, null, 2)
        : renderConformance(checked.target, report, context.output),
    )
    if (!report.isComplete) return 'interrupted'
    return report.counts.broken === 0 && report.leftBehind.length === 0 ? 'done' : 'thresholdFailed'
  })
}
