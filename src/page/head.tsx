import type { ComponentChildren, JSX } from 'preact'
import { Name } from './layout.tsx'
import { type FindingLinks, type Warning, Warnings } from './warnings.tsx'

/** A word next to the overline that no reader may miss. */
export interface Chip {
  readonly tone: 'good' | 'caution' | 'bad'
  readonly text: string
}

export interface HeadProps {
  /** What is shown, and of when. */
  readonly overline: ComponentChildren
  readonly chip?: Chip | null
  /** The answer: its first sentence is the headline. */
  readonly answer: string
  /** Why the answer is to be taken with care, in a sentence. */
  readonly warning?: string | null
  /** What it was made of, in a line. */
  readonly facts?: ComponentChildren
  readonly warnings?: readonly Warning[]
  readonly links?: FindingLinks
  /** The big figures and the first table. */
  readonly children?: ComponentChildren
}

/** How every document begins: the sentence, the figures and the first table, and one box of warnings. */
export function Head(props: HeadProps): JSX.Element {
  const { overline, chip = null, answer, warning = null, facts, children } = props
  const [headline, rest] = firstSentence(answer)
  return (
    <section id="answer" aria-labelledby="answer-title">
      <p class="overline">
        {overline} {chip === null ? null : <span class={`chip ${chip.tone}`}>{chip.text}</span>}
      </p>
      <h1 id="answer-title">
        <Name>{headline}</Name>
      </h1>
      {rest === '' ? null : (
        <p class="answer-rest">
          <Name>{rest}</Name>
        </p>
      )}
      {warning === null ? null : <p class="bad">{warning}</p>}
      {children}
      {facts === undefined ? null : <p class="facts">{facts}</p>}
      <Warnings warnings={props.warnings ?? []} links={props.links ?? {}} />
    </section>
  )
}

/** A headline holds one sentence; what follows it is smaller. */
function firstSentence(answer: string): readonly [headline: string, rest: string] {
  const end = answer.indexOf('. ')
  return end < 0 ? [answer, ''] : [answer.slice(0, end + 1), answer.slice(end + 2)]
}
