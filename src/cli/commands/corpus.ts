import type { Command } from 'commander'
import { openAudioMemory } from '#corpus/audio-memory'
import { type CorpusDescription, describeCorpus } from '#corpus/describe-corpus'
import { openManifest } from '#corpus/manifest/manifest'
import { takeUtterances } from '#corpus/read-corpus'
import { type VerifiedManifest, verifyBatches, verifyManifest } from '#corpus/verify-corpus'
import type { Problem } from '#prelude'
import { renderCorpus } from '#reports/help/corpus-texts'
import type { Attach, CommandContext } from '../command-context.ts'
import { fetchMissingAudio } from '../fetch.ts'
import { namedManifest } from '../named-files.ts'
import { commaSeparated } from '../options.ts'
import { choice, option, readOption } from '../typed-options.ts'
import { defineDeriveCommand } from './corpus-derive.ts'
import { defineCorpusImport } from './corpus-import.ts'
import { defineLintCommand } from './corpus-lint.ts'
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

/** `transcribench corpus verify | show | fetch | import`: recordings and their references. */
export function defineCorpusCommand(corpus: Command, attach: Attach): void {
  const argument = [
    '[corpus]',
    'a name under corpora/, or the path of a manifest; - for standard input',
    'quick',
  ] as const

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
      // What is wrong with the manifest is known in seconds, so that no recording is opened in vain.
      for await (const _batch of takeUtterances(manifest, take, warn(context)));
      const batches = verifyBatches(manifest, takeUtterances(manifest, take), {
        ...options,
        onWarning: warn(context),
      })
      const description = await describeCorpus(manifest, batches)
      context.print(renderCorpus(corpusText(description), context.output))
    }
    context.say('every recording is there and is what the manifest says')
    return 'done'
  })

  const show = corpus
    .command('show')
    .description('describe a corpus; opens no recording')
    .argument(...argument)
  attach(show, showOptions, async (context, { json }, [name = 'quick']) => {
    const manifest = await openManifest(await namedManifest(context, name), context)
    const description = await describeCorpus(manifest, manifest.batches(warn(context)))
    context.print(
      json === true
        ? JSON.stringify(description, null, 2)
        : renderCorpus(corpusText(description), context.output),
    )
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

/** One document, utterance by utterance: the whole of a large corpus is longer than a text can be. */
async function printVerified(
  { write }: CommandContext,
  { utterances, ...corpus }: VerifiedManifest,
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

/** Prints what a person should know of a manifest, and what stops nothing. */
function warn(context: CommandContext): (warning: Problem) => void {
  return ({ where, what, hint }) =>
    context.say(
      `  ~ ${[where, what].filter((part) => part !== null).join('  ')}${hint === undefined ? '' : `; ${hint}`}`,
    )
}

function corpusText(description: CorpusDescription): Parameters<typeof renderCorpus>[0] {
  const { languages, speakers, tags } = description
  return {
    ...description,
    languages: languages.map(({ name }) => name),
    speakerCount: speakers.length === 0 ? null : speakers.length,
    tags: tags.map(({ name }) => name),
  }
}
