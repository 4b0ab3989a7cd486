import type { JSX } from 'preact'
import type { PageThreshold } from '#reports/page'
import { type DataColumn, DataTable } from '../data-table.tsx'

export interface ThresholdsProps {
  readonly thresholds: readonly PageThreshold[]
}

const reasonColumn: DataColumn<PageThreshold> = {
  header: '',
  isText: true,
  isLong: true,
  cell: ({ reason }) => <span class="quiet">{reason}</span>,
}

/** The limits that were asked for, each with what was measured; nothing where none was. */
export function Thresholds({ thresholds }: ThresholdsProps): JSX.Element | null {
  if (thresholds.length === 0) return null
  return (
    <DataTable
      label="Thresholds"
      columns={[
        {
          header: 'threshold',
          cell: (result) => {
            const { tone, sign, word } = signOf(result)
            return (
              <>
                <span class={tone} role="img" aria-label={word}>
                  {sign}
                </span>{' '}
                <code>{result.threshold}</code>
              </>
            )
          },
        },
        { header: 'measured', cell: ({ measured }) => <strong>{measured}</strong> },
        { header: 'of', isText: true, cell: ({ of }) => <bdi>{of}</bdi> },
        ...(thresholds.every(({ reason }) => reason === null) ? [] : [reasonColumn]),
      ]}
      rows={thresholds}
      keyOf={({ threshold, of }) => JSON.stringify([threshold, of])}
    />
  )
}

function signOf({ outcome, isResolved }: PageThreshold): {
  readonly tone: string
  readonly sign: string
  readonly word: string
} {
  if (outcome !== 'passed') return { tone: 'bad', sign: '✗', word: 'failed' }
  return isResolved
    ? { tone: 'good', sign: '✓', word: 'kept' }
    : { tone: 'caution', sign: '?', word: 'kept, but within the noise' }
}
