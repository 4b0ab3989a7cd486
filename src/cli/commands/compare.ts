import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { becameWorse, listJudgements, unjudgedSpeeds } from '#analysis/documents/comparison'
import { undetectable } from '#analysis/figures/ranking/required-utterances'
import { gateMargin } from '#analysis/figures/speed/margins'
import { parseThresholds } from '#analysis/metrics/threshold'
import { checkThresholds } from '#analysis/thresholds/check-thresholds'
import { readRecord } from '#journal/run-reader'
import { allOf } from '#prelude'
import { findSide } from '#results/baselines'
import { compareFolders } from '#results/compare-folders'
import { contenderPair, parseMargin } from '../arguments.ts'
import type { Attach } from '../command-context.ts'
import { checkOutputs, deliverDocument, outputOption, withFailureComment } from '../document-output.ts'
import { findRunsIn, profileOption, repeatable, resultsOption, scoreOption } from '../options.ts'
import { corrections } from '../score-options.ts'
import { option, readOption } from '../typed-options.ts'

const compareOptions = () => [
  readOption(
    '--threshold <threshold>',
    "what must hold, such as 'wer.regression <= 0.5pp'; repeatable; else exit 3",
    repeatable,
  ),
  option('--fail-if-worse', 'exit 3 if any figure is significantly worse'),
  readOption(
    '--margin <margin>',
    'differences up to this are equivalent: 0.2pp of error rates, speed=5%; repeatable',
    parseMargin,
  ),
  readOption('--contender <base=run>', 'compare contenders of different names', contenderPair),
  profileOption('score both with this profile'),
  scoreOption(),
  option('--corrections [file]', "corrected references (default: the corpus's corrections.jsonl)"),
  option('--only-matching', 'exclude utterances whose audio or reference differs'),
  option('--strict', 'exit 6 if a threshold, or without thresholds a verdict, is unresolved'),
  outputOption('comparison'),
  option('--no-text', 'HTML: without references and hypotheses, for private speech'),
  option('--markdown <file>', 'also write a comment for a pull request'),
  option('--junit <file>', 'also write the thresholds and verdicts as JUnit XML'),
  resultsOption(),
  option('--json', 'one JSON document on stdout'),
]

/** `transcribench compare <base> <run>`: whether the run is better, worse or equivalent, or it is unresolved. */
export function defineCompareCommand(compare: Command, attach: Attach): void {
  compare
    .argument(
      '<base>',
      'a baseline, a run folder, its name, a unique beginning of it, or latest; a,b,c for several',
    )
    .argument('<run>', 'the run to compare, in the same forms')
  attach(compare, compareOptions, async (context, options, [base = '', run = '']) => {
    const results = resolve(context.cwd, options.results)
    const reading = () =>
      [
        (async () => parseThresholds(options.threshold ?? []))(),
        findSide(base, results),
        findSide(run, results),
      ] as const
    // A comment about the failure could not be written to these outputs, so all problems are reported here.
    await checkOutputs(context, 'comparison', options).catch((cause: unknown) =>
      allOf([Promise.reject(cause), ...reading()]),
    )
    const { thresholds, comparison, evaluate } = await withFailureComment(
      context,
      'comparison',
      options,
      async () => {
        const [thresholds, baseFolders, runFolders] = await allOf(reading())
        const latest = runFolders.at(-1)
        if (latest !== undefined) {
          findRunsIn(dirname(latest), context)
          const { utteranceCount } = (await readRecord(latest)).corpus
          const margin = gateMargin(options.failIfWorse, options.margin)
          for (const text of undetectable(thresholds, utteranceCount, margin)) context.say(`  ~ ${text}`)
        }
        const compared = await compareFolders(baseFolders, runFolders, {
          corrections:
            options.corrections === undefined || latest === undefined
              ? undefined
              : await corrections(context, options.corrections, latest),
          profile: options.profile,
          score: options.score,
          margins: options.margin,
          contenders: options.contender,
          onlyMatching: options.onlyMatching,
          results,
        })
        return { thresholds, ...compared }
      },
    )
    const checked =
      thresholds.length === 0 ? [] : checkThresholds(thresholds, { evaluation: await evaluate(), comparison })
    const document = { kind: 'comparison', comparison, thresholds: checked } as const
    await deliverDocument(context, document, options, options.text)
    if (comparison.findings.some(({ severity }) => severity === 'invalid')) return 'runNotValid'
    if (checked.some(({ outcome }) => outcome !== 'passed')) return 'thresholdFailed'
    if (options.failIfWorse === true && becameWorse(comparison)) return 'thresholdFailed'
    if (options.strict !== true) return 'done'
    // With thresholds, only these decide, and other verdicts do not matter.
    if (checked.length > 0) return checked.every(({ isResolved }) => isResolved) ? 'done' : 'unresolved'
    const verdicts = [
      ...comparison.contenders.flatMap(({ rates }) =>
        rates.map(({ verdict, isOfCorpusAlone }) =>
          verdict === 'equivalent' && isOfCorpusAlone ? 'unresolved' : (verdict ?? 'unresolved'),
        ),
      ),
      ...listJudgements(comparison).map(({ verdict }) => verdict),
    ]
    const isJudged = comparison.contenders.every((contender) => unjudgedSpeeds(contender).length === 0)
    return verdicts.includes('unresolved') || !isJudged ? 'unresolved' : 'done'
  })
}
