import type { Finding } from '#analysis'
import { foreign, inSigns, paint, paragraph, type Terminal, type Tone } from '../../layout/terminal.ts'

export const findingSigns: Readonly<
  Record<Finding['severity'], { readonly sign: string; readonly tone: Tone }>
> = {
  invalid: { sign: '✗', tone: 'bad' },
  decisive: { sign: '!', tone: 'bad' },
  warning: { sign: '~', tone: 'caution' },
  note: { sign: '·', tone: 'faint' },
}

/** What changes the meaning of the figures is shown next to the answer, and never folded. */
export function isDecisive({ severity }: Pick<Finding, 'severity'>): boolean {
  return severity === 'decisive'
}

/** Findings as lines, each with its sign and, where something can be done, what to do. */
export function renderFindings(findings: readonly Finding[], terminal: Terminal): readonly string[] {
  return findings.map((finding) => {
    const { sign, tone } = findingSigns[finding.severity]
    const body = paragraph(foreign(findingText(finding)), '    ', terminal).slice(4)
    return `  ${paint(inSigns(sign, terminal), tone, terminal)} ${body}`
  })
}

/** What was found and, where something can be done, what to do. */
export function findingText({ message, advice }: Pick<Finding, 'message' | 'advice'>): string {
  return advice === null ? message : `${message}. ${capital(advice)}`
}

/** A command keeps its spelling; a sentence gets its capital. */
function capital(advice: string): string {
  if (advice.startsWith('transcribench ')) return `Try: ${advice}`
  return advice.charAt(0).toUpperCase() + advice.slice(1)
}
