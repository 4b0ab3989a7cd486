import { dirname } from 'node:path'
import type { Command } from 'commander'
import { openAudioMemory } from '#corpus/audio-memory'
import { deriveCorpus } from '#corpus/derive/derive-corpus'
import { transformations } from '#corpus/derive/plan'
import type { Transformation } from '#corpus/derive/transformation'
import { type CorpusDescription, describeCorpus } from '#corpus/describe-corpus'
import { type LintReport, lintChecks, lintCorpus } from '#corpus/lint/lint-corpus'
import { openManifest } from '#corpus/manifest/manifest'
import { takeUtterances } from '#corpus/read-corpus'
import { type VerifiedManifest, verifyBatches, verifyManifest } from '#corpus/verify-corpus'
import { shellWord } from '#prelude'
import { columnsOf, layTable, shownColumns } from '#reports/layout/table'
import { foreign, labelled, sentence, type Terminal } from '#reports/layout/terminal'
import { counted, formatSeconds } from '#reports/layout/units'
import type { Attach, CommandContext } from '../command-context.ts'
import { fetchMissingAudio } from '../fetch.ts'
import { namedManifest, standardStream, warn } from '../named-files.ts'
import { commaSeparated, corpusArgument, repeatable, shortened, wholeNumber } from '../options.ts'
import { countedLine } from '../progress-lines.ts'
import { choice, option, readOption } from '../typed-options.ts'
import { defineCorpusImport } from './corpus-import.ts'
import { defineSelectCommand } from './corpus-select.ts'

const verifyOptions = () => [
  readOption('--exclude <ids>', 'utterances to exclude, separated by commas', commaSeparated),
  choice(
    '--verify <how>',
    'changed: open new and changed files; full: decode every file',
    ['changed', 'full'],
    'changed',
  ),
  ...showOptions(),
]

const showOptions = () => [option('--json', 'one JSON document on stdout')]

const corpusWords = 'a name under corpora/, or the path of a manifest; - for standard input'
const argument = ['[corpus]', corpusWords, 'quick'] as const

/** `transcribench corpus verify | show | fetch | import`: recordings and their references. */
export function defineCorpusCommand(corpus: Command, attach: Attach): void {
  const verify = corpus
    .command('verify')
    .description('check every recording against the manifest')
    .argument(...argument)
  attach(verify, verifyOptions, async (context, { exclude, json, verify: how }, [name = 'quick']) => {
    using memory = await openAudioMemory(context)
    const options = { memory, isFull: how === 'full' }
    const take = { exclude: exclude ?? [], drafts: true }
    const manifest = await openManifest(await namedManifest(context, name), context)
    if (json === true) {
      await printVerified(context, await verifyManifest(manifest, take, options))
    } else {
      // The manifest is checked first, which takes seconds, before any recording is opened.
      for await (const _batch of takeUtterances(manifest, take, warn(context)));
      const batches = verifyBatches(manifest, takeUtterances(manifest, take), {
        ...options,
        onWarning: warn(context),
      })
      const description = await describeCorpus(manifest, batches)
      context.print(renderCorpus(description, context.output))
    }
    context.say('every recording is there and is what the manifest says')
    return 'done'
  })

  const show = corpus
    .command('show')
    .description('describe a corpus; opens no recording')
    .argument(...argument)
  attach(show, showOptions, async (context, options, [name = 'quick']) => {
    const manifest = await openManifest(await namedManifest(context, name), context)
    const description = await describeCorpus(manifest, manifest.batches(warn(context)))
    context.printResult(options, description, () => renderCorpus(description, context.output))
    return 'done'
  })

  const fetch = corpus
    .command('fetch')
    .description('fetch the recordings of a corpus that says where they are')
    .argument(...argument)
  attach(
    fetch,
    () => [],
    async (context, _options, [name = 'quick']) => {
      await fetchMissingAudio(context, await namedManifest(context, name))
      return 'done'
    },
  )

  defineCorpusImport(corpus, attach)
  defineDeriveCommand(corpus, attach)
  defineLintCommand(corpus, attach)
  defineSelectCommand(corpus, attach)
}

/** Prints one document utterance by utterance, because a large corpus exceeds the length limit of strings. */
async function printVerified(
  { write }: CommandContext,
  { utterances, argument: _, ...corpus }: VerifiedManifest,
): Promise<void> {
  const head = JSON.stringify(corpus, null, 2).slice(0, -'\n}'.length)
  if (!(await write(`${head},\n  "utterances": [`))) return
  let separator = '\n'
  for await (const utterance of utterances()) {
    if (!(await write(`${separator}    ${JSON.stringify(utterance)}`))) return
    separator = ',\n'
  }
  await write('\n  ]\n}\n')
}

function renderCorpus(description: CorpusDescription, terminal: Terminal): string {
  const { name, manifestPath, fingerprint, utteranceCount, audioSeconds, languages } = description
  const { speakers, tags, emptyReferenceCount, severalWaysCount, draftCount } = description
  const named = (tallies: typeof tags): string => tallies.map((tally) => tally.name).join(', ')
  const facts = [
    counted(utteranceCount, 'utterance'),
    audioSeconds === null
      ? 'length not known before it is verified'
      : `${formatSeconds(audioSeconds)} of audio`,
    ...(speakers.length === 0 ? [] : [counted(speakers.length, 'speaker')]),
    ...(emptyReferenceCount === 0 ? [] : [`${emptyReferenceCount} without speech`]),
    ...(severalWaysCount === 0 ? [] : [`${severalWaysCount} with several ways to say it`]),
    ...(draftCount === 0 ? [] : [`${counted(draftCount, 'draft')}, not reviewed`]),
  ]
  const line = (label: string, text: string): string => labelled(label, text, 11, terminal)
  return [
    line('corpus', name),
    line('holds', facts.join(' · ')),
    ...(languages.length === 0 ? [] : [line('languages', named(languages))]),
    ...(tags.length === 0 ? [] : [line('tags', named(tags))]),
    line('manifest', manifestPath),
    line('fingerprint', fingerprint ?? 'not known before it is verified: transcribench corpus verify'),
  ].join('\n')
}

