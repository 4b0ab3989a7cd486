import type { JSX } from 'preact'
import { formatCount, formatPercent, pathologyNames, type RunPage } from '#reports/page'
import { ContenderName, Figure, Name } from '../layout.tsx'
import { utteranceAddress } from '../location.ts'
import type { PlacedContender } from './ranking.ts'

export interface PathologiesProps {
  readonly page: RunPage
  readonly contenders: readonly PlacedContender[]
}

/** Whether any answer has degenerate output, as against ordinary errors. */
export function hasPathologies(page: RunPage): boolean {
  return page.evaluation.errorAnalyses.some(
    ({ pathologies, flakiness }) =>
      pathologies.some(({ rate }) => rate.numerator > 0) || (flakiness?.rate.numerator ?? 0) > 0,
  )
}

/** Kinds of degenerate output, which an error rate does not separate from ordinary errors, with examples to listen to. */
export function Pathologies({ page, contenders }: PathologiesProps): JSX.Element | null {
  if (!hasPathologies(page)) return null
  const found = contenders.flatMap(({ index, id }) =>
    (page.evaluation.errorAnalyses[index]?.pathologies ?? [])
      .filter(({ rate }) => rate.numerator > 0)
      .map((pathology) => ({ index, id, ...pathology })),
  )
  const unstable = contenders.flatMap(({ index, id }) => {
    const flakiness = page.evaluation.errorAnalyses[index]?.flakiness ?? null
    return flakiness === null || flakiness.rate.numerator === 0 ? [] : [{ index, id, ...flakiness }]
  })
  return (
    <Figure
      title="Hallucinations, loops and truncations"
      note="Utterances with degenerate output, found by rules. Point at a kind for its rule; listen to the examples."
    >
      <ul class="named">
        {found.map(({ index, id, kind, rule, rate, examples }) => (
          <li key={`${id} ${kind}`}>
            <ContenderName index={index} id={id} /> <span title={rule}>{pathologyNames[kind]}</span>:{' '}
            {formatCount(rate.numerator)} of {formatCount(rate.denominator)}
            {rate.rate === null ? '' : ` (${formatPercent(rate.rate)})`}{' '}
            <small>
              {examples.slice(0, 4).map(({ utteranceId, detail }) => (
                <a href={utteranceAddress(utteranceId)} title={detail} key={utteranceId}>
                  <Name>{utteranceId}</Name>
                </a>
              ))}
            </small>
          </li>
        ))}
        {unstable.map(({ index, id, rate, unstableIds }) => (
          <li key={id}>
            <ContenderName index={index} id={id} /> another text when asked again:{' '}
            {formatCount(rate.numerator)} of {formatCount(rate.denominator)}{' '}
            <small>
              {unstableIds.slice(0, 4).map((utteranceId) => (
                <a href={utteranceAddress(utteranceId)} key={utteranceId}>
                  <Name>{utteranceId}</Name>
                </a>
              ))}
            </small>
          </li>
        ))}
      </ul>
    </Figure>
  )
}
