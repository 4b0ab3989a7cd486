import { type Command, Option } from 'commander'
import { scoreTexts } from '#analysis'
import { readTranscripts } from '#corpus'
import { renderTextScore } from '#reports'
import { profiles } from '#scoring'
import { wholeNumber } from '../arguments.ts'
import type { Attach } from '../program.ts'

interface WerOptions {
  readonly profile: string
  readonly seed: number
  readonly json?: boolean
}

/** `asrbench wer <ref> <hyp>`: scores two files of text, no service involved. */
export function addWerCommand(program: Command, attach: Attach): void {
  const wer = program
    .command('wer')
    .description('score two files: text paired by line, or JSON Lines paired by id; no service involved')
    .argument('<reference>', 'what was said')
    .argument('<hypothesis>', 'what was recognised')
    .addOption(
      new Option('--profile <id>', 'normalisation, the same for both files')
        .choices(profiles.map((profile) => profile.id))
        .default('basic'),
    )
    .option('--seed <number>', 'seed of the intervals', wholeNumber(0), 1)
    .option('--json', 'one JSON document on stdout, with a row for every pair')
  attach<WerOptions>(wer, async (world, { profile, seed, json }, [reference = '', hypothesis = '']) => {
    const score = scoreTexts(await readTranscripts(reference, hypothesis), { profile, seed })
    world.print(json === true ? JSON.stringify(score) : renderTextScore(score, world.output))
    return 'done'
  })
}
