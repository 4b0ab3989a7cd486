import { columnsOf, layTable, shownColumns } from '../layout/table.ts'
import { foreign, labelled, sentence, type Terminal } from '../layout/terminal.ts'
import { absent, counted, fixed, formatCount, formatDollars, formatSeconds } from '../layout/units.ts'

/** Contents of a corpus, without its recordings. */
export interface CorpusText {
  readonly name: string
  readonly manifestPath: string
  /** Null if it is not known before the recordings are read. */
  readonly fingerprint: string | null
  readonly utteranceCount: number
  /** Null if the length of a recording is not known. */
  readonly audioSeconds: number | null
  readonly languages: readonly string[]
  readonly speakerCount: number | null
  readonly tags: readonly string[]
  /** Utterances whose reference is empty on purpose: silence, noise. */
  readonly emptyReferenceCount: number
  /** Utterances whose reference allows alternatives. */
  readonly severalWaysCount: number
  readonly draftCount: number
}

export function renderCorpus(corpus: CorpusText, terminal: Terminal): string {
  const { name, manifestPath, fingerprint, utteranceCount, audioSeconds, languages } = corpus
  const { speakerCount, tags, emptyReferenceCount, severalWaysCount, draftCount } = corpus
  const facts = [
    counted(utteranceCount, 'utterance'),
    audioSeconds === null
      ? 'length not known before it is verified'
      : `${formatSeconds(audioSeconds)} of audio`,
    ...(speakerCount === null ? [] : [counted(speakerCount, 'speaker')]),
    ...(emptyReferenceCount === 0 ? [] : [`${emptyReferenceCount} without speech`]),
    ...(severalWaysCount === 0 ? [] : [`${severalWaysCount} with several ways to say it`]),
    ...(draftCount === 0 ? [] : [`${draftCount} drafts, not reviewed`]),
  ]
  const line = (label: string, text: string): string => labelled(label, text, 11, terminal)
  return [
    line('corpus', name),
    line('holds', facts.join(' · ')),
    ...(languages.length === 0 ? [] : [line('languages', languages.join(', '))]),
    ...(tags.length === 0 ? [] : [line('tags', tags.join(', '))]),
    line('manifest', manifestPath),
    line('fingerprint', fingerprint ?? 'not known before it is verified: transcribench corpus verify'),
  ].join('\n')
}

interface LintRow {
  readonly check: string
  readonly utteranceId: string | null
  readonly what: string
  readonly suggestion: string
  /** Path of the recording as typed in a shell; null if the finding is about the corpus. */
  readonly audio: string | null
}

interface LintText {
  readonly name: string
  readonly utteranceCount: number
  readonly findings: readonly LintRow[]
}

/** Findings in the order of the checks, each with its advice and recording. */
export function renderLint({ name, utteranceCount, findings }: LintText, terminal: Terminal): string {
  if (findings.length === 0) {
    return `  ${foreign(name)}: ${counted(utteranceCount, 'utterance')}, nothing found`
  }
  const concerned = new Set(findings.flatMap(({ utteranceId }) => utteranceId ?? [])).size
  return [
    `  ${foreign(name)}: ${counted(findings.length, 'finding')}, about ${concerned} of ${counted(utteranceCount, 'utterance')}`,
    '',
    ...layTable(columns, findings, terminal).lines,
    '',
    ...[...Map.groupBy(findings, ({ check }) => check)].map(([check, [first]]) =>
      sentence(`${check}: ${first?.suggestion ?? ''}.`, terminal),
    ),
  ].join('\n')
}

const { text, longText } = columnsOf<LintRow>()
const columns = shownColumns([
  text('check', 'check'),
  longText('utterance', 'utteranceId'),
  text('what', ({ what }) => foreign(what)),
  text('audio', 'audio', { header: 'listen', dropOrder: 1 }),
])

interface SelectionText {
  readonly manifestPath: string
  readonly utteranceCount: number
  readonly corpusUtteranceCount: number
  readonly audioSeconds: number
  readonly speakerCount: number
  /** Null if the user gave the number. */
  readonly required: {
    readonly base: string
    readonly run: string
    readonly difference: number
    readonly power: number
    readonly standardDeviation: number
    readonly plannedDeviation: number
    readonly designEffect: number
    readonly correlation: { readonly measured: number; readonly planned: number }
    readonly pilotUtteranceCount: number
  } | null
  /** Costs of one pass for each contender of the pilot; null if the pilot has no speed or no price. */
  readonly costs: readonly {
    readonly contenderId: string
    readonly seconds: number | null
    readonly usd: number | null
  }[]
}

/** The chosen utterances, the reason for their number, and the cost of a run over them. */
export function renderSelection(selection: SelectionText, terminal: Terminal): string {
  const { utteranceCount, corpusUtteranceCount, audioSeconds, speakerCount, required, costs } = selection
  const line = (label: string, text: string): string => labelled(label, text, 11, terminal)
  const speakers = speakerCount === 0 ? '' : ` · ${counted(speakerCount, 'speaker')}`
  return [
    line(
      'chosen',
      `${formatCount(utteranceCount)} of ${formatCount(corpusUtteranceCount)} utterances · ${formatSeconds(audioSeconds)} of audio${speakers}`,
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

type Required = NonNullable<SelectionText['required']>

function resolvesText({ difference, power, base, run }: Required): string {
  return `a true difference of ${fixed(difference * 100, 1)} points between ${base} and ${run} in ${Math.round(power * 100)} of 100 runs, at 95%`
}

function becauseText(required: Required): string {
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
