import { type Command, Option } from 'commander'
import {
  type Corpus,
  type CorpusDescription,
  describeCorpus,
  openAudioMemory,
  readCorpus,
  verifyCorpus,
} from '#corpus'
import { renderCorpus } from '#reports'
import type { Attach } from '../attach.ts'
import type { CommandContext } from '../command-context.ts'
import { fetchMissingAudio } from '../fetch/fetch-audio.ts'
import { commaSeparated } from '../plain-arguments.ts'
import { defineDeriveCommand } from './corpus-derive.ts'
import { defineCorpusImport } from './corpus-import.ts'
import { defineLintCommand } from './corpus-lint.ts'
import { defineSelectCommand } from './corpus-select.ts'

interface CorpusOptions {
  readonly exclude?: readonly string[]
  readonly json?: boolean
  readonly verify?: 'changed' | 'full'
}

/** `transcribench corpus verify | show | fetch | import`: recordings and their references. */
export function defineCorpusCommand(corpus: Command, attach: Attach): void {
  const argument = ['[corpus]', 'a name under corpora/, or the path of a manifest', 'quick'] as const

  const verify = corpus
    .command('verify')
    .description('check every recording against the manifest')
    .argument(...argument)
    .option('--exclude <ids>', 'utterances to exclude, separated by commas', commaSeparated)
    .addOption(
      new Option('--verify <how>', 'changed: open new and changed files; full: decode every file')
        .choices(['changed', 'full'])
        .default('changed'),
    )
    .option('--json', 'one JSON document on stdout')
  attach<CorpusOptions>(verify, async (context, { exclude, json, verify: how }, [name = 'quick']) => {
    const corpus = await readCorpus(name, { env: context.env })
    sayWarnings(context, corpus)
    using memory = await openAudioMemory(context)
    const verified = await verifyCorpus(corpus, {
      exclude: exclude ?? [],
      memory,
      isFull: how === 'full',
    })
    if (json === true) context.print(JSON.stringify(verified, null, 2))
    else context.print(renderCorpus(corpusText(await describeCorpus(verified)), context.output))
    context.say('every recording is there and is what the manifest says')
    return 'done'
  })

  const show = corpus
    .command('show')
    .description('describe a corpus; opens no recording')
    .argument(...argument)
    .option('--json', 'one JSON document on stdout')
  attach<CorpusOptions>(show, async (context, { json }, [name = 'quick']) => {
    const corpus = await readCorpus(name, { env: context.env })
    sayWarnings(context, corpus)
    const description = await describeCorpus(corpus)
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
  attach<CorpusOptions>(fetch, async (context, _options, [name = 'quick']) => {
    await fetchMissingAudio(context, name)
    return 'done'
  })

  defineCorpusImport(corpus, attach)
  defineDeriveCommand(corpus, attach)
  defineLintCommand(corpus, attach)
  defineSelectCommand(corpus, attach)
}

/** What a person should know of a manifest, and what stops nothing. */
function sayWarnings(context: CommandContext, { warnings }: Corpus): void {
  for (const { where, what, hint } of warnings) {
    context.say(
      `  ~ ${[where, what].filter((part) => part !== null).join('  ')}${hint === undefined ? '' : `; ${hint}`}`,
    )
  }
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
