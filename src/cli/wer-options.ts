import { InvalidArgumentError, type Option } from 'commander'
import { asOneError, counted } from '#prelude'
import type { TextScore } from '#rates/documents'
import type { TextScoreFormatName } from '#reports/text-score/formats'
import { alignmentRules } from '#scoring/alignment/align'
import type { ScliteOptions } from '#scoring/alignment/networks'
import { characterRules } from '#scoring/tokens'
import { captionRules, transcriptFormats } from '#transcripts/formats'
import type { TranscriptSource } from '#transcripts/read-pairs'
import type { RowNames } from '#transcripts/rows'
import { readTwice } from './command-context.ts'
import { cliErrors } from './errors.ts'
import { standardStream } from './named-files.ts'
import { commaSeparated, profileOption, wholeNumber } from './options.ts'
import { choice, type OptionsOf, option, readOption } from './typed-options.ts'

type Format = NonNullable<TranscriptSource['format']>

/** Options in the order of the help: inputs, rules, analyses, and outputs, which exclude each other. */
export const werOptions = () => [
  readOption(
    '--format <format>',
    `of both files, or of one: hypothesis=whisper (default: from their names; ${transcriptFormats.join(', ')})`,
    readFormat,
  ),
  choice('--captions <rule>', 'subtitles that repeat the end of the cue before', captionRules, 'keep'),
  option('--id-column <name>', 'the column, or the field in JSON, that holds the id'),
  option('--reference-column <name>', 'the same for the reference'),
  option('--hypothesis-column <name>', 'the same for the hypothesis'),
  profileOption('normalisation, the same for both (default: by alignment and language)'),
  option(
    '--rules <file>',
    'fillers, replacements, equivalences, vocabulary: as in the scoring section of a config',
  ),
  option('--glm <file>', "replacements, as sclite's global mapping files"),
  option('--language <language>', 'of the texts (en, eng, English): sets the default profile'),
  choice(
    '--alignment <rule>',
    'whose counts, where several alignments have as few errors',
    alignmentRules,
    'canonical',
  ),
  option('-D, --optional-deletions', 'with --alignment sclite: a word in parentheses may be deleted'),
  option('-F, --fragments', 'with --alignment sclite: a fragment (fi-) matches a word that begins so'),
  choice('--characters <rule>', 'what CER counts', characterRules),
  choice('--only <tokens>', 'leave out the characters, which take longer', ['words']),
  readOption(
    '--by <names>',
    'groups: speaker, duration, or fields of the rows; comma-separated',
    commaSeparated,
  ),
  readOption('--confusions <count>', 'the most frequent errors, by word', wholeNumber(1)),
  readOption('--worst <count>', 'the utterances with the most errors, word under word', wholeNumber(1)),
  readOption('--seed <number>', 'seed of the intervals', wholeNumber(0), 1),
  exclusive(choice('--print <figure>', 'one number on stdout and nothing else', figureNames)),
  exclusive(option('--json', 'one JSON document on stdout, with a row for every pair')),
  exclusive(option('--csv', 'comma-separated values on stdout, a row for every pair')),
  exclusive(option('--pra', 'every pair word under word on stdout, as sclite -o pra')),
  exclusive(option('--html', 'every pair with its errors marked, as a page on stdout')),
  exclusive(option('--sgml', 'every pair for sc_stats on stdout, as sclite -o sgml')),
  exclusive(option('--sys', 'tables by speaker on stdout, as sclite -o sum rsum')),
  exclusive(
    choice('--trn <side>', 'the words of one side as they were compared, for any other scorer', [
      'reference',
      'hypothesis',
    ]),
  ),
]
/** Options of `transcribench wer` as typed. */
export type WerOptions = OptionsOf<typeof werOptions>

/** Reads `trn`, or `reference=stm`; the other side may follow in a further option. */
function readFormat(written: string, before: Format | undefined): Format {
  const [, side, name = ''] = /^(?:(reference|hypothesis)=)?(.*)$/s.exec(written) ?? []
  const format = transcriptFormats.find((each) => each === name)
  if (format === undefined)
    throw new InvalidArgumentError(
      `Allowed choices are ${transcriptFormats.join(', ')}, each also after reference= or hypothesis=.`,
    )
  if (side === undefined) return format
  const sides = typeof before === 'string' ? { reference: before, hypothesis: before } : before
  return { ...sides, [side]: format }
}

function exclusive<One extends Option>(one: One): One {
  return one.conflicts(outputs.filter((other) => other !== one.attributeName()))
}

/** Output options, which exclude each other. */
const outputs = ['json', 'csv', 'pra', 'html', 'sgml', 'sys', 'trn', 'print'] as const

/** The chosen output; `text` by default. */
function chooseOutput(options: WerOptions): (typeof outputs)[number] | 'text' {
  return outputs.find((output) => options[output] !== undefined && options[output] !== false) ?? 'text'
}

