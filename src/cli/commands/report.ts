import { writeFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Evaluation, evaluateRun } from '#analysis'
import { findRun, type RecordedRun, readRun } from '#journal'
import { renderSummary, renderSummaryDocument, summaryCsv, utterancesCsv } from '#reports'
import { profiles } from '#scoring'
import { type RunPageOptions, runPageHtml } from '#session'
import { cliErrors } from '../errors.ts'
import { shortened } from '../paths.ts'
import type { Attach } from '../program.ts'
import type { World } from '../world.ts'

const formats = ['text', 'json', 'csv', 'utterances-csv', 'html'] as const
type Format = (typeof formats)[number]

/** The format that a file's name asks for. */
const formatOfEnding: Readonly<Record<string, Format>> = {
  '.txt': 'text',
  '.json': 'json',
  '.csv': 'csv',
  '.html': 'html',
  '.htm': 'html',
}

interface ReportOptions {
  readonly output?: string
  readonly format?: Format
  readonly profile?: string
  readonly results: string
  readonly audio: boolean
  readonly text: boolean
  readonly embedAudio?: number | true
}

/** `asrbench report <run>`: scores a run folder again and shows it. Sends nothing. */
export function addReportCommand(program: Command, attach: Attach): void {
  const report = program
    .command('report')
    .description('score a run again and show it, or write it to a file; nothing is sent')
    .argument('<run>', 'a run folder, its name, a unique beginning of it, or latest')
    .option('-o, --output <file>', `write it to a file, in the format of its ending: ${endings()}`)
    .addOption(new Option('--format <format>', 'what to print or write (default: text)').choices(formats))
    .addOption(
      new Option('--profile <id>', "another normalisation than the run's own").choices(
        profiles.map((profile) => profile.id),
      ),
    )
    .option('--no-audio', 'HTML: without the recordings, which a page otherwise plays from where they are')
    .option('--no-text', 'HTML: without references and hypotheses, for private speech')
    .addOption(
      new Option(
        '--embed-audio [megabytes]',
        `HTML: with the recordings inside, up to so many megabytes (${standardMegabytes} unless told)`,
      )
        .argParser(megabytes)
        .preset(standardMegabytes),
    )
    .option('--results <folder>', 'where run folders are', 'results')
  attach<ReportOptions>(report, async (world, options, [name = '']) => {
    const format = formatFor(options)
    const folder = await findRun(name, resolve(world.cwd, options.results))
    const run = await readRun(folder)
    const evaluation = evaluateRun(run, { profile: options.profile })
    const text = await render(format, world, run, evaluation, options)
    if (options.output === undefined) world.print(text.trimEnd())
    else {
      const path = resolve(world.cwd, options.output)
      await writeFile(path, text).catch((cause: unknown) => {
        throw cliErrors.make('FILE_UNWRITABLE', {
          message: `${path} cannot be written: ${(cause as Error).message}`,
          hint: 'name a file in a folder that is there and may be written to',
          cause,
        })
      })
      world.say(`  ${shortened(path, world.cwd)} written`)
    }
    return evaluation.validity === 'valid' ? 'done' : 'runNotValid'
  })
}

const standardMegabytes = 25

function megabytes(text: string | number): number {
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new InvalidArgumentError('A number of megabytes is needed, such as 50.')
}

function endings(): string {
  return Object.keys(formatOfEnding).join(' ')
}

/** @throws BenchError FORMAT_UNKNOWN for a file whose ending says nothing */
function formatFor({ format, output }: ReportOptions): Format {
  if (format !== undefined) return format
  if (output === undefined) return 'text'
  const known = formatOfEnding[extname(output).toLowerCase()]
  if (known !== undefined) return known
  throw cliErrors.make('FORMAT_UNKNOWN', {
    message: `"${output}" does not say in which format to write`,
    hint: `end it in one of ${endings()}, or name the format: --format ${formats.join(' | ')}`,
  })
}

async function render(
  format: Format,
  world: World,
  run: RecordedRun,
  evaluation: Evaluation,
  options: ReportOptions,
): Promise<string> {
  const { folder } = run
  switch (format) {
    case 'text':
      return renderSummary(evaluation, { folder, terminal: world.output })
    case 'json':
      return renderSummaryDocument(evaluation)
    case 'csv':
      return summaryCsv(evaluation)
    case 'utterances-csv':
      return utterancesCsv(evaluation)
    case 'html':
      return await runPageHtml(run, evaluation, {
        path: resolve(world.cwd, options.output ?? 'report.html'),
        env: world.env,
        audio: audioOf(options),
        hasTexts: options.text,
      })
  }
}

function audioOf({ audio, embedAudio }: ReportOptions): NonNullable<RunPageOptions['audio']> {
  if (!audio) return 'none'
  if (embedAudio === undefined) return 'beside'
  return { embeddedBytes: (embedAudio === true ? standardMegabytes : embedAudio) * 1e6 }
}
