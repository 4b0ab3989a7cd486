import type { JSX } from 'preact'
import type { Verdict } from '#analysis'
import type { ComparedContender } from '#reports/page'
import { BigFigures, Name } from '../layout.tsx'

/** Rows of the table that are read first, after the leading rate; others are in it. */
const firstRows = ['latency p50', 'latency p95', 'speed']
/** With more pairs the tables are easier to read. */
const maxGroups = 3

/** The class that colours a verdict, next to its sign and its word. */
function toneOf(verdict: Verdict | null): string {
  if (verdict === 'better') return 'good'
  if (verdict === 'worse') return 'bad'
  return verdict === 'unresolved' ? 'caution' : ''
}

/** The main differences of the first pairs of contenders. */
export function FirstDifferences(props: { readonly contenders: readonly ComparedContender[] }): JSX.Element {
  const { contenders } = props
  return (
    <BigFigures
      label={contenders.length > maxGroups ? `The first ${maxGroups} pairs` : 'The main differences'}
      groups={contenders.slice(0, maxGroups).map(({ title, rows }) => ({
        key: title,
        name: contenders.length === 1 ? null : <Name>{title}</Name>,
        figures: rows
          .filter(({ name }, place) => place === 0 || firstRows.includes(name))
          .map(({ name, base, run, difference, verdict, verdictOf, absence }) => ({
            label: name,
            value: difference,
            detail:
              absence !== '' ? (
                absence
              ) : (
                <>
                  {base} → {run}
                  <br />
                  <span class={toneOf(verdictOf)}>{verdict}</span>
                </>
              ),
          })),
      }))}
    />
  )
}
