import type { ThresholdResult } from '#analysis/documents/comparison'
import type { Finding } from '#analysis/documents/finding'
import { findMetric } from '#analysis/metrics/metrics'
import {
  foreign,
  inSigns,
  measureWidth,
  pad,
  paint,
  paragraph,
  type Terminal,
  type Tone,
} from './terminal.ts'
import { absent, adviceText, counted, formatCount, formatMeasured } from './units.ts'

export const findingSigns: Readonly<
  Record<Finding['severity'], { readonly sign: string; readonly tone: Tone }>
> = {
  invalid: { sign: '✗', tone: 'bad' },
  decisive: { sign: '!', tone: 'bad' },
  warning: { sign: '~', tone: 'caution' },
  note: { sign: '·', tone: 'faint' },
}

/** Whether a finding changes the meaning of the figures; then it is next to the answer and never folded. */
export function isDecisive({ severity }: Pick<Finding, 'severity'>): boolean {
  return severity === 'decisive'
}

export function renderFindings(
  findings: readonly Pick<Finding, 'severity' | 'message' | 'advice'>[],
  terminal: Terminal,
): readonly string[] {
  return findings.map((finding) => {
    const { sign, tone } = findingSigns[finding.severity]
    const body = paragraph(foreign(findingText(finding)), '    ', terminal).slice(4)
    return `  ${paint(inSigns(sign, terminal), tone, terminal)} ${body}`
  })
}

export function findingText({ message, advice }: Pick<Finding, 'message' | 'advice'>): string {
  return advice === null ? message : `${message}. ${adviceText(advice)}`
}

/**
 * Thresholds as lines: sign, limit, measured value, contender (if there are several), reason.
 *
 * @returns no lines without thresholds
 */
export function thresholdLines(results: readonly ThresholdResult[], terminal: Terminal): readonly string[] {
  const hasSeveral = new Set(results.map(({ contenderId }) => contenderId)).size > 1
  const rows = results.map((result) => ({
    result,
    limit: foreign(result.threshold),
    measured: formatThresholdMeasured(result),
  }))
  const limitWidth = Math.max(0, ...rows.map(({ limit }) => measureWidth(limit)))
  const measuredWidth = Math.max(0, ...rows.map(({ measured }) => measureWidth(inSigns(measured, terminal))))
  return rows.map(({ result, limit, measured }, index) => {
    const { sign, tone } = thresholdSigns[thresholdState(result)]
    const head = `  ${index === 0 ? 'thresholds' : '          '}  ${paint(inSigns(sign, terminal), tone, terminal)} `
    const of = hasSeveral ? thresholdSubject(result) : result.group
    const name = of === null ? '' : `  ${foreign(of)}`
    const value = pad(inSigns(measured, terminal), measuredWidth, 'right')
    const line = `${head}${pad(limit, limitWidth)}  ${value}${name}`
    const why = reasonText(result)
    if (why === '') return line
    const reason = inSigns(foreign(why), terminal)
    const isFitting = measureWidth(line) + 2 + measureWidth(reason) <= terminal.width
    return isFitting ? `${line}  ${reason}` : `${line}\n${paragraph(reason, reasonIndent, terminal)}`
  })
}

export function thresholdSubject({ contenderId, group }: ThresholdResult): string {
  return group === null ? contenderId : `${contenderId}, ${group}`
}

/** Why a threshold failed, is open or is invalid; empty if the numbers show it. */
export function reasonText({ outcome, reason }: ThresholdResult): string {
  return [...(outcome === 'invalid' ? ['invalid'] : []), ...(reason === null ? [] : [reason])].join(': ')
}

const reasonIndent = ' '.repeat('  thresholds  ✓ '.length)

/** `2 thresholds failed, 1 is invalid`; null if none failed. */
export function brokenThresholds(results: readonly ThresholdResult[]): string | null {
  const count = (wanted: ThresholdResult['outcome']): number =>
    results.filter(({ outcome }) => outcome === wanted).length
  const [failed, invalid] = [count('failed'), count('invalid')]
  const are = invalid === 1 ? 'is' : 'are'
  if (failed === 0) return invalid === 0 ? null : `${counted(invalid, 'threshold')} ${are} invalid`
  return `${counted(failed, 'threshold')} failed${invalid === 0 ? '' : `, ${formatCount(invalid)} ${are} invalid`}`
}

/** `2 thresholds are unresolved`; null if all are met or violated. */
export function openThresholds(results: readonly ThresholdResult[]): string | null {
  const open = results.filter(({ outcome, isResolved }) => outcome === 'passed' && !isResolved).length
  return open === 0 ? null : `${counted(open, 'threshold')} ${open === 1 ? 'is' : 'are'} unresolved`
}

/** `open` is a threshold that is met within the noise. */
export function thresholdState({
  outcome,
  isResolved,
}: ThresholdResult): 'met' | 'open' | 'failed' | 'invalid' {
  if (outcome !== 'passed') return outcome
  return isResolved ? 'met' : 'open'
}

/** A threshold's sign with its tone, and its state in words. */
export const thresholdSigns = {
  met: { sign: '✓', words: 'met', tone: 'good' },
  open: { sign: '?', words: 'met, within the noise', tone: 'caution' },
  failed: { sign: '✗', words: 'failed', tone: 'bad' },
  invalid: { sign: '✗', words: 'invalid', tone: 'bad' },
} as const

export function formatThresholdMeasured({ metric, measured }: ThresholdResult): string {
  const unit = findMetric(metric)?.unit
  return measured === null || unit === undefined ? absent : formatMeasured(measured, unit)
}
