import { type Command, InvalidArgumentError, Option } from 'commander'
import { alignmentRules, type CharacterRule } from '#scoring/counting'
import { captionRules, transcriptFormats } from '#transcripts'
import type { Attach } from '../attach.ts'
import { commaSeparated, wholeNumber } from '../options/plain-arguments.ts'
import { profileOption } from '../options/profile-option.ts'
import { scoreAndWrite } from '../wer/score-and-write.ts'
import { checkOptions, figureNames, outputs, type WerOptions } from '../wer/wer-options.ts'

const characterRules: readonly CharacterRule[] = ['graphemes', 'no-spaces', 'code-points']

/** `transcribench wer <ref> [hyp …]`: scores files of text, no service involved. */
export function defineWerCommand(wer: Command, attach: Attach): void {
  wer
    .argument('<reference>', 'what was said; or a .jsonl, .csv or .tsv file of id, reference, hypothesis')
    .argument('[hypotheses...]', 'what was recognised; several systems are compared')
  addInputOptions(wer)
  addRuleOptions(wer)
  addViewOptions(wer)
  addOutputOptions(wer)
  attach<WerOptions>(wer, async (context, options, [reference = '', ...hypotheses]) => {
    const files = { reference, hypotheses }
    checkOptions(files, options)
    await scoreAndWrite(context, files, options)
    return 'done'
  })
}

function addInputOptions(wer: Command): void {
  wer
    .addOption(
      new Option(
        '--format <format>',
        `of both files, or of one: hypothesis=whisper (default: from their names; ${transcriptFormats.join(', ')})`,
      ).argParser(readFormat),
    )
    .addOption(
      new Option('--captions <rule>', 'subtitles that repeat the end of the cue before')
        .choices(captionRules)
        .default('keep'),
    )
    .option('--id-column <name>', 'the column, or the field in JSON, that holds the id')
    .option('--reference-column <name>', 'the same for the reference')
    .option('--hypothesis-column <name>', 'the same for the hypothesis')
}

/** `trn`, or `reference=stm`, which may be followed by the same of the other side. */
function readFormat(written: string, before: WerOptions['format']): WerOptions['format'] {
  const [, side, name = ''] = /^(?:(reference|hypothesis)=)?(.*)$/s.exec(written) ?? []
  const format = transcriptFormats.find((each) => each === name)
  if (format === undefined)
    throw new InvalidArgumentError(
      `Allowed choices are ${transcriptFormats.join(', ')}, each also after reference= or hypothesis=.`,
    )
  if (side === undefined) return format
  return { ...(typeof before === 'object' ? before : {}), [side]: format }
}

function addRuleOptions(wer: Command): void {
  wer
    .addOption(profileOption('normalisation, the same for both (default: by alignment and language)'))
    .option(
      '--rules <file>',
      'fillers, replacements, equivalences, vocabulary: as in the scoring section of a config',
    )
    .option('--glm <file>', "replacements, as sclite's global mapping files")
    .option('--language <language>', 'of the texts (en, eng, English): sets the default profile')
    .addOption(
      new Option('--alignment <rule>', 'whose counts, where several alignments have as few errors')
        .choices(alignmentRules)
        .default('canonical'),
    )
    .option('-D, --optional-deletions', 'with --alignment sclite: a word in parentheses may be deleted')
    .option('-F, --fragments', 'with --alignment sclite: a fragment (fi-) matches a word that begins so')
    .addOption(new Option('--characters <rule>', 'what CER counts').choices(characterRules))
    .addOption(
      new Option('--only <tokens>', 'leave out the characters, which take longer').choices(['words']),
    )
}

function addViewOptions(wer: Command): void {
  wer
    .option(
      '--by <names>',
      'groups: speaker, duration, or fields of the rows; comma-separated',
      commaSeparated,
    )
    .option('--confusions <count>', 'the most frequent errors, by word', wholeNumber(1))
    .option('--worst <count>', 'the utterances with the most errors, word under word', wholeNumber(1))
    .option('--seed <number>', 'seed of the intervals', wholeNumber(0), 1)
}

function addOutputOptions(wer: Command): void {
  wer
    .addOption(exclusive('print <figure>', 'one number on stdout and nothing else').choices(figureNames))
    .addOption(exclusive('json', 'one JSON document on stdout, with a row for every pair'))
    .addOption(exclusive('csv', 'comma-separated values on stdout, a row for every pair'))
    .addOption(exclusive('pra', 'every pair word under word on stdout, as sclite -o pra'))
    .addOption(exclusive('html', 'every pair with its errors marked, as a page on stdout'))
    .addOption(exclusive('sgml', 'every pair for sc_stats on stdout, as sclite -o sgml'))
    .addOption(exclusive('sys', 'tables by speaker on stdout, as sclite -o sum rsum'))
    .addOption(
      exclusive('trn <side>', 'the words of one side as they were compared, for any other scorer').choices([
        'reference',
        'hypothesis',
      ]),
    )
}

/** One of the outputs that exclude each other. */
function exclusive(syntax: string, description: string): Option {
  const option = new Option(`--${syntax}`, description)
  return option.conflicts(outputs.filter((other) => other !== option.attributeName()))
}
