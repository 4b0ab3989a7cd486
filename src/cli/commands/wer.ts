import { basename } from 'node:path'
import type { Command } from 'commander'
import type { SystemsScore } from '#rates/documents'
import { systemsScoreFormatVersion } from '#rates/scored-pair'
import type { TranscriptSource } from '#transcripts/read-pairs'
import type { Attach, CommandContext } from '../command-context.ts'
import { standardStream } from '../named-files.ts'
import { type CountingPlan, type ScoredFile, scoreFile } from '../wer-files.ts'
import {
  checkOptions,
  chooseRowFormat,
  onlyWords,
  readFigure,
  readRowNames,
  readScliteOptions,
  type WerFiles,
  type WerOptions,
  werOptions,
} from '../wer-options.ts'

/** `transcribench wer <ref> [hyp …]`: scores files of text, no service involved. */
export function defineWerCommand(wer: Command, attach: Attach): void {
  wer
    .argument('<reference>', 'what was said; or a .jsonl, .csv or .tsv file of id, reference, hypothesis')
    .argument('[hypotheses...]', 'what was recognised; several systems are compared')
  attach(wer, werOptions, async (context, options, [reference = '', ...hypotheses]) => {
    const files = { reference, hypotheses }
    checkOptions(files, options)
    await scoreAndWrite(context, files, options)
    return 'done'
  })
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