/** The row format of the output; null if it has no rows. */
export function chooseRowFormat(options: WerOptions): TextScoreFormatName | null {
  const output = chooseOutput(options)
  if (output === 'text' || output === 'print' || output === 'sys') return null
  return output === 'trn' ? `trn-${options.trn ?? 'reference'}` : output
}

/** Whether characters need not be counted, because they were not requested or are not shown. */
export function onlyWords(options: WerOptions): boolean {
  const output = chooseOutput(options)
  if (output === 'print') return options.print !== 'cer'
  return options.only === 'words' || !['text', 'json', 'csv', 'html'].includes(output)
}

export function readRowNames({ idColumn, referenceColumn, hypothesisColumn }: WerOptions): RowNames {
  return { id: idColumn, reference: referenceColumn, hypothesis: hypothesisColumn }
}

/** Options of sclite; undefined if none is set. */
export function readScliteOptions({ optionalDeletions, fragments }: WerOptions): ScliteOptions | undefined {
  if (optionalDeletions === undefined && fragments === undefined) return undefined
  return { optionalDeletions: optionalDeletions === true, fragments: fragments === true }
}

/**
 * Refuses contradictory options, beyond outputs that exclude each other.
 *
 * @throws BenchError COMMAND_LINE_INVALID
 */
export function checkOptions(reference: string, hypotheses: readonly string[], options: WerOptions): void {
  // Several readers of standard input would each get a part of it.
  const [first, second] = standardInputs(reference, hypotheses, options)
  if (first !== undefined && second !== undefined) throw readTwice(first, second)
  const [wrong, ...others] = [
    scliteProblem(options),
    wordsProblem(options),
    hypotheses.length > 1 ? systemsProblem(reference, options) : null,
  ].flatMap((problem) => (problem === null ? [] : cliErrors.make('COMMAND_LINE_INVALID', problem)))
  if (wrong !== undefined) throw asOneError([wrong, ...others])
}

/** The inputs that are to be read from standard input. */
function standardInputs(
  reference: string,
  hypotheses: readonly string[],
  { rules, glm }: WerOptions,
): readonly string[] {
  const places: readonly (readonly [what: string, path: string | undefined])[] = [
    ['the references', reference],
    ...hypotheses.map((path) => ['the hypotheses', path] as const),
    ['the rules of --rules', rules],
    ['the rules of --glm', glm],
  ]
  return places.flatMap(([what, path]) => (path === standardStream ? [what] : []))
}

interface Wrong {
  readonly message: string
  readonly hint: string
}

function scliteProblem({ alignment, optionalDeletions, fragments }: WerOptions): Wrong | null {
  if (alignment === 'sclite' || (optionalDeletions === undefined && fragments === undefined)) return null
  const option = fragments === undefined ? '--optional-deletions' : '--fragments'
  return { message: `${option} is an option of sclite's alignment`, hint: 'add --alignment sclite' }
}

function wordsProblem({ only, characters, print }: WerOptions): Wrong | null {
  if (only === undefined || (characters === undefined && print !== 'cer')) return null
  const other = print === 'cer' ? '--print cer' : '--characters'
  return {
    message: `${other} needs characters, and --only words leaves them out`,
    hint: 'leave out one of the two',
  }
}

function systemsProblem(reference: string, options: WerOptions): Wrong | null {
  const output = chooseOutput(options)
  if (reference === standardStream) {
    return {
      message: 'the references are read once for every system, and standard input (-) can be read once alone',
      hint: 'write the references to a file',
    }
  }
  if (output === 'text' || output === 'json' || output === 'print') return null
  return {
    message: `--${output} writes one system, and several are named`,
    hint: 'name one file of hypotheses, or ask for --json',
  }
}

/** The figures that can be printed alone. */
const figures = {
  wer: ({ words }) => words.rate,
  cer: ({ characters }) => characters?.rate ?? null,
  mer: ({ wordRates }) => wordRates.matchErrorRate,
  wil: ({ wordRates }) => wordRates.wordInformationLost,
  wip: ({ wordRates }) => wordRates.wordInformationPreserved,
  ser: ({ sentenceErrorRate }) => sentenceErrorRate,
} satisfies Readonly<Record<string, (score: TextScore) => number | null>>
type FigureName = keyof typeof figures

const figureNames = Object.keys(figures) as FigureName[]

/**
 * One figure of a score, as a number.
 *
 * @throws BenchError FIGURE_UNDEFINED if the texts do not have it
 */
export function readFigure(score: TextScore, name: FigureName): number {
  const figure = figures[name](score)
  if (figure !== null) return figure
  throw cliErrors.make('FIGURE_UNDEFINED', {
    message: `${name} cannot be computed of ${counted(score.utteranceCount, 'pair')} with ${counted(score.words.referenceLength, 'word')} in answered references`,
    hint: 'see what there is: transcribench wer <reference> <hypothesis>',
  })
}
