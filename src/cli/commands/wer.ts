import { type Command, Option } from 'commander'
import { startTextScore, type TextScore } from '#analysis'
import {
  renderTextScore,
  textScoreCsv,
  textScoreHtml,
  textScorePra,
  textScoreSgml,
  textScoreSys,
  textScoreTrn,
} from '#reports'
import {
  type AlignmentRule,
  alignmentRules,
  type CharacterRule,
  profiles,
  type ScliteOptions,
} from '#scoring'
import { readPairs, type TranscriptFormat, transcriptFormats } from '#transcripts'
import { commaSeparated, wholeNumber } from '../arguments.ts'
import { cliErrors } from '../errors.ts'
import { ownRules } from '../own-rules.ts'
import type { Attach } from '../program.ts'
import { showReading } from '../progress/show-reading.ts'
import type { World } from '../world.ts'

interface WerOptions {
  readonly format?: TranscriptFormat
  readonly profile?: string
  readonly language?: string
  readonly rules?: string
  readonly glm?: string
  readonly alignment: AlignmentRule
  readonly characters?: CharacterRule
  readonly optionalDeletions?: boolean
  readonly fragments?: boolean
  readonly by?: readonly string[]
  readonly confusions?: number
  readonly seed: number
  readonly json?: boolean
  readonly csv?: boolean
  readonly pra?: boolean
  readonly sgml?: boolean
  readonly sys?: boolean
  readonly trn?: 'reference' | 'hypothesis'
  readonly html?: boolean
}

const characterRules: readonly CharacterRule[] = ['graphemes', 'no-spaces', 'code-points']

/** `asrbench wer <ref> [hyp]`: scores files of text, no service involved. */
export function addWerCommand(program: Command, attach: Attach): void {
  const wer = program
    .command('wer')
    .description('score text: two files, or one of pairs; no service involved')
    .argument('<reference>', 'what was said; or a .jsonl, .csv or .tsv file of id, reference, hypothesis')
    .argument('[hypothesis]', 'what was recognised')
    .addOption(
      new Option('--format <format>', "of the files, where their names don't tell").choices(
        transcriptFormats,
      ),
    )
    .addOption(
      new Option(
        '--profile <id>',
        'normalisation, the same for both (default: by alignment and language)',
      ).choices(profiles.map((profile) => profile.id)),
    )
    .option(
      '--rules <file>',
      'fillers, replacements, equivalences, vocabulary: as in the scoring section of a config',
    )
    .option('--glm <file>', "replacements, as sclite's global mapping files")
    .option('--language <tag>', 'of the texts, such as en: chooses the profile where none is named')
    .addOption(
      new Option('--alignment <rule>', 'whose counts, where several alignments have as few errors')
        .choices(alignmentRules)
        .default('canonical'),
    )
    .option('-D, --optional-deletions', 'with --alignment sclite: a word in parentheses may be deleted')
    .option('-F, --fragments', 'with --alignment sclite: a fragment (fi-) matches a word that begins so')
    .addOption(new Option('--characters <rule>', 'what CER counts').choices(characterRules))
    .option(
      '--by <names>',
      'groups: speaker, duration, or fields of the rows; comma-separated',
      commaSeparated,
    )
    .option('--confusions <count>', 'the most frequent errors, by word', wholeNumber(1))
    .option('--seed <number>', 'seed of the intervals', wholeNumber(0), 1)
    .addOption(only('json', 'one JSON document on stdout, with a row for every pair'))
    .addOption(only('csv', 'comma-separated values on stdout, a row for every pair'))
    .addOption(only('pra', 'every pair word under word on stdout, as sclite -o pra'))
    .addOption(only('html', 'every pair with its errors marked, as a page on stdout'))
    .addOption(only('sgml', 'every pair for sc_stats on stdout, as sclite -o sgml'))
    .addOption(only('sys', 'tables by speaker on stdout, as sclite -o sum rsum'))
    .addOption(
      only('trn <side>', 'the words of one side as they were compared, for any other scorer').choices([
        'reference',
        'hypothesis',
      ]),
    )
  attach<WerOptions>(wer, async (world, options, [reference = '', hypothesis = null]) => {
    const score = await scoreFiles(world, reference, hypothesis, options)
    world.print(render(score, { reference, hypothesis: hypothesis ?? reference }, options, world).trimEnd())
    return 'done'
  })
}

/** @throws BenchError COMMAND_LINE_INVALID where another alignment is asked for */
function scliteOf({ alignment, optionalDeletions, fragments }: WerOptions): ScliteOptions | undefined {
  if (optionalDeletions === undefined && fragments === undefined) return undefined
  if (alignment !== 'sclite') {
    throw cliErrors.make('COMMAND_LINE_INVALID', {
      message: `${fragments === undefined ? '--optional-deletions' : '--fragments'} is an option of sclite's alignment`,
      hint: 'add --alignment sclite',
    })
  }
  return { optionalDeletions: optionalDeletions === true, fragments: fragments === true }
}

const outputs = ['json', 'csv', 'pra', 'html', 'sgml', 'sys', 'trn'] as const

/** One of the outputs that exclude each other. */
function only(syntax: string, description: string): Option {
  const option = new Option(`--${syntax}`, description)
  return option.conflicts(outputs.filter((other) => other !== option.attributeName()))
}

async function scoreFiles(
  world: World,
  reference: string,
  hypothesis: string | null,
  options: WerOptions,
): Promise<TextScore> {
  const { noSpeech, ...own } = await ownRules(world, options)
  if (noSpeech !== undefined) {
    world.say(`  ~ noSpeech in ${options.rules} is about answers of a service: it does nothing here`)
  }
  const scorer = startTextScore({ ...options, ...own, sclite: scliteOf(options), rows: rowsFor(options) })
  const source = {
    reference,
    hypothesis,
    format: options.format,
    // sclite's own files are trn whatever they are called.
    formatOfUnknown: options.alignment === 'sclite' ? ('trn' as const) : undefined,
  }
  const progress = showReading(world)
  try {
    const events = { onProgress: progress.show, onNote: (note: string) => world.say(`  ~ ${note}`) }
    for await (const pairs of readPairs(source, events)) {
      for (const pair of pairs) scorer.add(pair)
    }
  } finally {
    progress.done()
  }
  return scorer.result()
}

function rowsFor({ json, csv, sys, pra, html, sgml, trn }: WerOptions): 'none' | 'counts' | 'aligned' {
  if (pra === true || html === true || sgml === true || trn !== undefined) return 'aligned'
  return json === true || csv === true || sys === true ? 'counts' : 'none'
}

function render(
  score: TextScore,
  files: { readonly reference: string; readonly hypothesis: string },
  { json, csv, pra, html, sgml, sys, trn }: WerOptions,
  world: World,
): string {
  const names = { title: files.hypothesis, referenceName: files.reference, hypothesisName: files.hypothesis }
  if (json === true) return JSON.stringify(score)
  if (csv === true) return textScoreCsv(score)
  if (pra === true) return textScorePra(score)
  if (html === true) return textScoreHtml(score)
  if (sgml === true) return textScoreSgml(score, names)
  if (sys === true) return textScoreSys(score, files.hypothesis)
  return trn === undefined ? renderTextScore(score, world.output) : textScoreTrn(score, trn)
}
