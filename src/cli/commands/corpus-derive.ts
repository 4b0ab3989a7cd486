import { dirname } from 'node:path'
import type { Command } from 'commander'
import { deriveCorpus } from '#corpus/derive/derive-corpus'
import { transformations } from '#corpus/derive/plan'
import type { Transformation } from '#corpus/derive/transformation'
import { shellWord } from '#prelude'
import { counted } from '#reports/layout/units'
import type { Attach } from '../command-context.ts'
import { namedManifest } from '../named-files.ts'
import { repeatable, shortened, wholeNumber } from '../options.ts'
import { countedLine } from '../progress-lines.ts'
import { option, readOption } from '../typed-options.ts'

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
export function defineDeriveCommand(corpus: Command, attach: Attach): void {
  const derive = corpus
    .command('derive')
    .description('make a corpus from another one: noise, codecs, rooms, cuts, joins')
    .argument('<corpus>', 'a name under corpora/, or the path of a manifest; - for standard input')
    .addHelpText('after', `\n${transformationHelp()}`)
  attach(derive, deriveOptions, async (context, { step = [], ladder, seed, output, json }, [name = '']) => {
    const path = await namedManifest(context, name)
    const line = countedLine(context, 'deriving')
    const made = await deriveCorpus(path, {
      ...{ steps: step, ladder, seed, output, env: context.env, cwd: context.cwd },
      onProgress: line.show,
    })
    line.done()
    const folder = shortened(dirname(made.manifestPath), context.cwd)
    if (json === true) context.print(JSON.stringify(made, null, 2))
    else context.print(folder)
    const minutes = (made.audioSeconds / 60).toFixed(1)
    context.say(
      made.writtenCount === 0
        ? `${folder} is there already: ${counted(made.utteranceCount, 'utterance')}, ${minutes} min`
        : `${folder}: ${counted(made.utteranceCount, 'utterance')}, ${minutes} min, ${counted(made.writtenCount, 'recording')} written`,
    )
    context.say(
      `next: transcribench run --corpus ${shellWord(folder.includes('/') ? folder : `./${folder}`)}`,
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
