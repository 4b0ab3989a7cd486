import type { ComponentChildren, JSX } from 'preact'
import type { FirstFigure } from '#reports/page'

/** One figure that is read first. */
export interface BigFigure extends Omit<FirstFigure, 'detail'> {
  readonly detail?: ComponentChildren
}

/** The figures of one contender, or of one pair of them. */
interface BigFigureGroup {
  readonly key: string
  /** Null where there is only one. */
  readonly name: ComponentChildren | null
  readonly figures: readonly BigFigure[]
}

export interface BigFiguresProps {
  readonly label: string
  readonly groups: readonly BigFigureGroup[]
}

/** Three or four figures of each contender, large: what the sentence above them rests on. */
export function BigFigures({ label, groups }: BigFiguresProps): JSX.Element | null {
  if (groups.every(({ figures }) => figures.length === 0)) return null
  return (
    <ul class="big-figures" aria-label={label}>
      {groups.map(({ key, name, figures }) => (
        <li key={key}>
          {name === null ? null : <p class="big-name">{name}</p>}
          <dl>
            {figures.map(({ label: ofFigure, value, detail }) => (
              <div key={ofFigure}>
                <dt>{ofFigure}</dt>
                <dd>
                  <strong>{value}</strong>
                  {detail === undefined ? null : <small class="big-detail">{detail}</small>}
                </dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  )
}
