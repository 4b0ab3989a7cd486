import { basename } from 'node:path'
import { compareSystems, type SystemsScore, systemsScoreFormatVersion } from '#rates'
import { writeSpeakerTable } from '#scoring'
import type { TranscriptSource } from '#transcripts'
import { ownRules } from '../own-rules.ts'
import type { World } from '../world.ts'
import type { CountingPlan } from './block-counter.ts'
import type { ScoredFile } from './collector.ts'
import { figureOf } from './figures.ts'
import { scoreFile } from './score-file.ts'
import {
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
export async function scoreAndWrite(world: World, files: WerFiles, options: WerOptions): Promise<void> {
  const plan = await planOf(world, options, files.hypotheses.length > 1)
  if (files.hypotheses.length > 1) await compareFiles(world, files, { options, plan })
  else await scoreOne(world, files, { options, plan })
}

interface Task {
  readonly options: WerOptions
  readonly plan: CountingPlan
}

async function planOf(world: World, options: WerOptions, compares: boolean): Promise<CountingPlan> {
  const { noSpeech, ...own } = await ownRules(world, options)
  if (noSpeech !== undefined) {
    world.say(`  ~ noSpeech in ${options.rules} is about answers of a service: it does nothing here`)
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
    compares,
  }
}

function sourceOf(
  world: World,
  reference: string,
  hypothesis: string | null,
  options: WerOptions,
): TranscriptSource {
  return {
    reference,
    hypothesis,
    format: options.format,
    // sclite's own files are trn whatever they are called.
    formatOfUnknown: options.alignment === 'sclite' ? 'trn' : undefined,
    names: rowNamesOf(options),
    stdin: world.stdin,
  }
}

async function scoreOne(world: World, { reference, hypotheses }: WerFiles, task: Task): Promise<void> {
  const [hypothesis = null] = hypotheses
  const source = sourceOf(world, reference, hypothesis, task.options)
  const scored = await scoreFile(world, { source, name: hypothesis ?? reference }, task.plan)
  try {
    await writeOne(world, scored, { reference, hypothesis: hypothesis ?? reference, options: task.options })
  } finally {
    await scored.rows.close()
  }
}

async function writeOne(
  world: World,
  { score, rows, speakers }: ScoredFile,
  {
    reference,
    hypothesis,
    options,
  }: { readonly reference: string; readonly hypothesis: string; readonly options: WerOptions },
): Promise<void> {
  const format = rowFormatOf(options)
  if (options.print !== undefined) return world.print(String(figureOf(score, options.print)))
  if (options.sys === true) {
    const tables = (['percentages', 'counts'] as const).map((kind) =>
      writeSpeakerTable(speakers, hypothesis, kind),
    )
    return world.print(tables.join('\n').trimEnd())
  }
  const { renderTextScore, textScoreFormats } = await import('#reports/text-score')
  if (format === null) return world.print(renderTextScore(score, world.output).trimEnd())
  const names = { title: hypothesis, referenceName: reference, hypothesisName: hypothesis }
  for await (const piece of textScoreFormats[format].write(score, rows, names)) {
    if (!(await world.write(piece))) return
  }
}

async function compareFiles(world: World, { reference, hypotheses }: WerFiles, task: Task): Promise<void> {
  const { options, plan } = task
  const names = systemNames(hypotheses)
  const scored: ScoredFile[] = []
  for (const [index, hypothesis] of hypotheses.entries()) {
    const source = sourceOf(world, reference, hypothesis, options)
    scored.push(await scoreFile(world, { source, name: names[index] ?? hypothesis }, plan))
  }
  if (options.print !== undefined) {
    const { print } = options
    return world.print(scored.map(({ score }) => figureOf(score, print)).join('\n'))
  }
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
  if (options.json === true) return world.print(JSON.stringify(result))
  const { renderSystems } = await import('#reports/text-score')
  world.print(renderSystems(result, world.output).trimEnd())
}

/** The names of the files; their paths where two have the same name. */
function systemNames(paths: readonly string[]): readonly string[] {
  const names = paths.map((path) => (path === '-' ? 'stdin' : basename(path)))
  return names.map((name, index) =>
    names.indexOf(name) === names.lastIndexOf(name) ? name : (paths[index] ?? name),
  )
}
