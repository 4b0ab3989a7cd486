import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { findRun } from '#journal'
import { renderScores, renderSummary, renderSummaryDocument } from '#reports'
import { profiles } from '#scoring'
import { rescoreRun } from '#session'
import type { Attach } from '../program.ts'

interface ScoreCommandOptions {
  readonly profile?: string
  readonly results: string
  readonly json?: boolean
}

/** `asrbench score <run>`: scores a run under another profile, beside the scores that it has. No requests are sent. */
export function addScoreCommand(program: Command, attach: Attach): void {
  const score = program
    .command('score')
    .description('score a run under another profile, beside its other scores; nothing is sent')
    .argument('<run>', 'a run folder, its name, a unique beginning of it, or latest')
    .addOption(
      new Option('--profile <id>', "normalisation (default: the run's own)").choices(
        profiles.map((profile) => profile.id),
      ),
    )
    .option('--results <folder>', 'where run folders are', 'results')
    .option('--json', 'the summary as one JSON document on stdout')
  attach<ScoreCommandOptions>(score, async (world, { profile, results, json }, [name = '']) => {
    const folder = await findRun(name, resolve(world.cwd, results))
    const { evaluation, standing } = await rescoreRun(folder, { profile, env: world.env })
    if (json === true) world.print(renderSummaryDocument(evaluation).trimEnd())
    else {
      world.print(renderSummary(evaluation, { folder, terminal: world.output }).trimEnd())
      if (standing.length > 1) world.print(`\n${renderScores(standing, world.output)}`)
    }
    return evaluation.validity === 'valid' ? 'done' : 'runNotValid'
  })
}
