import type { JSX } from 'preact'
import type { Finding, FindingCode, FindingSeverity } from '#analysis'
import { counted } from '#reports/page'
import { Name } from './layout.tsx'
import { utteranceAddress } from './location.ts'

/** A finding of a run, or a remark of another document, which has no code to look up. */
export type Warning = Omit<Finding, 'code'> & { readonly code: string | null }

/** Where a page shows more of what findings are about, by their codes. */
export type FindingLinks = Readonly<Partial<Record<FindingCode, FindingLink>>>

interface FindingLink {
  readonly id: string
  readonly title: string
}

export interface WarningsProps {
  readonly warnings: readonly Warning[]
  readonly links: FindingLinks
}

/** By weight. */
const severities: readonly {
  readonly severity: FindingSeverity
  readonly sign: string
  readonly word: string
  readonly noun: string
}[] = [
  { severity: 'invalid', sign: '✗', word: 'Not valid', noun: 'reason why this is not valid' },
  {
    severity: 'decisive',
    sign: '!',
    word: 'Decisive',
    noun: 'decisive finding',
  },
  { severity: 'warning', sign: '~', word: 'Warning', noun: 'warning' },
  { severity: 'note', sign: '·', word: 'Note', noun: 'note' },
]

/** What could make one distrust the figures, in one box by weight: folded where there are only warnings and notes. */
export function Warnings({ warnings, links }: WarningsProps): JSX.Element | null {
  if (warnings.length === 0) return null
  const groups = severities
    .map((kind) => ({ ...kind, own: warnings.filter(({ severity }) => severity === kind.severity) }))
    .filter(({ own }) => own.length > 0)
  return (
    <details class="warnings" open={groups[0]?.severity === 'invalid' || groups[0]?.severity === 'decisive'}>
      <summary>
        {groups.map(({ severity, sign, noun, own }) => (
          <span class={`count-of ${severity}`} key={severity}>
            <span aria-hidden="true">{sign}</span> {counted(own.length, noun)}
          </span>
        ))}
      </summary>
      <ul class="warning-list">
        {groups.flatMap(({ severity, sign, word, own }) =>
          own.map((warning) => (
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
  /** By any code: a document of another version may have findings that this one does not. */
  readonly links: Readonly<Record<string, FindingLink | undefined>>
}

function WarningText({ warning, links }: WarningTextProps): JSX.Element {
  const { code, message, advice, utteranceIds = [] } = warning
  const link = code === null ? undefined : links[code]
  return (
    <p>
      <bdi>{message}.</bdi> {advice === null ? null : <span class="advice">{asAdvice(advice)}.</span>}{' '}
      {link === undefined ? null : <a href={`#${link.id}`}>{link.title}</a>}{' '}
      {utteranceIds.slice(0, linkedUtterances).map((id) => (
        <a href={utteranceAddress(id)} key={id}>
          <Name>{id}</Name>{' '}
        </a>
      ))}
      {code === null ? null : <code class="quiet">{code}</code>}
    </p>
  )
}

/** A command keeps its spelling; a sentence gets its capital. */
function asAdvice(advice: string): string {
  if (advice.startsWith('transcribench ')) return `Try: ${advice}`
  return advice.charAt(0).toUpperCase() + advice.slice(1)
}
