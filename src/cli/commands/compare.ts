import { resolve } from 'node:path'
import type { Command } from 'commander'
import { checkThresholds, parseThresholds } from '#analysis'
import { findRun } from '#journal'
import { renderComparison } from '#reports'
import { compareFolders } from '#session'
import { contenderPair, percentagePoints, repeatable } from '../arguments.ts'
import type { Attach } from '../program.ts'

interface CompareCommandOptions {
  readonly results: string
  readonly failIf?: readonly string[]
  readonly margin?: number
  readonly contender?: readonly { readonly base: string; readonly run: string }[]
  readonly profile?: string
  readonly onlyMatching?: boolean
  readonly strict?: boolean
  readonly json?: boolean
}

/** `asrbench compare <base> <run>`: did it get better or worse, yes, no, or cannot tell. */
export function addCompareCommand(program: Command, attach: Attach): void {
  const compare = program
    .command('compare')
    .description('two runs, paired by utterance and scored again with the same profile, with verdicts')
    .argument('<base>', 'a run folder, its name, a unique beginning of it, or latest')
    .argument('<run>', 'likewise')
    .option(
      '--fail-if <threshold>',
      "a limit, such as 'wer.regression <= 0.5pp'; repeatable; exit 3",
      repeatable,
    )
    .option('--margin <points>', 'differences up to this are equivalent; default 0.2pp', percentagePoints)
    .option('--contender <base=run>', 'hold contenders of different names against each other', contenderPair)
    .option('--profile <id>', 'score both with this profile')
    .option('--only-matching', 'leave out utterances whose audio or reference differs')
    .option('--strict', 'exit 6 where a verdict is unresolved')
    .option('--results <folder>', 'where run folders are', 'results')
    .option('--json', 'one JSON document on stdout')
  attach<CompareCommandOptions>(compare, async (world, options, [base = '', run = '']) => {
    const thresholds = parseThresholds(options.failIf ?? [])
    const results = resolve(world.cwd, options.results)
    const { comparison, evaluation } = await compareFolders(
      await findRun(base, results),
      await findRun(run, results),
      {
        profile: options.profile,
        margins: options.margin === undefined ? undefined : { wer: options.margin, cer: options.margin },
        contenders: options.contender,
        onlyMatching: options.onlyMatching,
      },
    )
    const checked = checkThresholds(thresholds, { evaluation, comparison })
    world.print(
      options.json === true
        ? JSON.stringify({ ...comparison, thresholds: checked }, null, 2)
        : renderComparison(comparison, checked, world.output),
    )
    if (comparison.findings.some(({ severity }) => severity === 'invalid')) return 'runNotValid'
    if (checked.some(({ outcome }) => outcome !== 'passed')) return 'thresholdFailed'
    const isUnresolved = comparison.contenders.some(({ rates }) =>
      rates.some(({ verdict }) => verdict === null || verdict === 'unresolved'),
    )
    return options.strict === true && isUnresolved ? 'unresolved' : 'done'
  })
}
