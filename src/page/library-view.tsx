import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { counted, formatCount, formatMinute, type LibraryPage, type ListedRun } from '#reports/page'
import { trendParts } from './history-view.tsx'
import { CellText, Heading, Name, nameClasses, Parts, ScrollRegion, Search, Section } from './layout.tsx'
import { Head } from './warnings.tsx'

/** A results folder: its runs, of which any two can be compared, and figures over time. */
export function LibraryView({ page }: { readonly page: LibraryPage }): JSX.Element {
  const { title, answer, runs, history } = page
  const listed = { id: 'runs', title: 'Runs', draw: () => (runs.length === 0 ? null : <Runs page={page} />) }
  return (
    <Parts
      parts={[...trendParts(history.groups), listed]}
      answer={
        <Head
          overline="Results"
          answer={answer}
          facts={
            <>
              {counted(runs.length, 'run')} in <bdi>{title}</bdi>
            </>
          }
        >
          {runs.length > 0 ? null : (
            <p class="quiet empty">
              Measure one: <code>transcribench run</code>. Then load this page again.
            </p>
          )}
        </Head>
      }
    />
  )
}

const firstShown = 50

/** The runs, newest first; the user marks two of them as base and run to compare them. */
function Runs({ page: { runs, columns, canCompare } }: { readonly page: LibraryPage }): JSX.Element {
  const [sought, setSought] = useState('')
  const [shownCount, setShownCount] = useState(firstShown)
  const scored = runs.filter(({ summary }) => summary !== null)
  const [base, setBase] = useState<string | null>(scored[1]?.id ?? null)
  const [run, setRun] = useState<string | null>(scored[0]?.id ?? null)
  const found = useMemo(() => runs.filter((each) => holds(each, sought.trim().toLowerCase())), [runs, sought])
  return (
    <Section
      id="runs"
      title="Runs"
      lead={
        canCompare
          ? 'Open a run to see its report, or mark two of them and compare: both are scored again by the same rules and paired by utterance.'
          : 'Open a run to see its report.'
      }
    >
      <div class="controls compare-bar">
        <Search placeholder="Search names, corpora and contenders" value={sought} onSearch={setSought} />
        {canCompare ? <Compare base={base} run={run} /> : null}
      </div>
      <ScrollRegion label="Runs of this folder">
        <table class="runs">
          <thead>
            <tr>
              {canCompare ? (
                <>
                  <th scope="col">base</th>
                  <th scope="col">run</th>
                </>
              ) : null}
              <th scope="col">name and time</th>
              <th scope="col" class="only-wide">
                corpus
              </th>
              {columns.map((column) => (
                <Heading column={column} key={column.header} />
              ))}
            </tr>
          </thead>
          {found.slice(0, shownCount).map((row) => (
            <RunRows
              run={row}
              canCompare={canCompare}
              isBase={row.id === base}
              isRun={row.id === run}
              onBase={setBase}
              onRun={setRun}
              key={row.id}
            />
          ))}
        </table>
      </ScrollRegion>
      <p class="quiet count" role="status">
        {found.length === 0
          ? 'No run holds that.'
          : `${formatCount(Math.min(shownCount, found.length))} of ${formatCount(found.length)}`}{' '}
        {found.length > shownCount ? (
          <button type="button" class="plain" onClick={() => setShownCount((now) => now + 200)}>
            Show more
          </button>
        ) : null}
      </p>
    </Section>
  )
}

function holds({ id, summary, figures }: ListedRun, sought: string): boolean {
  const texts = [
    id,
    summary?.corpus ?? '',
    summary?.load ?? '',
    summary?.target ?? '',
    ...figures.rows.flatMap(([contender]) => contender?.text ?? []),
  ]
  return texts.some((text) => text.toLowerCase().includes(sought))
}

function Compare({ base, run }: { readonly base: string | null; readonly run: string | null }): JSX.Element {
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
  readonly run: ListedRun
  readonly canCompare: boolean
  readonly isBase: boolean
  readonly isRun: boolean
  onBase(id: string): void
  onRun(id: string): void
}

/** A run with a line for each of its contenders. */
function RunRows(props: RunRowsProps): JSX.Element {
  const { canCompare, isBase, isRun, onBase, onRun } = props
  const { id, address, summary, unscored, figures } = props.run
  const name = <Name>{summary?.name ?? id}</Name>
  return (
    <tbody class={canCompare && (isBase || isRun) ? 'marked' : ''}>
      {figures.rows.map((row, index) => (
        <tr key={row[0]?.text}>
          {index > 0 ? null : (
            <>
              {(canCompare ? (['base', 'run'] as const) : []).map((side) => (
                <td rowSpan={figures.rows.length} key={side}>
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
              <th scope="row" rowSpan={figures.rows.length}>
                {address === null ? name : <a href={address}>{name}</a>}{' '}
                <Validity validity={summary?.validity ?? 'unscored'} />
                <small class="quiet">{summary === null ? unscored : formatMinute(summary.startedAt)}</small>
              </th>
              <td class="only-wide" rowSpan={figures.rows.length}>
                <bdi>{summary?.corpus ?? '–'}</bdi>
                {[summary?.load, summary?.target, summary?.score].map((text, place) => (
                  <small class="quiet" key={place}>
                    <bdi>{text}</bdi>
                  </small>
                ))}
              </td>
            </>
          )}
          {row.map((cell, place) => (
            <td class={nameClasses(figures.columns[place])} key={place}>
              <CellText cell={cell} column={figures.columns[place]} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}

function Validity({ validity }: { readonly validity: string }): JSX.Element | null {
  if (validity === 'invalid') return <span class="chip bad">✗ not valid</span>
  if (validity === 'short') return <span class="chip caution">short</span>
  return null
}
