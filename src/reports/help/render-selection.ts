import { foreign, labelled, type Terminal } from '../layout/terminal.ts'
import { absent, counted, fixed, formatCount, formatDollars, formatSeconds } from '../layout/units.ts'

export interface SelectionText {
  readonly manifestPath: string
  readonly utteranceCount: number
  readonly corpusUtteranceCount: number
  readonly audioSeconds: number
  readonly speakerCount: number
  /** Null where a number was asked for. */
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
  /** Of each contender of the pilot, for one pass; null where the pilot has no speed, or no price. */
  readonly costs: readonly {
    readonly contenderId: string
    readonly seconds: number | null
    readonly usd: number | null
  }[]
}

/** What was chosen, why so many, and what a run over it costs. */
export function renderSelection(selection: SelectionText, terminal: Terminal): string {
  const { utteranceCount, corpusUtteranceCount, audioSeconds, speakerCount, required, costs } = selection
  const line = (label: string, text: string): string => labelled(label, foreign(text), 11, terminal)
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

function becauseText({
  standardDeviation,
  plannedDeviation,
  designEffect,
  correlation,
  pilotUtteranceCount,
}: Required): string {
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
