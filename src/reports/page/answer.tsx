import type { ComponentChildren, JSX } from 'preact'
import type { Finding, Percentile } from '#analysis'
import type { RunPage } from '../html/page-document.ts'
import {
  counted,
  formatCount,
  formatMilliseconds,
  formatPercent,
  formatSeconds,
  formatTimes,
} from '../units.ts'
import { ContenderName, Name } from './layout.tsx'
import { type PlacedContender, rankedContenders } from './ranking.ts'
import { ScrollRegion } from './scroll-region.tsx'

const absent = '–'

/** The sentence, what could make one distrust it, and the table. */
export function Answer({ page }: { readonly page: RunPage }): JSX.Element {
  const { evaluation } = page
  const { run, corpus, load, profile, rounds } = evaluation
  return (
    <section id="answer" aria-labelledby="answer-title">
      <p class="overline">
        <Name>{run.name}</Name> · {run.startedAt.slice(0, 16).replace('T', ' ')} UTC
        <Validity page={page} />
      </p>
      <h1 id="answer-title">
        <Name>{page.answer}</Name>
      </h1>
      {evaluation.validity === 'valid' ? null : (
        <p class="bad">This run is not valid; its figures are shown to find out why.</p>
      )}
      <p class="facts">
        corpus <Name>{corpus.name}</Name>, {counted(corpus.utteranceCount, 'utterance')},{' '}
        {formatSeconds(corpus.audioSeconds)} of audio · {counted(rounds, 'round')} · scored as {profile.id} ·{' '}
        {load.description}
      </p>
      <Findings findings={evaluation.findings} />
      <Summary page={page} />
    </section>
  )
}

function Validity({ page: { evaluation } }: { readonly page: RunPage }): JSX.Element | null {
  const { validity, run } = evaluation
  if (validity === 'invalid') return <span class="chip bad">✗ not valid</span>
  if (validity === 'short') return <span class="chip caution">short</span>
  if (run.status !== 'finished') return <span class="chip caution">partial: {run.status}</span>
  return null
}

const signs: Readonly<Record<Finding['severity'], { readonly sign: string; readonly word: string }>> = {
  invalid: { sign: '✗', word: 'Not valid' },
  warning: { sign: '~', word: 'Caution' },
  note: { sign: '·', word: 'Note' },
}

function Findings({ findings }: { readonly findings: readonly Finding[] }): JSX.Element | null {
  if (findings.length === 0) return null
  return (
    <ul class="findings" aria-label="What could make you distrust this">
      {findings.map(({ code, severity, message, advice }) => (
        <li class={severity} key={code + message}>
          <span class="sign" role="img" aria-label={signs[severity].word}>
            {signs[severity].sign}
          </span>
          <p>
            <bdi>{message}.</bdi> {advice === null ? null : <span class="advice">{asAdvice(advice)}.</span>}{' '}
            <code class="quiet">{code}</code>
          </p>
        </li>
      ))}
    </ul>
  )
}

/** A command keeps its spelling; a sentence gets its capital. */
function asAdvice(advice: string): string {
  if (advice.startsWith('asrbench ')) return `Try: ${advice}`
  return advice.charAt(0).toUpperCase() + advice.slice(1)
}

interface SummaryColumn {
  readonly header: string
  /** What it means, for a hovering mouse and a screen reader. */
  readonly meaning: string
  readonly isText?: boolean
  cell(contender: PlacedContender): ComponentChildren
  isNeeded?(contender: PlacedContender): boolean
}

const isIncomplete = ({ figures: { counts } }: PlacedContender): boolean => counts.answered < counts.planned

const columns: readonly SummaryColumn[] = [
  {
    header: 'WER',
    meaning: 'word errors in a hundred words of the references, over what was answered',
    cell: ({ figures }) => <strong>{percent(figures.words.rate)}</strong>,
  },
  {
    header: '95% interval',
    meaning: 'where the word error rate would lie with other utterances of the same kind',
    cell: ({ figures: { words } }) =>
      words.interval === null
        ? absent
        : `${formatPercent(words.interval.low)} – ${formatPercent(words.interval.high)}`,
  },
  {
    header: 'of words',
    meaning: 'words of the references that were scored',
    cell: ({ figures }) => formatCount(figures.words.referenceLength),
  },
  {
    header: 'answered',
    meaning: 'requests that were answered and scored, of those that were planned',
    cell: ({ figures: { counts } }) => `${formatCount(counts.answered)} of ${formatCount(counts.planned)}`,
  },
  {
    header: 'WER of all',
    meaning: 'with every failed request counted as an empty transcript; contenders are ranked by it',
    cell: ({ figures }) => percent(figures.wordsWithFailuresAsEmpty.rate),
    isNeeded: isIncomplete,
  },
  {
    header: 'failed',
    meaning: 'requests without an answer: counted, never scored',
    cell: ({ figures: { counts } }) => formatCount(counts.failed),
    isNeeded: ({ figures: { counts } }) => counts.failed > 0,
  },
  {
    header: 'CER',
    meaning: 'character errors in a hundred characters',
    cell: ({ figures }) => percent(figures.characters.rate),
  },
  {
    header: 'speed',
    meaning: 'seconds of speech transcribed in a second, by the whole system under this load',
    cell: ({ figures: { systemSpeed } }) =>
      systemSpeed.value === null ? absent : formatTimes(systemSpeed.value),
  },
  {
    header: 'p50',
    meaning: 'half of the answers came within this time',
    cell: ({ figures: { latencyMs } }) => milliseconds(latencyMs.p50),
  },
  {
    header: 'p95',
    meaning: 'nineteen of twenty answers came within this time',
    cell: ({ figures: { latencyMs } }) => milliseconds(latencyMs.p95),
  },
]

function Summary({ page }: { readonly page: RunPage }): JSX.Element {
  const contenders = rankedContenders(page)
  const shown = columns.filter(({ isNeeded }) => isNeeded === undefined || contenders.some(isNeeded))
  return (
    <ScrollRegion label="Summary of all contenders">
      <table class="summary">
        <thead>
          <tr>
            <th scope="col">contender</th>
            {shown.map(({ header, meaning }) => (
              <th scope="col" class="number" title={meaning} key={header}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {contenders.map((contender) => (
            <tr key={contender.index}>
              <th scope="row">
                <ContenderName index={contender.index} id={contender.id} />
              </th>
              {shown.map(({ header, cell }) => (
                <td class="number" key={header}>
                  {cell(contender)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

export function percent(rate: number | null): string {
  return rate === null ? absent : formatPercent(rate)
}

export function milliseconds(figure: Percentile): string {
  return figure.value === null ? absent : formatMilliseconds(figure.value)
}
