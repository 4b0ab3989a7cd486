import type { TextScore } from '#rates/documents'
import type { TextScoreFormatName } from '#reports/text-score/formats'
import type { AlignmentRule } from '#scoring/alignment/align'
import type { ScliteOptions } from '#scoring/alignment/networks'
import type { CharacterRule } from '#scoring/tokens'
import type { CaptionRule } from '#transcripts/formats'
import type { TranscriptSource } from '#transcripts/read-pairs'
import type { RowNames } from '#transcripts/rows'
import { readTwice } from './command-context.ts'
import { cliErrors } from './errors.ts'
import { standardStream } from './named-files.ts'

/** What `transcribench wer` understands, as typed. */
export interface WerOptions {
  readonly format?: TranscriptSource['format']
  readonly captions: CaptionRule
  readonly idColumn?: string
  readonly referenceColumn?: string
  readonly hypothesisColumn?: string
  readonly profile?: string
  readonly language?: string
  readonly rules?: string
  readonly glm?: string
  readonly alignment: AlignmentRule
  readonly characters?: CharacterRule
  readonly optionalDeletions?: boolean
  readonly fragments?: boolean
  readonly only?: 'words'
  readonly by?: readonly string[]
  readonly confusions?: number
  readonly worst?: number
  readonly seed: number
  readonly print?: FigureName
  readonly json?: boolean
  readonly csv?: boolean
  readonly pra?: boolean
  readonly sgml?: boolean
  readonly sys?: boolean
  readonly trn?: 'reference' | 'hypothesis'
  readonly html?: boolean
}

export interface WerFiles {
  readonly reference: string
  /** None where the one file holds both sides. */
  readonly hypotheses: readonly string[]
}

/** The outputs that exclude each other. */
export const outputs = ['json', 'csv', 'pra', 'html', 'sgml', 'sys', 'trn', 'print'] as const

type Output = (typeof outputs)[number] | 'text'

/** What is written; `text` where nothing else is asked for. */
function chooseOutput(options: WerOptions): Output {
  return outputs.find((output) => options[output] !== undefined && options[output] !== false) ?? 'text'
}

/** The way to write rows, where the output has any. */
export function chooseRowFormat(options: WerOptions): TextScoreFormatName | null {
  const output = chooseOutput(options)
  if (output === 'text' || output === 'print' || output === 'sys') return null
  return output === 'trn' ? `trn-${options.trn ?? 'reference'}` : output
}

/** Whether characters need not be counted: they were not asked for, or they are not shown. */
export function onlyWords(options: WerOptions): boolean {
  const output = chooseOutput(options)
  if (output === 'print') return options.print !== 'cer'
  return options.only === 'words' || !['text', 'json', 'csv', 'html'].includes(output)
}

export function readRowNames({ idColumn, referenceColumn, hypothesisColumn }: WerOptions): RowNames {
  return { id: idColumn, reference: referenceColumn, hypothesis: hypothesisColumn }
}

/** The options of sclite; undefined where none is set. */
export function readScliteOptions({ optionalDeletions, fragments }: WerOptions): ScliteOptions | undefined {
  if (optionalDeletions === undefined && fragments === undefined) return undefined
  return { optionalDeletions: optionalDeletions === true, fragments: fragments === true }
}

/**
 * Refuses what does not go together, beyond outputs that exclude each other.
 *
 * @throws BenchError COMMAND_LINE_INVALID
 */
export function checkOptions({ reference, hypotheses }: WerFiles, options: WerOptions): void {
  const [first, second] = standardInputs(reference, hypotheses, options)
  if (first !== undefined && second !== undefined) throw readTwice(first, second)
  const wrong =
    scliteProblem(options) ??
    wordsProblem(options) ??
    (hypotheses.length > 1 ? systemsProblem(reference, options) : null)
  if (wrong !== null) throw cliErrors.make('COMMAND_LINE_INVALID', wrong)
}

/** What is to come from standard input: more than one would each read what is meant for another. */
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

/** A figure that can be printed alone. */
export type FigureName = 'wer' | 'cer' | 'mer' | 'wil' | 'wip' | 'ser'

const figures: Readonly<Record<FigureName, (score: TextScore) => number | null>> = {
  wer: ({ words }) => words.rate,
  cer: ({ characters }) => characters?.rate ?? null,
  mer: ({ wordRates }) => wordRates.matchErrorRate,
  wil: ({ wordRates }) => wordRates.wordInformationLost,
  wip: ({ wordRates }) => wordRates.wordInformationPreserved,
  ser: ({ sentenceErrorRate }) => sentenceErrorRate,
}

/** Every figure that can be printed alone. */
export const figureNames: readonly FigureName[] = Object.keys(figures) as FigureName[]

/**
 * One figure of a score, as a number.
 *
 * @throws BenchError FIGURE_UNDEFINED where the texts do not have it
 */
export function readFigure(score: TextScore, name: FigureName): number {
  const figure = figures[name](score)
  if (figure !== null) return figure
  throw cliErrors.make('FIGURE_UNDEFINED', {
    message: `${name} cannot be computed of ${counted(score.utteranceCount, 'pair')} with ${counted(score.words.referenceLength, 'word')} in answered references`,
    hint: 'see what there is: transcribench wer <reference> <hypothesis>',
  })
}

function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`
}
