import { basename } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { SystemsScore } from '#rates/documents'
import { systemsScoreFormatVersion } from '#rates/scored-pair'
import { alignmentRules } from '#scoring/alignment/align'
import { characterRules } from '#scoring/tokens'
import { captionRules, transcriptFormats } from '#transcripts/formats'
import type { TranscriptSource } from '#transcripts/read-pairs'
import type { Attach, CommandContext } from '../command-context.ts'
import { standardStream } from '../named-files.ts'
import { commaSeparated, profileOption, wholeNumber } from '../options.ts'
import { type CountingPlan, type ScoredFile, scoreFile } from '../wer-files.ts'
import {
  checkOptions,
  chooseRowFormat,
  figureNames,
  onlyWords,
  outputs,
  readFigure,
  readRowNames,
  readScliteOptions,
  type WerFiles,
  type WerOptions,
} from '../wer-options.ts'

/** `transcribench wer <ref> [hyp …]`: scores files of text, no service involved. */
export function defineWerCommand(wer: Command, attach: Attach): void {
  wer
    .argument('<reference>', 'what was said; or a .jsonl, .csv or .tsv file of id, reference, hypothesis')
    .argument('[hypotheses...]', 'what was recognised; several systems are compared')
  addInputOptions(wer)
  addRuleOptions(wer)
  addViewOptions(wer)
  addOutputOptions(wer)
  attach<WerOptions>(wer, async (context, options, [reference = '', ...hypotheses]) => {
    const files = { reference, hypotheses }
    checkOptions(files, options)
    await scoreAndWrite(context, files, options)
    return 'done'
  })
}

function addInputOptions(wer: Command): void {
  wer
    .addOption(
      new Option(
        '--format <format>',
        `of both files, or of one: hypothesis=whisper (default: from their names; ${transcriptFormats.join(', ')})`,
      ).argParser(readFormat),
    )
    .addOption(
      new Option('--captions <rule>', 'subtitles that repeat the end of the cue before')
        .choices(captionRules)
        .default('keep'),
    )
    .option('--id-column <name>', 'the column, or the field in JSON, that holds the id')
    .option('--reference-column <name>', 'the same for the reference')
    .option('--hypothesis-column <name>', 'the same for the hypothesis')
}

/** `trn`, or `reference=stm`, which may be followed by the same of the other side. */
function readFormat(written: string, before: WerOptions['format']): WerOptions['format'] {
  const [, side, name = ''] = /^(?:(reference|hypothesis)=)?(.*)$/s.exec(written) ?? []
  const format = transcriptFormats.find((each) => each === name)
  if (format === undefined)
    throw new InvalidArgumentError(
      `Allowed choices are ${transcriptFormats.join(', ')}, each also after reference= or hypothesis=.`,
    )
  if (side === undefined) return format
  return { ...(typeof before === 'object' ? before : {}), [side]: format }
}

function addRuleOptions(wer: Command): void {
  wer
    .addOption(profileOption('normalisation, the same for both (default: by alignment and language)'))
    .option(
      '--rules <file>',
      'fillers, replacements, equivalences, vocabulary: as in the scoring section of a config',
    )
    .option('--glm <file>', "replacements, as sclite's global mapping files")
    .option('--language <language>', 'of the texts (en, eng, English): sets the default profile')
    .addOption(
      new Option('--alignment <rule>', 'whose counts, where several alignments have as few errors')
        .choices(alignmentRules)
        .default('canonical'),
    )
    .option('-D, --optional-deletions', 'with --alignment sclite: a word in parentheses may be deleted')
    .option('-F, --fragments', 'with --alignment sclite: a fragment (fi-) matches a word that begins so')
    .addOption(new Option('--characters <rule>', 'what CER counts').choices(characterRules))
    .addOption(
      new Option('--only <tokens>', 'leave out the characters, which take longer').choices(['words']),
    )
}

function addViewOptions(wer: Command): void {
  wer
    .option(
      '--by <names>',
      'groups: speaker, duration, or fields of the rows; comma-separated',
      commaSeparated,
    )
    .option('--confusions <count>', 'the most frequent errors, by word', wholeNumber(1))
    .option('--worst <count>', 'the utterances with the most errors, word under word', wholeNumber(1))
    .option('--seed <number>', 'seed of the intervals', wholeNumber(0), 1)
}

function addOutputOptions(wer: Command): void {
  wer
    .addOption(exclusive('print <figure>', 'one number on stdout and nothing else').choices(figureNames))
    .addOption(exclusive('json', 'one JSON document on stdout, with a row for every pair'))
    .addOption(exclusive('csv', 'comma-separated values on stdout, a row for every pair'))
    .addOption(exclusive('pra', 'every pair word under word on stdout, as sclite -o pra'))
    .addOption(exclusive('html', 'every pair with its errors marked, as a page on stdout'))
    .addOption(exclusive('sgml', 'every pair for sc_stats on stdout, as sclite -o sgml'))
    .addOption(exclusive('sys', 'tables by speaker on stdout, as sclite -o sum rsum'))
    .addOption(
      exclusive('trn <side>', 'the words of one side as they were compared, for any other scorer').choices([
        'reference',
        'hypothesis',
      ]),
    )
}

/** One of the outputs that exclude each other. */
function exclusive(syntax: string, description: string): Option {
  const option = new Option(`--${syntax}`, description)
  return option.conflicts(outputs.filter((other) => other !== option.attributeName()))
}

