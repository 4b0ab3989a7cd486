import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { checkThresholds, type Margins, parseThresholds } from '#analysis'
import { comparisonJunit, comparisonMarkdown, renderComparison } from '#reports'
import { compareFolders, findSide } from '#session'
import { contenderPair, marginOf, repeatable } from '../arguments.ts'
import type { Attach } from '../program.ts'
import { corrections } from '../score-options.ts'

interface CompareCommandOptions {
  readonly results: string
  readonly failIf?: readonly string[]
  readonly margin?: Partial<Margins>
  readonly contender?: readonly { readonly base: string; readonly run: string }[]
  readonly profile?: string
  readonly corrections?: string | true
  readonly onlyMatching?: boolean
  readonly strict?: boolean
  readonly markdown?: string
  readonly junit?: string
  readonly json?: boolean
}

/** `asrbench compare <base> <run>`: did it get better or worse, yes, no, or cannot tell. */
export function addCompareCommand(program: Command, attach: Attach): void {
  const compare = program
    .command('compare')
    .description('runs, paired by utterance and scored again with the same profile, with verdicts')
    .argument(
      '<base>',
      'a baseline, a run folder, its name, a unique beginning of it, or latest; a,b,c for several',
    )
    .argument('<run>', 'likewise')
    .option(
      '--fail-if <threshold>',
      "a limit, such as 'wer.regression <= 0.5pp'; repeatable; exit 3",
      repeatable,
    )
    .option(
      '--margin <margin>',
      'differences up to this are equivalent: 0.2pp of error rates, latency=5%, rtfx=2%; repeatable',
      marginOf,
    )
    .option('--contender <base=run>', 'hold contenders of different names against each other', contenderPair)
    .option('--profile <id>', 'score both with this profile')
    .option('--corrections [file]', "corrected references (default: the corpus's corrections.jsonl)")
    .option('--only-matching', 'leave out utterances whose audio or reference differs')
    .option('--strict', 'exit 6 where a verdict is unresolved')
    .option('--markdown <file>', 'also write a comment for a pull request')
    .option('--junit <file>', 'also write the thresholds and verdicts as JUnit XML')
    .option('--results <folder>', 'where run folders are', 'results')
    .option('--json', 'one JSON document on stdout')
  attach<CompareCommandOptions>(compare, async (world, options, [base = '', run = '']) => {
    const thresholds = parseThresholds(options.failIf ?? [])
    const results = resolve(world.cwd, options.results)
    const runFolders = await findSide(run, results)
    const latest = runFolders.at(-1)
    const { comparison, evaluation } = await compareFolders(await findSide(base, results), runFolders, {
      corrections:
        options.corrections === undefined || latest === undefined
          ? undefined
          : await corrections(world, options.corrections, latest),
      profile: options.profile,
      margins: options.margin,
      contenders: options.contender,
      onlyMatching: options.onlyMatching,
      results,
    })
    const checked = checkThresholds(thresholds, { evaluation, comparison })
    if (options.markdown !== undefined) {
      await writeFile(resolve(world.cwd, options.markdown), comparisonMarkdown(comparison, checked))
    }
    if (options.junit !== undefined) {
      await writeFile(resolve(world.cwd, options.junit), comparisonJunit(comparison, checked))
    }
    world.print(
      options.json === true
        ? JSON.stringify({ ...comparison, thresholds: checked }, null, 2)
        : renderComparison(comparison, checked, world.output),
    )
    if (comparison.findings.some(({ severity }) => severity === 'invalid')) return 'runNotValid'
    if (checked.some(({ outcome }) => outcome !== 'passed')) return 'thresholdFailed'
    const verdicts = comparison.contenders.flatMap(({ rates, speed }) => [
      ...rates.map(({ verdict }) => verdict ?? 'unresolved'),
      ...speed.map(({ verdict }) => verdict),
    ])
    const isUnresolved = verdicts.includes('unresolved') || checked.some(({ isResolved }) => !isResolved)
    return options.strict === true && isUnresolved ? 'unresolved' : 'done'
  })
}
