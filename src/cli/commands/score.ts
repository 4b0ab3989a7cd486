import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { findRun } from '#journal/find-run'
import { renderScores } from '#reports/run/listings'
import { renderSummary } from '#reports/run/render-summary'
import { renderSummaryDocument } from '#reports/run/summary-document'
import { rescoreRun } from '#results/scores'
import type { Attach } from '../command-context.ts'
import { findRunsIn, profileOption, resultsOption, shortened } from '../options.ts'
import { scoreOptions } from '../score-options.ts'
import { option } from '../typed-options.ts'

const scoreCommandOptions = () => [
  profileOption("normalisation (default: the run's own)"),
  option('--language <language>', 'language of the texts (en, eng, English); sets the default profile'),
  option('--rules <file>', 'rules to add to the profile, as in the scoring section of a config'),
  option('--glm <file>', "replacements, as sclite's global mapping files"),
  option('--vocabulary <file>', 'words and phrases to look for, one per line: recall and precision'),
  option('--corrections [file]', "corrected references (default: the corpus's corrections.jsonl)"),
  resultsOption(),
  option('--json', 'the summary as one JSON document on stdout'),
]

/** `transcribench score <run>`: scores a run by other rules and keeps its existing scores. No requests are sent. */
export function defineScoreCommand(score: Command, attach: Attach): void {
  score.argument('<run>', 'a run folder, its name, a unique beginning of it, or latest')
  attach(score, scoreCommandOptions, async (context, { results, json, ...flags }, [name = '']) => {
    const folder = await findRun(name, resolve(context.cwd, results))
    findRunsIn(dirname(folder), context)
    const { evaluation, files, scores } = await rescoreRun(
      folder,
      await scoreOptions(context, flags, folder),
      {
        env: context.env,
      },
    )
    if (json === true) context.print(renderSummaryDocument(evaluation).trimEnd())
    else {
      const header = { folder: shortened(folder, context.cwd), files, terminal: context.output }
      context.print(renderSummary(evaluation, header).trimEnd())
      if (scores.length > 1) context.print(`\n${renderScores(scores, context.output)}`)
    }
    return evaluation.validity === 'invalid' ? 'runNotValid' : 'done'
  })
}
