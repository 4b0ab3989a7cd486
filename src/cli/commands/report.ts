import { writeFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Evaluation, evaluateRun } from '#analysis'
import { findRun, type RecordedRun, readRun } from '#journal'
import {
  type DetailName,
  detailNames,
  detailTables,
  renderMarkdown,
  renderScores,
  renderSummary,
  renderSummaryDocument,
  summaryCsv,
  utterancesCsv,
} from '#reports'
import { profiles } from '#scoring'
import { listScores, openScore, type RunPageOptions, runPageHtml } from '#session'
import { detailName } from '../arguments.ts'
import { cliErrors } from '../errors.ts'
import { resultsFlag, shortened } from '../paths.ts'
import type { Attach } from '../program.ts'
import type { World } from '../world.ts'

const formats = ['text', 'md', 'json', 'csv', 'utterances-csv', 'html'] as const
type Format = (typeof formats)[number]

/** The format that a file's name asks for. */
const formatOfEnding: Readonly<Record<string, Format>> = {
  '.txt': 'text',
  '.md': 'md',
  '.json': 'json',
  '.csv': 'csv',
  '.html': 'html',
  '.htm': 'html',
}

interface ReportOptions {
  readonly output?: string
  readonly format?: Format
  readonly details?: boolean
  readonly table?: readonly DetailName[]
  readonly score?: string
  readonly scores?: boolean
  readonly profile?: string
  readonly results: string
  readonly audio: boolean
  readonly text: boolean
  readonly embedAudio?: number | true
}

/** `asrbench report <run>`: shows a run's newest score, or another one. Sends nothing. */
export function addReportCommand(program: Command, attach: Attach): void {
  const report = program
    .command('report')
    .description("show a run's newest score or another one, or write it to a file; nothing is sent")
    .argument('<run>', 'a run folder, its name, a unique beginning of it, or latest')
    .option('-o, --output <file>', `write it to a file, in the format of its ending: ${endings()}`)
    .addOption(new Option('--format <format>', 'what to print or write (default: text)').choices(formats))
    .option('--details', 'everything that is known of how the contenders err')
    .option('--table <names>', `only these tables, as text or csv: ${detailNames.join(', ')}`, detailName)
    .option('--score <name>', 'a score by its file, profile or fingerprint (default: the newest)')
    .option('--scores', 'list the scores of the run')
    .addOption(
      new Option('--profile <id>', 'score again by another normalisation, without keeping it')
        .choices(profiles.map((profile) => profile.id))
        .conflicts('score'),
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
    if (options.scores === true) {
      world.print(renderScores(await listScores(folder), world.output))
      return 'done'
    }
    const run = await readRun(folder)
    const { profile, score = null } = options
    const evaluation = profile === undefined ? await openScore(folder, score) : evaluateRun(run, { profile })
    const text = await render(format, world, run, evaluation, options)
    if (options.output === undefined)
      world.print((typeof text === 'string' ? text : [...text].join('')).trimEnd())
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
    return evaluation.validity === 'invalid' ? 'runNotValid' : 'done'
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
): Promise<string | Iterable<string>> {
  const { folder } = run
  switch (format) {
    case 'text':
      return textOf(evaluation, folder, options, world)
    case 'md':
      return renderMarkdown(evaluation)
    case 'json':
      return renderSummaryDocument(evaluation)
    case 'csv':
      return csvOf(evaluation, options, world)
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

function textOf(
  evaluation: Evaluation,
  folder: string,
  { details, table, results }: ReportOptions,
  world: World,
): string {
  if (table !== undefined) {
    const asked = detailTables(evaluation, table)
    if (asked.length === 0) sayNothingThere(world)
    return asked.map((each) => each.toTerminal(world.output)).join('\n\n')
  }
  const isDetailed = details === true
  return renderSummary(evaluation, {
    folder: shortened(folder, world.cwd),
    terminal: world.output,
    details: isDetailed ? detailTables(evaluation, detailNames) : [],
    next: isDetailed
      ? []
      : [
          {
            command: `asrbench report ${evaluation.run.id} --details${resultsFlag(results)}`,
            purpose: 'how they err',
          },
        ],
  })
}

/** @throws BenchError ONE_TABLE_ONLY */
function csvOf(evaluation: Evaluation, { table }: ReportOptions, world: World): string {
  if (table === undefined) return summaryCsv(evaluation)
  if (table.length > 1) {
    throw cliErrors.make('ONE_TABLE_ONLY', {
      message: `a CSV holds one table, and ${table.length} were asked for`,
      hint: `asrbench report <run> --format csv --table ${table[0]}`,
    })
  }
  const [only] = detailTables(evaluation, table)
  if (only === undefined) sayNothingThere(world)
  return only?.toCsv() ?? ''
}

function sayNothingThere(world: World): void {
  world.say('  there is nothing to say in this table')
}

function audioOf({ audio, embedAudio }: ReportOptions): NonNullable<RunPageOptions['audio']> {
  if (!audio) return 'none'
  if (embedAudio === undefined) return 'beside'
  return { embeddedBytes: (embedAudio === true ? standardMegabytes : embedAudio) * 1e6 }
}
