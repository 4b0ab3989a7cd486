import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ChangedUtterance } from '#analysis'
import { counted, formatSeconds, signed } from '#reports/page'
import { Figure, Name } from '../layout.tsx'
import { diffColumns } from '../utterances/columns.ts'
import { AlignedWords } from '../utterances/diff.tsx'

/** The most changed utterances, word under word, what got worse first. */
export function ChangedUtterances(props: {
  readonly changed: readonly ChangedUtterance[]
  /** What errors are counted in. */
  readonly unit: string
}): JSX.Element | null {
  const changed = props.changed.toSorted((a, b) => b.errorDifference - a.errorDifference)
  if (changed.length === 0) return null
  return (
    <Figure title="Utterances that changed most" isWide>
      <ol class="changed">
        {changed.map((each, index) => (
          <li key={each.utteranceId}>
            <details open={index < 3}>
              <summary>
                <b>
                  <Name>{each.utteranceId}</Name>
                </b>{' '}
                <span class={each.errorDifference > 0 ? 'bad' : 'good'}>{errorsOf(each)}</span>{' '}
                <span class="quiet">
                  in {counted(each.referenceLength, props.unit)} · {formatSeconds(each.audioSeconds)}
                </span>
              </summary>
              <Words changed={each} />
            </details>
          </li>
        ))}
      </ol>
    </Figure>
  )
}

function errorsOf({ errorDifference }: ChangedUtterance): string {
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
    return diffColumns(words, [baseWords, runWords])
  }, [baseWords, runWords])
  return <AlignedWords columns={columns} sides={sides} onWord={null} reference={reference} />
}
