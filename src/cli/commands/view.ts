import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { viewResults } from '#session'
import type { Attach } from '../attach.ts'
import { listenForInterruption } from '../interruption.ts'
import { shortened } from '../paths.ts'
import { wholeNumber } from '../plain-arguments.ts'

interface ViewCommandOptions {
  readonly port: number
}

/** `transcribench view [results]`: runs, trends and comparisons on a page on this machine. */
export function defineViewCommand(view: Command, attach: Attach): void {
  view
    .argument('[results]', 'where run folders are', 'results')
    .option('--port <number>', 'port of the page (default: any free port)', wholeNumber(0), 0)
  attach<ViewCommandOptions>(view, async (context, { port }, [results = 'results']) => {
    const folder = resolve(context.cwd, results)
    using interruption = listenForInterruption(() => undefined)
    await using viewing = await viewResults(folder, { env: context.env, port })
    context.print(`\n  open       ${viewing.address}`)
    context.say(
      [
        '             the link works once, in one tab of a browser on this machine',
        `  runs       ${viewing.runCount} in ${shortened(folder, context.cwd)}`,
        '  stop       Ctrl-C',
        '',
      ].join('\n'),
    )
    if (!interruption.stop.aborted) await once(interruption.stop, 'abort')
    return 'done'
  })
}
