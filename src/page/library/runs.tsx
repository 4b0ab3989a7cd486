import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import {
  formatCount,
  formatMilliseconds,
  formatPercent,
  formatTimes,
  type LibraryContender,
  type LibraryRun,
  rateWords,
} from '#reports/page'
import { Name, Section } from '../layout.tsx'
import { ScrollRegion } from '../scroll-region.tsx'

const firstShown = 50

/** The runs, newest first; two of them are marked as base and run and compared. */
export function Runs({ runs }: { readonly runs: readonly LibraryRun[] }): JSX.Element {
  const [sought, setSought] = useState('')
  const [most, setMost] = useState(firstShown)
  const scored = runs.filter(({ summary }) => summary !== null)
  const [base, setBase] = useState<string | null>(scored[1]?.id ?? null)
  const [run, setRun] = useState<string | null>(scored[0]?.id ?? null)
  const found = useMemo(() => runs.filter((each) => holds(each, sought.trim().toLowerCase())), [runs, sought])
  const leads = [...new Set(runs.flatMap(({ summary }) => summary?.leads ?? []))]
  const isMixed = leads.length > 1
  return (
    <Section
      id="runs"
      title="Runs"
      lead="Open a run to see its report, or mark two of them and compare: both are scored again by the same rules and paired by utterance."
    >
      <div class="controls compare-bar">
        <label class="search">
          <span class="unseen">Search</span>
          <input
            type="search"
            placeholder="Search names, corpora and contenders"
            value={sought}
            onInput={({ currentTarget: { value } }) => setSought(value)}
          />
        </label>
        <Compare base={base} run={run} />
      </div>
      <ScrollRegion label="Runs of this folder">
        <table class="runs">
          <thead>
            <tr>
              <th scope="col">base</th>
              <th scope="col">run</th>
              <th scope="col">name and time</th>
              <th scope="col" class="only-wide">
                corpus
              </th>
              <th scope="col">contender</th>
              <th scope="col" class="number">
                {isMixed ? 'WER or CER' : rateWords[leads[0] ?? 'words'].short}
              </th>
              <th scope="col" class="only-wide">
                95% interval
              </th>
              <th scope="col" class="number">
                failed
              </th>
              <th scope="col" class="number">
                speed
              </th>
              <th scope="col" class="number">
                p50
              </th>
            </tr>
          </thead>
          {found.slice(0, most).map((each) => (
            <RunRows
              run={each}
              isBase={each.id === base}
              isRun={each.id === run}
              isMixed={isMixed}
              onBase={setBase}
              onRun={setRun}
              key={each.id}
            />
          ))}
        </table>
      </ScrollRegion>
      <p class="quiet count" role="status">
        {found.length === 0
          ? 'No run holds that.'
          : `${formatCount(Math.min(most, found.length))} of ${formatCount(found.length)}`}{' '}
        {found.length > most ? (
          <button type="button" class="plain" onClick={() => setMost((now) => now + 200)}>
            Show more
          </button>
        ) : null}
      </p>
    </Section>
  )
}

function holds({ id, summary }: LibraryRun, sought: string): boolean {
  const texts = [
    id,
    summary?.corpus ?? '',
    summary?.load ?? '',
    ...(summary?.contenders.map((contender) => contender.id) ?? []),
  ]
  return texts.some((text) => text.toLowerCase().includes(sought))
}

interface CompareProps {
  readonly base: string | null
  readonly run: string | null
}

function Compare({ base, run }: CompareProps): JSX.Element {
  if (base === null || run === null || base === run) {
    return <span class="quiet">Mark two different runs to compare them.</span>
  }
  const query = new URLSearchParams({ base, run })
  return (
    <a class="primary" href={`?${query}`}>
      Compare <Name>{base}</Name> → <Name>{run}</Name>
    </a>
  )
}

interface RunRowsProps {
  readonly run: LibraryRun
  readonly isBase: boolean
  readonly isRun: boolean
  /** The rates of some runs are of words, and of others of characters. */
  readonly isMixed: boolean
  onBase(id: string): void
  onRun(id: string): void
}

const noContender: LibraryContender = {
  id: '',
  errorRate: null,
  failureRate: null,
  speed: null,
  latencyP50Ms: null,
}

/** A run with a line for each of its contenders. */
function RunRows(props: RunRowsProps): JSX.Element {
  const { isBase, isRun, isMixed, onBase, onRun } = props
  const { id, summary } = props.run
  const contenders = summary === null || summary.contenders.length === 0 ? [noContender] : summary.contenders
  return (
    <tbody class={isBase || isRun ? 'marked' : ''}>
      {contenders.map((contender, index) => (
        <tr key={contender.id}>
          {index > 0 ? null : (
            <>
              {(['base', 'run'] as const).map((side) => (
                <td rowSpan={contenders.length} key={side}>
                  <input
                    type="radio"
                    name={side}
                    aria-label={`${id} as ${side}`}
                    disabled={summary === null}
                    checked={side === 'base' ? isBase : isRun}
                    onChange={() => (side === 'base' ? onBase(id) : onRun(id))}
                  />
                </td>
              ))}
              <th scope="row" rowSpan={contenders.length}>
                <a href={`?${new URLSearchParams({ run: id })}`}>
                  <Name>{summary?.name ?? id}</Name>
                </a>{' '}
                <Validity validity={summary?.validity ?? 'unscored'} />
                <small class="quiet">
                  {summary === null ? 'no score that can be read' : whenOf(summary.startedAt)}
                </small>
              </th>
              <td class="only-wide" rowSpan={contenders.length}>
                <bdi>{summary?.corpus ?? '–'}</bdi>
                <small class="quiet">
                  <bdi>{summary?.load}</bdi>
                </small>
              </td>
            </>
          )}
          <td>{contender.id === '' ? '–' : <Name>{contender.id}</Name>}</td>
          <Figures
            contender={contender}
            rateName={isMixed && summary !== null ? rateWords[summary.leads].short : ''}
          />
        </tr>
      ))}
    </tbody>
  )
}

interface FiguresProps {
  readonly contender: LibraryContender
  /** Empty where the head of the column says it. */
  readonly rateName: string
}

function Figures({ contender, rateName }: FiguresProps): JSX.Element {
  const { errorRate, failureRate, speed, latencyP50Ms } = contender
  const interval = errorRate?.interval ?? null
  return (
    <>
      <td class="number">
        {errorRate === null ? (
          '–'
        ) : (
          <>
            {rateName} <b>{formatPercent(errorRate.value)}</b>
          </>
        )}
      </td>
      <td class="only-wide">
        {interval === null ? '–' : `${formatPercent(interval.low)} – ${formatPercent(interval.high)}`}
      </td>
      <td class={failureRate === null || failureRate === 0 ? 'number' : 'number bad'}>
        {failureRate === null ? '–' : formatPercent(failureRate)}
      </td>
      <td class="number">{speed === null ? '–' : formatTimes(speed)}</td>
      <td class="number">{latencyP50Ms === null ? '–' : formatMilliseconds(latencyP50Ms)}</td>
    </>
  )
}

function Validity({ validity }: { readonly validity: string }): JSX.Element | null {
  if (validity === 'invalid') return <span class="chip bad">✗ not valid</span>
  if (validity === 'short') return <span class="chip caution">short</span>
  return null
}

function whenOf(startedAt: string): string {
  return `${startedAt.slice(0, 16).replace('T', ' ')} UTC`
}
