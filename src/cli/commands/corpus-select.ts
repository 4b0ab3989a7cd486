import { join, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { Evaluation } from '#analysis/documents/evaluation'
import { corpusErrors } from '#corpus/errors'
import { readCorpus } from '#corpus/read-corpus'
import { type Balance, balances, selectUtterances, writeSelection } from '#corpus/select'
import type { VerifiedUtterance } from '#corpus/utterance'
import { verifyCorpus } from '#corpus/verify-corpus'
import { nearest, shellWord } from '#prelude'
import { labelled, type Terminal } from '#reports/layout/terminal'
import { absent, counted, fixed, formatCount, formatDollars, formatSeconds } from '#reports/layout/units'
import type { Attach, CommandContext } from '../command-context.ts'
import { cliErrors } from '../errors.ts'
import { namedManifest, warn } from '../named-files.ts'
import { corpusArgument, resultsOption, wholeNumber } from '../options.ts'
import { type OptionsOf, option, readOption } from '../typed-options.ts'

const byLength: readonly Balance[] = ['duration']

const selectOptions = () => [
  readOption('--count <number>', 'how many utterances', wholeNumber(1)),
  readOption('--resolve <difference>', 'as many as find this difference in 4 of 5 runs, as 0.5pp', points),
  option('--pilot <run>', 'run of two contenders whose variance decides (with --resolve)'),
  readOption('--balance <what>', `${balances.join(', ')}, separated by commas`, balance, byLength),
  readOption('--seed <number>', 'the same seed chooses the same utterances', wholeNumber(0), 1),
  option('-o, --output <folder>', 'default: corpora/<name>-<number>'),
  resultsOption(),
  option('--json', 'one JSON document on stdout'),
]
type SelectFlags = OptionsOf<typeof selectOptions>

const power = 0.8

/** `transcribench corpus select`: the requested number of utterances, or as many as a difference requires. */
export function defineSelectCommand(corpus: Command, attach: Attach): void {
  const select = corpus
    .command('select')
    .description('choose utterances: a number, or as many as a difference needs')
    .argument('<corpus>', 'a name under corpora/, or the path of a manifest; - for standard input')
  attach(select, selectOptions, async (context, flags, [name = '']) => {
    checkFlags(flags)
    const corpus = await verifyCorpus(await readCorpus(await namedManifest(context, name), context))
    corpus.warnings.forEach(warn(context))
    const pilot = flags.resolve === undefined ? null : await readPilot(context, flags, corpus.utterances)
    const count = pilot?.required.utteranceCount ?? flags.count ?? corpus.utterances.length
    refuseTooFew({ ...corpus, typed: name }, pilot, flags)
    const selected = selectUtterances(corpus.utterances, { count, seed: flags.seed, balance: flags.balance })
    const folder = resolve(context.cwd, flags.output ?? join('corpora', `${corpus.name}-${count}`))
    const manifestPath = await writeSelection(folder, selected)
    const audioSeconds = selected.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0)
    const costs = pilot === null ? [] : estimateCosts(pilot.evaluation, audioSeconds)
    const selection = {
      manifestPath,
      utteranceCount: selected.length,
      corpusUtteranceCount: corpus.utterances.length,
      audioSeconds,
      speakerCount: new Set(selected.flatMap(({ speaker }) => speaker ?? [])).size,
      required: pilot === null ? null : { ...pilot.required, difference: pilot.difference, power },
      costs,
    }
    context.printResult(flags, selection, () => renderSelection(selection, context.output))
    context.say(`next: transcribench run --corpus ${corpusArgument(folder, context.cwd)}`)
    return 'done'
  })
}

function points(text: string): number {
  const value = Number(/^(\d+(?:\.\d+)?)pp$/.exec(text)?.[1])
  if (value > 0 && value < 100) return value / 100
  throw new InvalidArgumentError('A difference in percentage points is needed, such as 0.5pp.')
}

function balance(text: string): readonly Balance[] {
  return text.split(',').map((word) => {
    const named = balances.find((each) => each === word.trim())
    if (named !== undefined) return named
    const meant = nearest(word, balances)
    throw new InvalidArgumentError(
      `Known are ${balances.join(', ')}${meant === null ? '' : `; did you mean ${meant}?`}.`,
    )
  })
}

function checkFlags({ count, resolve: difference, pilot }: SelectFlags): void {
  const problems = [
    ...(count === undefined && difference === undefined ? ['neither --count nor --resolve is given'] : []),
    ...(count !== undefined && difference !== undefined ? ['--count and --resolve both say how many'] : []),
    ...(difference !== undefined && pilot === undefined
      ? ['--resolve needs a run to learn the variance from']
      : []),
    ...(difference === undefined && pilot !== undefined ? ['--pilot says nothing without --resolve'] : []),
  ]
  if (problems.length === 0) return
  throw cliErrors.make('COMMAND_LINE_INVALID', {
    message: problems.join('; '),
    hint: 'transcribench corpus select <corpus> --count 200, or --resolve 1pp --pilot latest',
  })
}

type Pilot = Awaited<ReturnType<typeof readPilot>>

