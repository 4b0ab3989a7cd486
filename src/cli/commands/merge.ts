import { basename, resolve } from 'node:path'
import type { Command } from 'commander'
import { findRuns } from '#journal/find-run'
import { shellWord } from '#prelude'
import { renderSummary } from '#reports/run/render-summary'
import { renderSummaryDocument } from '#reports/run/summary-document'
import { type HostFolder, mergeRuns } from '#results/merge-runs'
import { parseHostName } from '../arguments.ts'
import { type Attach, typedCommand } from '../command-context.ts'
import { resultsOption, shortened } from '../options.ts'
import { option } from '../typed-options.ts'

const mergeOptions = () => [
  resultsOption('where run folders are, and the merged run is written'),
  option('--json', 'the summary as one JSON document on stdout'),
]

/** `transcribench merge <runs...>`: runs of several hosts become one, with the host as a factor. Sends nothing. */
export function defineMergeCommand(merge: Command, attach: Attach): void {
  merge.argument(
    '<runs...>',
    'runs, each with the name of its host: gpu1=results/2026… gpu2=copied/2026… (default names: host1, host2)',
  )
  attach(merge, mergeOptions, async (context, options, names) => {
    const results = resolve(context.cwd, options.results)
    const named = names.map(parted)
    const folders = await findRuns(
      named.map(({ run }) => run),
      results,
    )
    const [first, ...others] = named.map(
      ({ host }, place): HostFolder => ({ host, folder: folders[place] ?? '' }),
    )
    if (first === undefined) throw new TypeError('commander asks for a run')
    const command = typedCommand()
    const { folder, evaluation } = await mergeRuns([first, ...others], { results, command, env: context.env })
    context.print(
      options.json === true
        ? renderSummaryDocument(evaluation).trimEnd()
        : renderSummary(evaluation, {
            terminal: context.output,
            folder: shortened(folder, context.cwd),
            detailsCommand: `transcribench report ${shellWord(basename(folder))} --table hosts,targets`,
          }),
    )
    return evaluation.validity === 'invalid' ? 'runNotValid' : 'done'
  })
}

/** @throws BenchError COMMAND_LINE_INVALID */
function parted(typed: string, place: number): { readonly host: string; readonly run: string } {
  const end = typed.indexOf('=')
  const host = end < 0 ? `host${place + 1}` : typed.slice(0, end)
  return { host: parseHostName(host), run: typed.slice(end + 1) }
}