/**
 * Carries out `transcribench wer`: reads, scores, and writes to stdout what was asked for.
 *
 * @throws BenchError of the files and the rules
 */
async function scoreAndWrite(context: CommandContext, files: WerFiles, options: WerOptions): Promise<void> {
  const plan = await makePlan(context, options, files.hypotheses.length > 1)
  if (files.hypotheses.length > 1) await compareFiles(context, files, { options, plan })
  else await scoreOne(context, files, { options, plan })
}

interface Task {
  readonly options: WerOptions
  readonly plan: CountingPlan
}

async function makePlan(
  context: CommandContext,
  options: WerOptions,
  compares: boolean,
): Promise<CountingPlan> {
  const hasRules = options.rules !== undefined || options.glm !== undefined
  const { noSpeech, ...own } = hasRules
    ? await (await import('../score-options.ts')).ownRules(context, options)
    : { rules: [] }
  if (noSpeech !== undefined) {
    context.say(`  ~ noSpeech in ${options.rules} is about answers of a service: it does nothing here`)
  }
  const { profile, language, alignment, characters, seed, by, confusions, worst = 0 } = options
  return {
    options: {
      ...{ profile, language, alignment, characters, seed, by, confusions, ...own },
      sclite: readScliteOptions(options),
      only: onlyWords(options) ? 'words' : undefined,
    },
    keep: compares ? null : chooseRowFormat(options),
    worst,
    bySpeaker: options.sys === true,
    compares,
  }
}

function describeSource(
  context: CommandContext,
  reference: string,
  hypothesis: string | null,
  options: WerOptions,
): TranscriptSource {
  return {
    reference,
    hypothesis,
    format: options.format,
    captions: options.captions,
    // sclite's own files are trn whatever they are called.
    formatOfUnknown: options.alignment === 'sclite' ? 'trn' : undefined,
    names: readRowNames(options),
    stdin: [reference, hypothesis].includes(standardStream)
      ? context.openStandardInput(hypothesis === standardStream ? 'the hypotheses' : 'the texts')
      : undefined,
  }
}

async function scoreOne(
  context: CommandContext,
  { reference, hypotheses }: WerFiles,
  task: Task,
): Promise<void> {
  const [hypothesis = null] = hypotheses
  const source = describeSource(context, reference, hypothesis, task.options)
  const scored = await scoreFile(context, { source, name: hypothesis ?? reference }, task.plan)
  try {
    await writeOne(context, scored, { reference, hypothesis: hypothesis ?? reference, options: task.options })
  } finally {
    await scored.rows.close()
  }
}

async function writeOne(
  context: CommandContext,
  { score, rows, speakers }: ScoredFile,
  files: { readonly reference: string; readonly hypothesis: string; readonly options: WerOptions },
): Promise<void> {
  const { reference, hypothesis, options } = files
  const format = chooseRowFormat(options)
  if (options.print !== undefined) return context.print(String(readFigure(score, options.print)))
  if (options.sys === true) {
    const { writeSpeakerTable } = await import('#scoring/formats/sclite-reports')
    const tables = (['percentages', 'counts'] as const).map((kind) =>
      writeSpeakerTable(speakers, hypothesis, kind),
    )
    return context.print(tables.join('\n').trimEnd())
  }
  if (format === null) {
    const { renderTextScore } = await import('#reports/text-score/render-text-score')
    return context.print(renderTextScore(score, context.output).trimEnd())
  }
  const { textScoreFormats } = await import('#reports/text-score/formats')
  const names = { title: hypothesis, referenceName: reference, hypothesisName: hypothesis }
  for await (const piece of textScoreFormats[format].write(score, rows, names)) {
    if (!(await context.write(piece))) return
  }
}

async function compareFiles(
  context: CommandContext,
  { reference, hypotheses }: WerFiles,
  task: Task,
): Promise<void> {
  const { options, plan } = task
  const names = systemNames(hypotheses)
  const scored: ScoredFile[] = []
  for (const [index, hypothesis] of hypotheses.entries()) {
    const source = describeSource(context, reference, hypothesis, options)
    scored.push(await scoreFile(context, { source, name: names[index] ?? hypothesis }, plan))
  }
  if (options.print !== undefined) {
    const { print } = options
    return context.print(scored.map(({ score }) => readFigure(score, print)).join('\n'))
  }
  const { compareSystems } = await import('#rates/compare-systems')
  const result: SystemsScore = {
    formatVersion: systemsScoreFormatVersion,
    systems: scored.map(({ score }, index) => ({
      name: names[index] ?? '',
      file: hypotheses[index] ?? '',
      score,
    })),
    comparisons: compareSystems(
      scored.flatMap(({ system }) => system ?? []),
      options.seed,
    ),
  }
  if (options.json === true) return context.print(JSON.stringify(result))
  const { renderSystems } = await import('#reports/text-score/render-systems')
  context.print(renderSystems(result, context.output).trimEnd())
}

/** The names of the files; their paths where two have the same name. */
function systemNames(paths: readonly string[]): readonly string[] {
  const names = paths.map((path) => (path === standardStream ? 'stdin' : basename(path)))
  return names.map((name, index) =>
    names.indexOf(name) === names.lastIndexOf(name) ? name : (paths[index] ?? name),
  )
}
