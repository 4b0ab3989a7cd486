import type { ComponentChildren, JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ChangedUtterance, ContenderComparison, Verdict } from '#analysis/documents/contender-comparison'
import {
  alignColumns,
  capitalised,
  counted,
  fixed,
  formatChange,
  formatCount,
  formatMilliseconds,
  formatPercent,
  formatPoints,
  formatSeconds,
  leadingWords,
  openLines,
  pairedSentence,
  type ComparedContender as ShownContender,
  signed,
  speedNames,
} from '#reports/page'
import { IntervalMark, LatencyCurves, type Place, RowPlot, tickPercent, tickTimes } from './charts.tsx'
import {
  DataTable,
  Facts,
  Figure,
  Fold,
  Keys,
  Legend,
  Name,
  NameList,
  Section,
  Spoken,
  TableFigure,
} from './layout.tsx'
import { AlignedWords } from './utterances/diff.tsx'

interface ComparedContenderProps {
  readonly id: string
  readonly shown: ShownContender
  readonly figures: ContenderComparison | undefined
  readonly hasTexts: boolean
}

/** One pair of contenders: the verdicts, the origin of the difference, and the words that changed. */
export function ComparedContender(props: ComparedContenderProps): JSX.Element | null {
  const { id, shown, figures, hasTexts } = props
  if (figures === undefined) return null
  return (
    <Section id={id} title={shown.title} lead={pairedSentence(figures)}>
      <Verdicts shown={shown} />
      {figures.speedsWithheld === null ? null : <p class="caution">~ Speeds are {figures.speedsWithheld}.</p>}
      <div class="figures">
        <Differences figures={figures} />
        <Latencies figures={figures} />
        <OutcomeBar figures={figures} />
        <Moved figures={figures} />
        <WhatChanged figures={figures} shown={shown} />
      </div>
      {shown.lengths && <TableFigure title="Latency by length of the audio" table={shown.lengths} />}
      {hasTexts ? (
        <ChangedUtterances changed={figures.changed} unit={leadingWords(figures).unit} key={id} />
      ) : null}
    </Section>
  )
}

function Verdicts({ shown: { rows, title, verdicts } }: { readonly shown: ShownContender }): JSX.Element {
  return (
    <>
      <DataTable label={`Verdicts on ${title}`} table={verdicts} />
      <NameList names={openLines(rows)} look="named caution" />
    </>
  )
}

const outcomes = [
  { key: 'betterCount', name: 'fewer errors', className: 'verdict-better' },
  { key: 'worseCount', name: 'more errors', className: 'verdict-worse' },
  { key: 'sameCount', name: 'as many', className: 'same' },
] as const

/** Numbers of better, worse and unchanged utterances, as one bar. */
function OutcomeBar({ figures }: { readonly figures: ContenderComparison }): JSX.Element {
  const all = Math.max(1, figures.pairedUtteranceCount)
  const { unpaired } = figures
  let before = 0
  return (
    <Figure title="Utterances" note={`Of ${counted(figures.pairedUtteranceCount, 'paired utterance')}.`}>
      <svg
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        width="100%"
        height={16}
        role="img"
        aria-label={outcomes.map(({ key, name }) => `${name}: ${formatCount(figures[key])}`).join(', ')}
      >
        {outcomes.map(({ key, className }) => {
          const width = (figures[key] / all) * 100
          const x = before
          before += width
          return <rect class={className} x={x} y={0} width={width} height={8} key={key} />
        })}
      </svg>
      <p class="legend outcomes">
        <Keys
          keys={outcomes.map(({ key, name, className }) => ({
            className,
            text: `${formatCount(figures[key])} ${name}`,
          }))}
        />
      </p>
      {unpaired.length === 0 ? null : (
        <Fold title={`${formatCount(unpaired.length)} without a partner`}>
          <ul class="named">
            {unpaired.slice(0, listedUnpaired).map(({ utteranceId, reason }) => (
              <li key={utteranceId}>
                <Name>{utteranceId}</Name> <bdi class="quiet">{reason}</bdi>
              </li>
            ))}
          </ul>
          {unpaired.length > listedUnpaired ? (
            <p class="quiet">and {formatCount(unpaired.length - listedUnpaired)} more</p>
          ) : null}
        </Fold>
      )}
    </Figure>
  )
}

const listedUnpaired = 50
const listedGroups = 16

const kinds = { duration: '', speaker: 'speaker ', tag: 'tag ' } as const

