import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { runFiles } from '#journal/run-writer'
import { shellWord } from '#prelude'
import { exportSite, viewResults } from '#results/view'
import { defaultResults, resultsVariable, standardResults } from '#run/commands'
import { type Attach, listenForInterruption } from '../command-context.ts'
import { cliErrors } from '../errors.ts'
import { refuseMissingResults } from '../named-files.ts'
import { shortened, wholeNumber } from '../options.ts'
import { option, readOption } from '../typed-options.ts'

const viewOptions = () => [
  readOption('--port <number>', 'port of the page (default: any free port)', wholeNumber(0), 0),
  option('--export <folder>', 'write runs and trends as a static site instead').conflicts('port'),
  option('--no-text', 'with --export: without references and hypotheses, for private speech'),
]

/** `transcribench view [results]`: runs, trends and comparisons on a page on this machine, or as a static site. */
export function defineViewCommand(view: Command, attach: Attach): void {
  view.argument('[results]', `where run folders are (default: ${resultsVariable}, else ${standardResults})`)
  attach(view, viewOptions, async (context, { port, export: output, text }, [results]) => {
    const folder = resolve(context.cwd, results ?? defaultResults(context))
    if (results !== undefined) {
      await refuseMissingResults(folder, { typed: results, command: 'transcribench view' })
      await refuseRun(folder, results)
    }
    if (output !== undefined) {
      const site = await exportSite(folder, resolve(context.cwd, output), text)
      context.print(shortened(site.index, context.cwd))
      context.say(`  runs       ${site.runCount} of ${shortened(folder, context.cwd)} have a page`)
      for (const { where, what } of site.unreadable) {
        context.say(`  ~ ${where} is listed without a page: ${what}`)
      }
      return 'done'
    }
    if (!text) {
      throw cliErrors.make('COMMAND_LINE_INVALID', {
        message: '--no-text is about a site that --export writes; the page on this machine has all texts',
        hint: 'write a site without them: transcribench view --export <folder> --no-text',
      })
    }
    using interruption = listenForInterruption(() => undefined)
    await using viewing = await viewResults(folder, port, context.env)
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

async function refuseRun(folder: string, typed: string): Promise<void> {
  const record = await stat(join(folder, runFiles.record)).catch(() => null)
  if (record === null) return
  throw cliErrors.make('COMMAND_LINE_INVALID', {
    message: `${typed} is one run; view takes the folder of several`,
    hint: `name the folder that run folders are in: transcribench view ${shellWord(dirname(folder))}`,
  })
}