const lintOptions = () => [
  option('--against <corpus>', 'another corpus that must share nothing with this one'),
  option('--json', 'one JSON document on stdout'),
]

/** `transcribench corpus lint`: utterances that a person should listen to. Nothing is edited. */
function defineLintCommand(corpus: Command, attach: Attach): void {
  const lint = corpus
    .command('lint')
    .description('find utterances to listen to: duplicates, cut speech, wrong texts; edits nothing')
    .argument(...argument)
    .addHelpText(
      'after',
      `\nChecks:\n${lintChecks.map(({ name, meaning }) => `  ${name}\n    ${meaning}`).join('\n')}`,
    )
  attach(lint, lintOptions, async (context, options, [name = 'quick']) => {
    const { against } = options
    const path = await namedManifest(context, name)
    const other = against === undefined ? undefined : await namedManifest(context, against)
    const line = countedLine(context, 'listening')
    const report = await lintCorpus(path, {
      env: context.env,
      cwd: context.cwd,
      against: other,
      onWarning: warn(context),
      onProgress: line.show,
    })
    line.done()
    context.printResult(options, report, () => renderLint(report, context))
    if (report.findings.length > 0) {
      const how = name === standardStream ? ' them' : `: transcribench review ${shellWord(path)}`
      context.say(`nothing was changed. Listen and correct${how}`)
    }
    return 'done'
  })
}

/** Findings in the order of the checks, each with its advice and recording. */
function renderLint({ name, utteranceCount, findings }: LintReport, { cwd, output }: CommandContext): string {
  if (findings.length === 0) {
    return `  ${foreign(name)}: ${counted(utteranceCount, 'utterance')}, nothing found`
  }
  const { text, longText } = columnsOf<(typeof findings)[number]>()
  const columns = shownColumns([
    text('check', 'check'),
    longText('utterance', 'utteranceId'),
    text('what', ({ what }) => foreign(what)),
    text('audio', ({ audioPath }) => (audioPath === null ? null : shortened(audioPath, cwd)), {
      header: 'listen',
      dropOrder: 1,
    }),
  ])
  const concerned = new Set(findings.flatMap(({ utteranceId }) => utteranceId ?? [])).size
  return [
    `  ${foreign(name)}: ${counted(findings.length, 'finding')}, about ${concerned} of ${counted(utteranceCount, 'utterance')}`,
    '',
    ...layTable(columns, findings, output).lines,
    '',
    ...[...Map.groupBy(findings, ({ check }) => check)].map(([check, [first]]) =>
      sentence(`${check}: ${first?.suggestion ?? ''}.`, output),
    ),
  ].join('\n')
}

const deriveOptions = () => [
  readOption(
    '--step <step>',
    'a transformation, as noise:snr=10,noise=pink; repeatable, in order',
    repeatable,
  ),
  option('--ladder <values>', 'one version for each value, as snr=none,30,20,10,5,0'),
  readOption('--seed <number>', 'the same seed makes the same bytes', wholeNumber(0), 1),
  option('-o, --output <folder>', 'default: corpora/<name>-<ladder or steps>'),
  option('--json', 'one JSON document on stdout'),
]

/** `transcribench corpus derive`: a corpus with noise, codecs, rooms and other conditions, made from another one. */
function defineDeriveCommand(corpus: Command, attach: Attach): void {
  const derive = corpus
    .command('derive')
    .description('make a corpus from another one: noise, codecs, rooms, cuts, joins')
    .argument('<corpus>', corpusWords)
    .addHelpText('after', `\n${transformationHelp()}`)
  attach(derive, deriveOptions, async (context, options, [name = '']) => {
    const { step = [], ladder, seed, output } = options
    const path = await namedManifest(context, name)
    const line = countedLine(context, 'deriving')
    const derived = await deriveCorpus(path, {
      steps: step,
      ladder,
      seed,
      output,
      env: context.env,
      cwd: context.cwd,
      onWarning: warn(context),
      onProgress: line.show,
    })
    line.done()
    const folder = shortened(dirname(derived.manifestPath), context.cwd)
    context.printResult(options, derived, () => folder)
    const minutes = (derived.audioSeconds / 60).toFixed(1)
    context.say(
      derived.writtenCount === 0
        ? `${folder} is there already: ${counted(derived.utteranceCount, 'utterance')}, ${minutes} min`
        : `${folder}: ${counted(derived.utteranceCount, 'utterance')}, ${minutes} min, ${counted(derived.writtenCount, 'recording')} written`,
    )
    context.say(
      `next: transcribench run --corpus ${corpusArgument(dirname(derived.manifestPath), context.cwd)}`,
    )
    return 'done'
  })
}

function transformationHelp(): string {
  const ladders = transformations.flatMap((each) => each.ladders.map(({ parameter }) => parameter))
  return [
    'Transformations and their parameters:',
    ...transformations.flatMap(describeTransformation),
    '',
    `Ladders: ${ladders.join(', ')}. The value none leaves the step out.`,
  ].join('\n')
}

function describeTransformation({ name, summary, parameters }: Transformation): readonly string[] {
  return [
    `  ${name.padEnd(14)} ${summary}`,
    ...parameters.map(({ name: parameter, description, standard }) => {
      const suffix = standard === null ? '' : ` (default: ${standard})`
      return `    ${parameter.padEnd(12)} ${description}${suffix}`
    }),
  ]
}