/** Error rates of groups on both sides, joined by a line. */
function Moved({ figures }: { readonly figures: ContenderComparison }): JSX.Element | null {
  const { long, unit } = leadingWords(figures)
  const rates = `${capitalised(long)}s of groups`
  const { groups } = figures
  const shown = groups
    .flatMap(({ by, name, utteranceCount, base, run }) =>
      base === null || run === null || base === run ? [] : [{ by, name, utteranceCount, base, run }],
    )
    .toSorted((a, b) => Math.abs(b.run - b.base) - Math.abs(a.run - a.base))
    .slice(0, listedGroups)
  if (shown.length === 0) return null
  return (
    <Figure
      title="Where it moved"
      note={`${rates}, the most moved first: from the ring (base) to the dot (run).`}
    >
      <RowPlot
        label={`${rates} on both sides`}
        end={Math.max(...shown.flatMap(({ base, run }) => [base, run]))}
        formatTick={tickPercent}
        axisTitle={`errors in a hundred ${unit}s`}
        rows={shown.map(({ by, name, utteranceCount, base, run }) => ({
          key: `${by} ${name}`,
          name: (
            <span class="group" title={counted(utteranceCount, 'utterance')}>
              {kinds[by]}
              <bdi>{name}</bdi> <small class="quiet">{formatCount(utteranceCount)}</small>
            </span>
          ),
          value: (
            <>
              <span class="unseen">
                {formatPercent(base)} to {formatPercent(run)},{' '}
              </span>
              {formatPoints(run - base, 1)}
            </>
          ),
          draw: (place, height) => (
            <g class={run > base ? 'verdict-worse' : 'verdict-better'}>
              <line class="whisker" x1={place(base)} x2={place(run)} y1={height / 2} y2={height / 2} />
              <circle class="ring" cx={place(base)} cy={height / 2} r={4} />
              <circle class="dot" cx={place(run)} cy={height / 2} r={4.5} />
            </g>
          ),
        }))}
      />
    </Figure>
  )
}

interface WhatChangedProps {
  readonly figures: ContenderComparison
  readonly shown: ShownContender
}

/** Facts of the terminal report that have a separate figure on a page. */
const shownElsewhere = ['words', 'most moved', 'by length']

/** Word confusions, failures and the other facts as text. */
function WhatChanged({ figures, shown }: WhatChangedProps): JSX.Element | null {
  const confusions = figures.confusions.slice(0, 12)
  const facts = shown.facts.filter(({ label }) => !shownElsewhere.includes(label))
  if (confusions.length === 0 && facts.length === 0) return null
  return (
    <Figure title="What changed" note="Words that were taken for others, and how often on either side.">
      {confusions.length === 0 ? null : (
        <ol class="named confusions wide-times">
          {confusions.map(({ reference, hypothesis, base, run }) => (
            <li key={JSON.stringify([reference, hypothesis])}>
              <span class="times">
                {formatCount(base)} → <b class={run > base ? 'bad' : 'good'}>{formatCount(run)}</b>
              </span>
              <span>
                <Spoken word={reference} /> → <Spoken word={hypothesis} />
              </span>
            </li>
          ))}
        </ol>
      )}
      <Facts facts={facts.map(({ label, text }) => ({ name: label, value: text }))} />
    </Figure>
  )
}

/** The latency distributions of both sides; a slow tail shows at the top right. */
function Latencies({ figures }: { readonly figures: ContenderComparison }): JSX.Element | null {
  const { latencies, speedsWithheld } = figures
  const curves = [latencies.base, latencies.run].map(({ quantilesMs }, index) => ({ index, quantilesMs }))
  if (speedsWithheld !== null || curves.some(({ quantilesMs }) => quantilesMs.length === 0)) return null
  const shown = curves.map(
    ({ index, quantilesMs }) =>
      `${index === 0 ? 'base' : 'run'}: half within ${formatMilliseconds(quantilesMs[50] ?? 0)}, 95% within ${formatMilliseconds(quantilesMs[95] ?? 0)}`,
  )
  return (
    <Figure
      title="Distribution of latency"
      note="The share of the answers that had come after so long, over the utterances of both sides."
    >
      <Legend contenders={['base', 'run'].map((id, index) => ({ index, id }))} />
      <LatencyCurves label={shown.join('; ')} curves={curves} />
    </Figure>
  )
}

/** The most changed utterances, word under word, the worse ones first. */
function ChangedUtterances(props: {
  readonly changed: readonly ChangedUtterance[]
  /** The unit in which errors are counted. */
  readonly unit: string
}): JSX.Element | null {
  const changed = props.changed.toSorted((a, b) => b.errorDifference - a.errorDifference)
  if (changed.length === 0) return null
  return (
    <Figure title="Utterances that changed most" isWide>
      <ol class="changed">
        {changed.map((change, index) => (
          <li key={change.utteranceId}>
            <details open={index < 3}>
              <summary>
                <b>
                  <Name>{change.utteranceId}</Name>
                </b>{' '}
                <span class={change.errorDifference > 0 ? 'bad' : 'good'}>{errorText(change)}</span>{' '}
                <span class="quiet">
                  in {counted(change.referenceLength, props.unit)} · {formatSeconds(change.audioSeconds)}
                </span>
              </summary>
              <Words changed={change} />
            </details>
          </li>
        ))}
      </ol>
    </Figure>
  )
}

