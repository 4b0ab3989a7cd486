import { basename } from 'node:path'
import { type SystemsScore, systemsScoreFormatVersion } from '#rates'
import type { TranscriptSource } from '#transcripts'
import type { CommandContext } from '../command-context.ts'
import { standardStream } from '../input/read-named.ts'
import type { CountingPlan, ScoredFile } from './score-file.ts'
import { scoreFile } from './score-file.ts'
import {
  figureOf,
  onlyWords,
  rowFormatOf,
  rowNamesOf,
  scliteOf,
  type WerFiles,
  type WerOptions,
} from './wer-options.ts'

/**
 * Carries out `transcribench wer`: reads, scores, and writes to stdout what was asked for.
 *
 * @throws BenchError of the files and the rules
 */
export async function scoreAndWrite(
  context: CommandContext,
  files: WerFiles,
  options: WerOptions,
): Promise<void> {
  const plan = await planOf(context, options, files.hypotheses.length > 1)
  if (files.hypotheses.length > 1) await compareFiles(context, files, { options, plan })
  else await scoreOne(context, files, { options, plan })
}

interface Task {
  readonly options: WerOptions
  readonly plan: CountingPlan
}

async function planOf(
  context: CommandContext,
  options: WerOptions,
  compares: boolean,
): Promise<CountingPlan> {
  const hasRules = options.rules !== undefined || options.glm !== undefined
  const { noSpeech, ...own } = hasRules
    ? await (await import('../options/own-rules.ts')).ownRules(context, options)
    : { rules: [] }
  if (noSpeech !== undefined) {
    context.say(`  ~ noSpeech in ${options.rules} is about answers of a service: it does nothing here`)
  }
  const { profile, language, alignment, characters, seed, by, confusions, worst = 0 } = options
  return {
    options: {
      ...{ profile, language, alignment, characters, seed, by, confusions, ...own },
      sclite: scliteOf(options),
      only: onlyWords(options) ? 'words' : undefined,
    },
    keep: compares ? null : rowFormatOf(options),
    worst,
    bySpeaker: options.sys === true,
    compares,
  }
}

function sourceOf(
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
    names: rowNamesOf(options),
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
  const source = sourceOf(context, reference, hypothesis, task.options)
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
  {
    reference,
    hypothesis,
    options,
  }: { readonly reference: string; readonly hypothesis: string; readonly options: WerOptions },
): Promise<void> {
  const format = rowFormatOf(options)
  if (options.print !== undefined) return context.print(String(figureOf(score, options.print)))
  if (options.sys === true) {
    const { writeSpeakerTable } = await import('#scoring/formats')
    const tables = (['percentages', 'counts'] as const).map((kind) =>
      writeSpeakerTable(speakers, hypothesis, kind),
    )
    return context.print(tables.join('\n').trimEnd())
  }
  if (format === null) {
    const { renderTextScore } = await import('#reports/text-score')
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
    const source = sourceOf(context, reference, hypothesis, options)
    scored.push(await scoreFile(context, { source, name: names[index] ?? hypothesis }, plan))
  }
  if (options.print !== undefined) {
    const { print } = options
    return context.print(scored.map(({ score }) => figureOf(score, print)).join('\n'))
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
  const { renderSystems } = await import('#reports/text-score/systems')
  context.print(renderSystems(result, context.output).trimEnd())
}

/** The names of the files; their paths where two have the same name. */
function systemNames(paths: readonly string[]): readonly string[] {
  const names = paths.map((path) => (path === standardStream ? 'stdin' : basename(path)))
  return names.map((name, index) =>
    names.indexOf(name) === names.lastIndexOf(name) ? name : (paths[index] ?? name),
  )
}
