import type { ComponentChildren, JSX } from 'preact'
import type { Finding } from '#analysis'
import { Name } from './layout.tsx'

/** A word beside the overline that no reader may miss. */
export interface Chip {
  readonly tone: 'good' | 'caution' | 'bad'
  readonly text: string
}

/** A finding of a run, or what another document says of itself, which has no code to look up. */
type Caution = Omit<Finding, 'code'> & { readonly code: Finding['code'] | null }

export interface HeadProps {
  /** What is shown, and of when. */
  readonly overline: ComponentChildren
  readonly chip?: Chip | null
  /** The answer, in a sentence. */
  readonly answer: string
  /** Why the answer is to be taken with care, in a sentence. */
  readonly warning?: string | null
  /** What it was made of, in a line. */
  readonly facts?: ComponentChildren
  readonly findings?: readonly Caution[]
  readonly children?: ComponentChildren
}

/** How every document begins: the sentence, what could make one distrust it, and the first table. */
export function Head(props: HeadProps): JSX.Element {
  const { overline, chip = null, answer, warning = null, facts, findings = [], children } = props
  return (
    <section id="answer" aria-labelledby="answer-title">
      <p class="overline">
        {overline}
        {chip === null ? null : <span class={`chip ${chip.tone}`}>{chip.text}</span>}
      </p>
      <h1 id="answer-title">
        <Name>{answer}</Name>
      </h1>
      {warning === null ? null : <p class="bad">{warning}</p>}
      {facts === undefined ? null : <p class="facts">{facts}</p>}
      <Findings findings={findings} />
      {children}
    </section>
  )
}

const signs: Readonly<Record<Finding['severity'], { readonly sign: string; readonly word: string }>> = {
  invalid: { sign: '✗', word: 'Not valid' },
  warning: { sign: '~', word: 'Caution' },
  note: { sign: '·', word: 'Note' },
}

/** What could make one distrust the figures, and what to do about it. */
function Findings({ findings }: { readonly findings: readonly Caution[] }): JSX.Element | null {
  if (findings.length === 0) return null
  return (
    <ul class="findings" aria-label="What could make you distrust this">
      {findings.map(({ code, severity, message, advice }) => (
        <li class={severity} key={message}>
          <span class="sign" role="img" aria-label={signs[severity].word}>
            {signs[severity].sign}
          </span>
          <p>
            <bdi>{message}.</bdi> {advice === null ? null : <span class="advice">{asAdvice(advice)}.</span>}{' '}
            {code === null ? null : <code class="quiet">{code}</code>}
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
