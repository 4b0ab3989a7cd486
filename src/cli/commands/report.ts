import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { evaluateRun } from '#analysis'
import { findRun, readRun } from '#journal'
import { renderSummary, renderSummaryDocument, summaryCsv, utterancesCsv } from '#reports'
import { profiles } from '#scoring'
import type { Attach } from '../program.ts'

const formats = ['text', 'json', 'csv', 'utterances-csv'] as const

interface ReportOptions {
  readonly format: (typeof formats)[number]
  readonly profile?: string
  readonly results: string
}

/** `asrbench report <run>`: scores a run folder again and shows it. Sends nothing and writes nothing. */
export function addReportCommand(program: Command, attach: Attach): void {
  const report = program
    .command('report')
    .description('score a run again and show it; nothing is sent or written')
    .argument('<run>', 'a run folder, its name, a unique beginning of it, or latest')
    .addOption(new Option('--format <format>', 'what to print').choices(formats).default('text'))
    .addOption(
      new Option('--profile <id>', "another normalisation than the run's own").choices(
        profiles.map((profile) => profile.id),
      ),
    )
    .option('--results <folder>', 'where run folders are', 'results')
  attach<ReportOptions>(report, async (world, { format, profile, results }, [name = '']) => {
    const folder = await findRun(name, resolve(world.cwd, results))
    const evaluation = evaluateRun(await readRun(folder), { profile })
    const render = {
      text: () => renderSummary(evaluation, { folder, terminal: world.output }),
      json: () => renderSummaryDocument(evaluation),
      csv: () => summaryCsv(evaluation),
      'utterances-csv': () => utterancesCsv(evaluation),
    }
    world.print(render[format]().trimEnd())
    return evaluation.validity === 'valid' ? 'done' : 'runNotValid'
  })
}