async function readPilot(
  context: CommandContext,
  { resolve: difference = 0, pilot = 'latest', results }: SelectFlags,
  utterances: readonly VerifiedUtterance[],
) {
  // The imports are dynamic, because a selection by number does not need these large modules.
  const [{ findRun }, { readRun }] = await Promise.all([
    import('#journal/find-run'),
    import('#journal/run-reader'),
  ])
  const { requiredUtterances, resolvedDifference } = await import(
    '#analysis/figures/ranking/required-utterances'
  )
  const { openScore } = await import('#results/scores')
  const folder = await findRun(pilot, resolve(context.cwd, results))
  const { evaluation } = await openScore(folder, null)
  const groups = Map.groupBy(utterances, ({ speaker }) => speaker)
  const speakerSizes = groups.has(null) ? [] : [...groups.values()].map(({ length }) => length)
  const required = requiredUtterances(evaluation, await readRun(folder), { difference, power, speakerSizes })
  // The difference that the whole corpus resolves.
  const resolvedByAll = resolvedDifference(required, utterances.length, power)
  return { evaluation, required, difference, resolvedByAll }
}

function refuseTooFew(
  corpus: {
    readonly name: string
    readonly typed: string
    readonly utterances: readonly VerifiedUtterance[]
  },
  pilot: Pilot | null,
  { count }: SelectFlags,
): void {
  const available = corpus.utterances.length
  const utteranceCount =
    pilot === null ? (count ?? 0) : (pilot.required.utteranceCount ?? Number.POSITIVE_INFINITY)
  if (utteranceCount <= available) return
  const number = Number.isFinite(utteranceCount) ? String(utteranceCount) : 'more than a million'
  if (pilot === null) {
    throw corpusErrors.make('SELECTION_TOO_SMALL', {
      message: `${corpus.name} has ${available} utterances, and ${number} are asked for`,
      hint: `ask for ${available} or fewer`,
    })
  }
  const found = Math.ceil(pilot.resolvedByAll * 1000) / 10
  throw corpusErrors.make('SELECTION_TOO_SMALL', {
    message: `${(pilot.difference * 100).toFixed(1)} points need ${number} utterances, and ${corpus.name} has ${available}`,
    hint: `all of them resolve about ${found} points: transcribench run --corpus ${shellWord(corpus.typed)}; or take a larger corpus`,
  })
}

/** Duration and cost of one pass for every contender of the pilot; null if it has no speed or no price there. */
function estimateCosts({ contenders }: Evaluation, audioSeconds: number) {
  return contenders.map(({ contender, systemSpeed, cost }) => ({
    contenderId: contender.id,
    seconds: systemSpeed.value === null ? null : audioSeconds / systemSpeed.value,
    usd: cost === null ? null : (cost.usdPerAudioHour * audioSeconds) / 3600,
  }))
}

type Reason = Pilot['required'] & { readonly difference: number; readonly power: number }

interface Selection {
  readonly manifestPath: string
  readonly utteranceCount: number
  readonly corpusUtteranceCount: number
  readonly audioSeconds: number
  readonly speakerCount: number
  /** Null if the user gave the number. */
  readonly required: Reason | null
  readonly costs: ReturnType<typeof estimateCosts>
}

/** The chosen utterances, the reason for their number, and the cost of a run over them. */
function renderSelection(selection: Selection, terminal: Terminal): string {
  const { utteranceCount, corpusUtteranceCount, audioSeconds, speakerCount, required, costs } = selection
  const line = (label: string, text: string): string => labelled(label, text, 11, terminal)
  const speakers = speakerCount === 0 ? '' : ` · ${counted(speakerCount, 'speaker')}`
  return [
    line(
      'chosen',
      `${formatCount(utteranceCount)} of ${counted(corpusUtteranceCount, 'utterance')} · ${formatSeconds(audioSeconds)} of audio${speakers}`,
    ),
    ...(required === null
      ? []
      : [line('resolves', resolvesText(required)), line('because', becauseText(required))]),
    ...costs.map(({ contenderId, seconds, usd }, index) =>
      line(
        index === 0 ? 'costs' : '',
        `${contenderId}: ${seconds === null ? `time ${absent}` : `about ${formatSeconds(seconds)}`} for one pass, ${usd === null ? 'no price known' : formatDollars(usd)}`,
      ),
    ),
    line('manifest', selection.manifestPath),
  ].join('\n')
}

function resolvesText({ difference, power, base, run }: Reason): string {
  return `a true difference of ${fixed(difference * 100, 1)} points between ${base} and ${run} in ${Math.round(power * 100)} of 100 runs, at 95%`
}

function becauseText(required: Reason): string {
  const { standardDeviation, plannedDeviation, designEffect, correlation, pilotUtteranceCount } = required
  const { measured, planned } = correlation
  const limited =
    measured > planned
      ? `, from a correlation of ${fixed(planned, 2)}: the pilot has ${fixed(measured, 2)}, more than the limit`
      : ''
  return (
    `in ${counted(pilotUtteranceCount, 'utterance')} of the pilot the difference varies by ${fixed(standardDeviation * 100, 1)} points ` +
    `(planned with ${fixed(plannedDeviation * 100, 1)}); design effect of speakers ${fixed(designEffect, 2)}${limited}`
  )
}
