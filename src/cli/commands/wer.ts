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
  type WerOptions,
  werOptions,
} from '../wer-options.ts'

/** `transcribench wer <ref> [hyp …]`: scores files of text, no service involved. */
export function defineWerCommand(wer: Command, attach: Attach): void {
  wer
    .argument('<reference>', 'what was said; or a .jsonl, .csv or .tsv file of id, reference, hypothesis')
    .argument('[hypotheses...]', 'what was recognised; several systems are compared')
  attach(wer, werOptions, async (context, options, [reference = '', ...hypotheses]) => {
    checkOptions(reference, hypotheses, options)
    const plan = await makePlan(context, options, hypotheses.length > 1)
    const score = (hypothesis: string | null, name: string): Promise<ScoredFile> => {
      const source = describeSource(context, reference, hypothesis, options)
      return scoreFile(context, { source, name }, plan)
    }
    if (hypotheses.length > 1) await compareFiles(context, hypotheses, options, score)
    else {
      const [hypothesis = null] = hypotheses
      const name = hypothesis ?? reference
      const scored = await score(hypothesis, name)
      try {
        await writeOne(context, scored, { reference, hypothesis: name, options })
      } finally {
        await scored.rows.close()
      }
    }
    return 'done'
  })
}

async function makePlan(
  context: CommandContext,
  options: WerOptions,
  compares: boolean,
): Promise<CountingPlan> {
  const hasRules = options.rules !== undefined || options.glm !== undefined
  const { noSpeech, ...addedRules } = hasRules
    ? await (await import('../score-options.ts')).ownRules(context, options)
    : { rules: [] }
  if (noSpeech !== undefined) {
    context.say(`  ~ noSpeech in ${options.rules} is about answers of a service: it does nothing here`)
  }
  const { profile, language, alignment, characters, seed, by, confusions, worst = 0 } = options
  return {
    options: {
      profile,
      language,
      alignment,
      characters,
      seed,
      by,
      confusions,
      ...addedRules,
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
    // With sclite's alignment, a file of unknown extension is read as trn, the format of sclite's own files.
    formatOfUnknown: options.alignment === 'sclite' ? 'trn' : undefined,
    names: readRowNames(options),
    stdin: [reference, hypothesis].includes(standardStream)
      ? context.openStandardInput(hypothesis === standardStream ? 'the hypotheses' : 'the texts')
      : undefined,
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
  hypotheses: readonly string[],
  options: WerOptions,
  score: (hypothesis: string, name: string) => Promise<ScoredFile>,
): Promise<void> {
  const names = systemNames(hypotheses)
  const scored: ScoredFile[] = []
  for (const [index, hypothesis] of hypotheses.entries()) {
    scored.push(await score(hypothesis, names[index] ?? hypothesis))
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

/** The names of the files, or their paths if two have the same name. */
function systemNames(paths: readonly string[]): readonly string[] {
  const names = paths.map((path) => (path === standardStream ? 'stdin' : basename(path)))
  return names.map((name, index) =>
    names.indexOf(name) === names.lastIndexOf(name) ? name : (paths[index] ?? name),
  )
}
