import { type ComponentChildren, Fragment, type JSX } from 'preact'
import type { Finding, FindingSeverity } from '#analysis/documents/finding'
import type { FindingCode } from '#analysis/findings/registry'
import { adviceText, counted } from '#reports/page'
import { Name } from './layout.tsx'
import { utteranceAddress } from './utterances/library.ts'

/** A finding of a run, or a remark of another document, which has no code. */
type Warning = Omit<Finding, 'code'> & { readonly code: string | null }

/** Sections of a page with details of findings, by code. */
export type FindingLinks = Readonly<Partial<Record<FindingCode, FindingLink>>>

interface FindingLink {
  readonly id: string
  readonly title: string
}

interface WarningsProps {
  readonly warnings: readonly Warning[]
  readonly links: FindingLinks
}

/** Severities, the gravest first. */
const severities: readonly {
  readonly severity: FindingSeverity
  readonly sign: string
  readonly word: string
  readonly noun: string
}[] = [
  { severity: 'invalid', sign: '✗', word: 'Not valid', noun: 'reason why this is not valid' },
  { severity: 'decisive', sign: '!', word: 'Decisive', noun: 'decisive finding' },
  { severity: 'warning', sign: '~', word: 'Warning', noun: 'warning' },
  { severity: 'note', sign: '·', word: 'Note', noun: 'note' },
]

/** All findings in one box, the gravest first; folded if there are only warnings and notes. */
function Warnings({ warnings, links }: WarningsProps): JSX.Element | null {
  if (warnings.length === 0) return null
  const groups = severities
    .map((kind) => ({ ...kind, findings: warnings.filter(({ severity }) => severity === kind.severity) }))
    .filter(({ findings }) => findings.length > 0)
  return (
    <details class="warnings" open={groups[0]?.severity === 'invalid' || groups[0]?.severity === 'decisive'}>
      <summary>
        {groups.map(({ severity, sign, noun, findings }) => (
          <span class={`count-of ${severity}`} key={severity}>
            <span aria-hidden="true">{sign}</span> {counted(findings.length, noun)}
          </span>
        ))}
      </summary>
      <ul class="warning-list">
        {groups.flatMap(({ severity, sign, word, findings }) =>
          findings.map((warning) => (
            <li class={severity} key={warning.message}>
              <span class="sign" role="img" aria-label={word}>
                {sign}
              </span>
              <WarningText warning={warning} links={links} />
            </li>
          )),
        )}
      </ul>
    </details>
  )
}

const linkedUtterances = 10

interface WarningTextProps {
  readonly warning: Warning
  /** Links by any code, because a document of another version may have findings that this one lacks. */
  readonly links: Readonly<Record<string, FindingLink | undefined>>
}

function WarningText({ warning, links }: WarningTextProps): JSX.Element {
  const { code, message, advice, utteranceIds = [] } = warning
  const link = code === null ? undefined : links[code]
  return (
    <p>
      <bdi>{message.replace(/\.$/, '')}.</bdi>{' '}
      {advice === null ? null : <span class="advice">{adviceText(advice)}.</span>}{' '}
      {link === undefined ? null : <a href={`#${link.id}`}>{link.title}</a>}{' '}
      {utteranceIds.slice(0, linkedUtterances).map((id) => (
        <Fragment key={id}>
          <a href={utteranceAddress(id)}>
            <Name>{id}</Name>
          </a>{' '}
        </Fragment>
      ))}
      {code === null ? null : <code class="quiet">{code}</code>}
    </p>
  )
}

/** A prominent word next to the overline. */
export interface Chip {
  readonly tone: 'good' | 'caution' | 'bad'
  readonly text: string
}

/** The chip of findings that change what the figures mean; null if there are none. */
export function graveChip(findings: readonly Pick<Finding, 'severity'>[]): Chip | null {
  const has = (wanted: FindingSeverity): boolean => findings.some(({ severity }) => severity === wanted)
  if (has('invalid')) return { tone: 'bad', text: '✗ not valid' }
  return has('decisive') ? { tone: 'caution', text: '! decisive finding' } : null
}

interface HeadProps {
  /** The kind of document and its date. */
  readonly overline: ComponentChildren
  readonly chip?: Chip | null
  /** The answer: its first sentence is the headline. */
  readonly answer: string
  /** Why the answer is uncertain, in a sentence. */
  readonly warning?: string | null
  /** The data behind the answer, in a line. */
  readonly facts?: ComponentChildren
  readonly warnings?: readonly Warning[]
  readonly links?: FindingLinks
  /** The big figures and the first table. */
  readonly children?: ComponentChildren
}

/** The head of every document: the answer, the figures, the first table, and one box of findings. */
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

/** Splits an answer into its first sentence, for the headline, and the rest, which is smaller. */
function firstSentence(answer: string): readonly [headline: string, rest: string] {
  const end = answer.indexOf('. ')
  return end < 0 ? [answer, ''] : [answer.slice(0, end + 1), answer.slice(end + 2)]
}
