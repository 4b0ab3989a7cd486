import { basename, dirname, join, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { ThresholdResult } from '#analysis/documents/comparison'
import type { Evaluation } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import { parseThresholds } from '#analysis/metrics/threshold'
import { checkThresholds } from '#analysis/thresholds/check-thresholds'
import { recordedConfig } from '#config/bench-config'
import { packageFolder } from '#installation/installation'
import { findRun } from '#journal/find-run'
import { type RecordedRun, readRun } from '#journal/run-reader'
import { shellWord } from '#prelude'
import { listYamlProblems, parseYaml } from '#prelude/yaml'
import { runJunit } from '#reports/junit'
import type { Terminal } from '#reports/layout/terminal'
import { type DetailName, detailNames, detailTables } from '#reports/run/details/details'
import { renderScores } from '#reports/run/listings'
import {
  type RatingScale,
  rateContenders,
  ratingScale,
  ratingsCsv,
  ratingsMarkdown,
  renderRatings,
} from '#reports/run/ratings'
import { renderMarkdown, renderSummary } from '#reports/run/render-summary'
import { renderSummaryDocument, summaryCsv, utterancesCsv } from '#reports/run/summary-document'
import { type RunPageOptions, runPageHtml } from '#results/run-page-file'
import { listScores, type OpenedScore, openScore, ownScoring } from '#results/scores'
import { readCapacity, readStoredDocument, type StoredDocument } from '#results/stored-document'
import type { Attach, CommandContext } from '../command-context.ts'
import { deliver, documentRenderings, formats, listEndings, type Renderings } from '../document-output.ts'
import { cliErrors } from '../errors.ts'
import { namedPath, readNamed, standardStream } from '../named-files.ts'
import {
  commaSeparated,
  findRunsIn,
  positiveNumber,
  profileOption,
  resultsOption,
  scoreOption,
  shortened,
} from '../options.ts'
import { choice, type OptionsOf, option, readOption } from '../typed-options.ts'

const standardMegabytes = 25

const reportOptions = () => [
  option('-o, --output <file>', `write it to a file, in the format of its ending: ${listEndings(formats)}`),
  choice('--format <format>', 'what to print or write (default: text)', formats),
  option('--details', 'the full error analysis of the contenders'),
  readOption('--table <names>', `only these tables, as text or csv: ${detailNames.join(', ')}`, detailName),
  scoreOption(),
  option('--scores', 'list the scores of the run').conflicts([
    'details',
    'table',
    'ratings',
    'score',
    'profile',
  ]),
  option(
    '--ratings [file]',
    'only bars of 1 to 5 for accuracy and speed, by the bounds in a file (default: configs/ratings.yaml)',
  ).conflicts(['details', 'table']),
  profileOption('score again by another normalisation, without keeping it').conflicts('score'),
  option('--no-audio', 'HTML: without the recordings, which a page otherwise plays from where they are'),
  option('--no-text', 'HTML: without references and hypotheses, for private speech'),
  readOption(
    '--embed-audio [megabytes]',
    `HTML: embed the recordings, up to this many megabytes (default: ${standardMegabytes})`,
    positiveNumber('megabytes'),
  ).preset(standardMegabytes),
  resultsOption(),
]
type ReportOptions = OptionsOf<typeof reportOptions>

/** `transcribench report <run>`: shows a run's newest score, or another one. Sends nothing. */
export function defineReportCommand(report: Command, attach: Attach): void {
  report.argument(
    '<run|document>',
    'a run folder, its name, a unique beginning of it, or latest; or what compare, experiment, history or capacity printed with --json (- for standard input)',
  )
  attach(report, reportOptions, async (context, options, [name = '']) => {
    if (name === standardStream || name.endsWith('.json')) {
      const file = { ending: '.json', what: 'the document' }
      const document = await readStoredDocument(resolve(context.cwd, await namedPath(context, name, file)))
      refuseOptionsOfRuns(options, name, document.kind)
      const [run] =
        document.kind === 'experiment' ? document.experiment.sides.flatMap(({ folders }) => folders) : []
      if (run !== undefined) findRunsIn(dirname(run), context)
      await deliver(context, documentRenderings(document, options.text), options)
      return 'done'
    }
    const folder = await findRun(name, resolve(context.cwd, options.results))
    findRunsIn(dirname(folder), context)
    // A capacity measurement has a separate document; its journal cannot be scored as a run.
    const finding = await readCapacity(folder)
    if (finding !== null) {
      refuseOptionsOfRuns(options, name, 'capacity')
      await deliver(context, documentRenderings({ kind: 'capacity', finding }), options)
      return 'done'
    }
    if (options.scores === true) {
      const scores = await listScores(folder)
      await deliver(context, { text: (terminal) => renderScores(scores, terminal) }, options)
      return 'done'
    }
    const run = await readRun(folder)
    const { profile, score = null } = options
    const opened =
      profile === undefined
        ? await openScore(folder, score, context)
        : { evaluation: evaluateRun(run, { ...(await ownScoring(run, context)), profile }), files: [] }
    const { evaluation } = opened
    const renderings =
      options.ratings === undefined
        ? listRenderings(run, opened, options, context)
        : ratingRenderings(evaluation, await readRatingScale(context, options.ratings))
    await deliver(context, renderings, options)
    return evaluation.validity === 'invalid' ? 'runNotValid' : 'done'
  })
}

/** @throws BenchError COMMAND_LINE_INVALID for options that another document than a run does not have */
function refuseOptionsOfRuns(options: ReportOptions, name: string, kind: StoredDocument['kind']): void {
  const ofRuns = ['details', 'table', 'score', 'scores', 'ratings', 'profile'] as const
  const given = ofRuns.filter((each) => options[each] !== undefined).map((each) => `--${each}`)
  if (options.embedAudio !== undefined) given.push('--embed-audio')
  if (given.length === 0) return
  throw cliErrors.make('COMMAND_LINE_INVALID', {
    message: `the ${kind} in ${name} is not reported with ${given.join(' and ')}; only a run is`,
    hint: `show the whole document: transcribench report ${shellWord(name)}`,
  })
}

/** A run in all its formats. */
function listRenderings(
  run: RecordedRun,
  opened: OpenedScore,
  options: ReportOptions,
  context: CommandContext,
): Renderings {
  const { evaluation } = opened
  const tables: Renderings = {
    text: (terminal) => renderText(opened, run.folder, options, { context, terminal }),
    csv: () => renderCsv(evaluation, run.folder, options, context),
  }
  if (options.table !== undefined) return tables
  return {
    ...tables,
    md: () => renderMarkdown(evaluation),
    json: () => renderSummaryDocument(evaluation, readThresholds(run, evaluation)),
    'utterances-csv': () => utterancesCsv(evaluation),
    junit: () => runJunit(evaluation, readThresholds(run, evaluation)),
    html: () =>
      runPageHtml(run, evaluation, {
        path: resolve(context.cwd, options.output ?? 'report.html'),
        env: context.env,
        audio: readAudioOptions(options),
        hasTexts: options.text,
      }),
  }
}

/** Only the bars of a run. */
function ratingRenderings(evaluation: Evaluation, scale: RatingScale): Renderings {
  const ratings = rateContenders(evaluation, scale)
  return {
    text: (terminal) => renderRatings(ratings, terminal),
    md: () => ratingsMarkdown(ratings),
    csv: () => ratingsCsv(ratings),
    json: () => JSON.stringify({ scale, ratings }, null, 2),
  }
}

/** Thresholds of the run's config, checked against the figures that are shown. */
function readThresholds({ record }: RecordedRun, evaluation: Evaluation): readonly ThresholdResult[] {
  const config = recordedConfig.safeParse(record.config)
  return checkThresholds(parseThresholds(config.success ? config.data.thresholds : []), { evaluation })
}

function renderText(
  { evaluation, files }: OpenedScore,
  folder: string,
  { details, table, ...options }: ReportOptions,
  { context, terminal }: { readonly context: CommandContext; readonly terminal: Terminal },
): string {
  const report = reportCommand(folder, options)
  if (table !== undefined) {
    const tables = detailTables(evaluation, table, report)
    if (tables.length === 0) sayNothingThere(context)
    return tables.map((each) => each.toTerminal(terminal)).join('\n\n')
  }
  const isDetailed = details === true
  return renderSummary(evaluation, {
    folder: shortened(folder, context.cwd),
    files,
    terminal,
    details: isDetailed ? detailTables(evaluation, detailNames, report) : [],
    detailsCommand: isDetailed ? undefined : reportCommand(folder, options, ' --details'),
  })
}

/** The command that reports the same score. */
function reportCommand(
  folder: string,
  { score, profile }: Pick<ReportOptions, 'score' | 'profile'>,
  option = '',
): string {
  const flags = [
    ...(score === undefined ? [] : [` --score ${shellWord(score)}`]),
    ...(profile === undefined ? [] : [` --profile ${shellWord(profile)}`]),
  ]
  return `transcribench report ${shellWord(basename(folder))}${option}${flags.join('')}`
}

/** @throws BenchError ONE_TABLE_ONLY */
function renderCsv(
  evaluation: Evaluation,
  folder: string,
  { table, ...options }: ReportOptions,
  context: CommandContext,
): string {
  if (table === undefined) return summaryCsv(evaluation)
  if (table.length > 1) {
    throw cliErrors.make('ONE_TABLE_ONLY', {
      message: `a CSV holds one table, and ${table.length} were asked for`,
      hint: `${reportCommand(folder, options)} --format csv --table ${table[0]}`,
    })
  }
  const [only] = detailTables(evaluation, table)
  if (only === undefined) sayNothingThere(context)
  return only?.toCsv() ?? ''
}

function sayNothingThere(context: CommandContext): void {
  context.say('  there is nothing to say in this table')
}

function readAudioOptions({ audio, embedAudio }: ReportOptions): NonNullable<RunPageOptions['audio']> {
  if (!audio) return 'none'
  if (embedAudio === undefined) return 'linked'
  return { embeddedBytes: embedAudio * 1e6 }
}

const shipped = 'configs/ratings.yaml'

/**
 * Reads the rating scale of `--ratings`.
 *
 * @param path as typed; true for the built-in scale
 * @throws BenchError FILE_UNREADABLE, RATINGS_INVALID
 */
async function readRatingScale(context: CommandContext, path: string | true): Promise<RatingScale> {
  const shown = path === true ? shipped : path
  const text = await readNamed(context, path === true ? join(packageFolder, shipped) : path, {
    what: 'the scale',
    hint: `copy ${shipped} and change it; without a file --ratings takes that one`,
  })
  const yaml = parseYaml(text)
  const faults = listYamlProblems(yaml, shown)
  const parsed = ratingScale.safeParse(faults.length === 0 ? yaml.document.toJS() : null)
  if (parsed.success) return parsed.data
  throw cliErrors.make('RATINGS_INVALID', {
    message: `${shown} is no scale of ratings`,
    hint: `compare it with ${shipped}, which explains both lists`,
    problems:
      faults.length === 0
        ? parsed.error.issues.map((issue) => ({ where: issue.path.join('.'), what: issue.message }))
        : faults,
  })
}

/** Reads comma-separated names of detail tables. */
function detailName(text: string, previous: readonly DetailName[] | undefined): DetailName[] {
  const names = commaSeparated(text, [])
  const valid = names.filter((name): name is DetailName => detailNames.some((each) => each === name))
  if (names.length === 0 || valid.length < names.length) {
    throw new InvalidArgumentError(`Known are ${detailNames.join(', ')}.`)
  }
  return [...(previous ?? []), ...valid]
}
