import type { Command } from 'commander'
import { type Corpus, type CorpusDescription, describeCorpus, readCorpus, verifyCorpus } from '#corpus'
import { renderCorpus } from '#reports'
import type { Attach } from '../attach.ts'
import { fetchMissingAudio } from '../fetch/fetch-audio.ts'
import { commaSeparated } from '../plain-arguments.ts'
import type { World } from '../world.ts'

interface CorpusOptions {
  readonly exclude?: readonly string[]
  readonly json?: boolean
}

/** `transcribench corpus verify | show | fetch`: recordings and their references. */
export function defineCorpusCommand(corpus: Command, attach: Attach): void {
  const argument = ['[corpus]', 'a name under corpora/, or the path of a manifest', 'quick'] as const

  const verify = corpus
    .command('verify')
    .description('open every recording and hold it against the manifest')
    .argument(...argument)
    .option('--exclude <ids>', 'utterances to leave out, separated by commas', commaSeparated)
    .option('--json', 'one JSON document on stdout')
  attach<CorpusOptions>(verify, async (world, { exclude, json }, [name = 'quick']) => {
    const corpus = await readCorpus(name, { env: world.env })
    sayWarnings(world, corpus)
    const verified = await verifyCorpus(corpus, {
      exclude: exclude ?? [],
    })
    if (json === true) world.print(JSON.stringify(verified, null, 2))
    else world.print(renderCorpus(corpusText(await describeCorpus(verified)), world.output))
    world.say('every recording is there and is what the manifest says')
    return 'done'
  })

  const show = corpus
    .command('show')
    .description('what is in a corpus; opens no recording')
    .argument(...argument)
    .option('--json', 'one JSON document on stdout')
  attach<CorpusOptions>(show, async (world, { json }, [name = 'quick']) => {
    const corpus = await readCorpus(name, { env: world.env })
    sayWarnings(world, corpus)
    const description = await describeCorpus(corpus)
    world.print(
      json === true
        ? JSON.stringify(description, null, 2)
        : renderCorpus(corpusText(description), world.output),
    )
    return 'done'
  })

  const fetch = corpus
    .command('fetch')
    .description('fetch the recordings of a corpus that says where they are')
    .argument(...argument)
  attach<CorpusOptions>(fetch, async (world, _options, [name = 'quick']) => {
    await fetchMissingAudio(world, name)
    return 'done'
  })
}

/** What a person should know of a manifest, and what stops nothing. */
function sayWarnings(world: World, { warnings }: Corpus): void {
  for (const { where, what, hint } of warnings) {
    world.say(
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
