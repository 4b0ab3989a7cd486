import { resolve } from 'node:path'
import type { Command } from 'commander'
import { findRuns } from '#journal/find-run'
import { exportFormats, exportRuns } from '#results/export-runs'
import type { Attach } from '../command-context.ts'
import { profileOption, resultsOption, scoreOption, shortened } from '../options.ts'
import { choice, requiredOption } from '../typed-options.ts'

const exportOptions = () => [
  requiredOption('-o, --output <folder>', 'folder to write to; made where it is missing'),
  choice('--format <format>', 'what to write', formatNames, formatNames[0] ?? ''),
  profileOption("normalisation (default: the run's own)"),
  scoreOption(),
  resultsOption(),
]

const formatNames = exportFormats.map(({ name }) => name)

/** `transcribench export <runs...>`: runs as tables or documents for other programs. Sends nothing. */
export function defineExportCommand(command: Command, attach: Attach): void {
  command
    .argument('<runs...>', 'run folders, their names, unique beginnings of them, or latest')
    .addHelpText('after', `\n${formatHelp()}`)
  attach(
    command,
    exportOptions,
    async (context, { output, format: name, profile, score, results }, names) => {
      const folders = await findRuns(names, resolve(context.cwd, results))
      const format = exportFormats.find((each) => each.name === name)
      if (format === undefined) throw new TypeError(`there is no format ${name}`)
      const folder = resolve(context.cwd, output)
      const written = await exportRuns(folders, folder, format, { profile, score })
      for (const path of written) context.print(shortened(resolve(folder, path), context.cwd))
      return 'done'
    },
  )
}

function formatHelp(): string {
  const width = Math.max(...formatNames.map(({ length }) => length))
  return ['Formats:', ...exportFormats.map((each) => `  ${each.name.padEnd(width)}  ${each.summary}`)].join(
    '\n',
  )
}