function errorText({ errorDifference }: ChangedUtterance): string {
  const text = signed(errorDifference, Number.isInteger(errorDifference) ? 0 : 1)
  return `${text} ${Math.abs(errorDifference) === 1 ? 'error' : 'errors'}`
}

const sides = [
  { key: 'base', contender: 0, contenderId: 'base', remark: '' },
  { key: 'run', contender: 1, contenderId: 'run', remark: '' },
] as const

function Words({ changed }: { readonly changed: ChangedUtterance }): JSX.Element {
  const { reference, baseWords, runWords } = changed
  const columns = useMemo(() => {
    const words = baseWords.flatMap((step) => step.reference ?? [])
    return alignColumns(words, [baseWords, runWords])
  }, [baseWords, runWords])
  return <AlignedWords columns={columns} sides={sides} onWord={null} reference={reference} />
}

interface Difference {
  readonly name: string
  readonly value: number
  readonly interval: { readonly low: number; readonly high: number } | null
  readonly margin: number
  readonly verdict: Verdict | null
}

/** All differences on one axis around zero, with the margin within which a difference is irrelevant. */
function Differences({ figures }: { readonly figures: ContenderComparison }): JSX.Element {
  const rates = figures.rates.flatMap(({ metric, difference, ...row }): Difference[] =>
    difference === null ? [] : [{ ...judgedParts(row), name: metric.toUpperCase(), value: difference }],
  )
  const speeds = figures.speed.flatMap(({ metric, relativeChange, ...row }): Difference[] =>
    // A higher speed is better, unlike the other figures here, so its row would point the other way.
    relativeChange === null || metric === 'rtfx'
      ? []
      : [{ ...judgedParts(row), name: speedNames[metric], value: relativeChange }],
  )
  return (
    <>
      <DifferenceFigure
        title="Errors: run minus base"
        differences={rates}
        formatTick={(value) => `${fixed(value * 100, 1)} pp`}
        formatValue={(value) => formatPoints(value)}
        axisTitle="← fewer errors · percentage points · more errors →"
      />
      <DifferenceFigure
        title="Latency: run divided by base"
        differences={speeds}
        isRatio
        formatTick={tickTimes}
        formatValue={formatChange}
        axisTitle="← faster · times the base, logarithmic · slower →"
      />
    </>
  )
}

/** A difference with the interval that the verdict is based on. */
function judgedParts(
  difference: Pick<Difference, 'interval' | 'margin' | 'verdict'> & {
    readonly judgedBy: Difference['interval']
  },
): Pick<Difference, 'interval' | 'margin' | 'verdict'> {
  const { judgedBy, interval, margin, verdict } = difference
  return { interval: judgedBy ?? interval, margin, verdict }
}

interface DifferenceFigureProps {
  readonly title: string
  readonly differences: readonly Difference[]
  /** Relative changes drawn as ratios: twice as slow is as far from 1 as twice as fast. */
  readonly isRatio?: boolean
  formatTick(value: number): string
  formatValue(value: number): string
  readonly axisTitle: string
}

/** Lower limit of drawn ratios, because a lower bound may be zero, which a logarithmic axis cannot show. */
const smallestRatio = 0.01

function DifferenceFigure(props: DifferenceFigureProps): JSX.Element | null {
  const { title, differences, isRatio = false, formatTick, formatValue, axisTitle } = props
  if (differences.length === 0) return null
  const onAxis = (difference: number): number =>
    isRatio ? Math.max(smallestRatio, 1 + difference) : difference
  const drawnAt = differences.flatMap(({ value, interval, margin }) =>
    [value, interval?.low ?? 0, interval?.high ?? 0, -1.5 * margin, 1.5 * margin].map(onAxis),
  )
  const hasIntervals = differences.some(({ interval }) => interval !== null)
  return (
    <Figure
      title={title}
      note={`The dot is what was measured${hasIntervals ? ', the line the interval that its verdict rests on' : '; one run a side gives no interval'}. Inside the shaded band a difference does not matter.`}
    >
      <RowPlot
        label={title}
        start={Math.min(...drawnAt)}
        end={Math.max(...drawnAt)}
        isLogarithmic={isRatio}
        formatTick={formatTick}
        axisTitle={axisTitle}
        rows={differences.map((difference) => ({
          key: difference.name,
          name: difference.name,
          value: formatValue(difference.value),
          draw: (place, height) => drawn(difference, (value) => place(onAxis(value)), height),
        }))}
      />
    </Figure>
  )
}

function drawn(
  { value, interval, margin, verdict }: Difference,
  place: Place,
  height: number,
): ComponentChildren {
  return (
    <g class={`verdict-${verdict ?? 'none'}`}>
      <rect class="margin" x={place(-margin)} width={place(margin) - place(-margin)} y={0} height={height} />
      <line class="zero" x1={place(0)} x2={place(0)} y1={0} y2={height} />
      <IntervalMark value={value} interval={interval} place={place} height={height} />
    </g>
  )
}
