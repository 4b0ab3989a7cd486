import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { findRun } from '#journal'
import { renderScores, renderSummary, renderSummaryDocument } from '#reports'
import { profileNames } from '#scoring'
import { rescoreRun } from '#session'
import type { Attach } from '../attach.ts'
import { shortened } from '../paths.ts'
import { type ScoreFlags, scoreOptions } from '../score-options.ts'

interface ScoreCommandOptions extends ScoreFlags {
  readonly results: string
  readonly json?: boolean
}

/** `transcribench score <run>`: scores a run by other rules and keeps its existing scores. No requests are sent. */
export function defineScoreCommand(score: Command, attach: Attach): void {
  score
    .argument('<run>', 'a run folder, its name, a unique beginning of it, or latest')
    .addOption(new Option('--profile <id>', "normalisation (default: the run's own)").choices(profileNames))
    .option('--language <language>', 'of the texts (en, eng, English): its profile, where none is named')
    .option('--rules <file>', 'what is added to the profile, as in the scoring section of a config')
    .option('--glm <file>', "replacements, as sclite's global mapping files")
    .option('--vocabulary <file>', 'words and phrases to look for, one a line: recall and precision')
    .option('--corrections [file]', "corrected references (default: the corpus's corrections.jsonl)")
    .option('--results <folder>', 'where run folders are', 'results')
    .option('--json', 'the summary as one JSON document on stdout')
  attach<ScoreCommandOptions>(score, async (world, { results, json, ...flags }, [name = '']) => {
    const folder = await findRun(name, resolve(world.cwd, results))
    const { evaluation, files, scores } = await rescoreRun(folder, await scoreOptions(world, flags, folder), {
      env: world.env,
    })
    if (json === true) world.print(renderSummaryDocument(evaluation).trimEnd())
    else {
      const context = { folder: shortened(folder, world.cwd), files, terminal: world.output }
      world.print(renderSummary(evaluation, context).trimEnd())
      if (scores.length > 1) world.print(`\n${renderScores(scores, world.output)}`)
    }
    return evaluation.validity === 'invalid' ? 'runNotValid' : 'done'
  })
}
