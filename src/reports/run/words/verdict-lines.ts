import type { ContenderEvaluation, Evaluation, FindingSeverity } from '#analysis'
import { sumOf } from '#prelude'
import { labelled, paint, type Terminal } from '../../layout/terminal.ts'
import { counted, formatCount } from '../../layout/units.ts'
import { instrumentLine } from './instrument-line.ts'

/** Whether the figures may be quoted. */
export function verdictLine(evaluation: Evaluation, terminal: Terminal): string {
  const { validity, missing } = evaluation
  const short = [...new Set(missing.map(({ metric }) => metric))].map((metric) => {
    const more = Math.max(...missing.filter((one) => one.metric === metric).map((one) => one.moreRequests))
    return `${metric === 'rtfx' ? 'speed' : metric} needs ${counted(more, 'more answered request')}${evaluation.contenders.length > 1 ? ' of each contender' : ''}`
  })
  const countOf = (severity: FindingSeverity): number =>
    evaluation.findings.filter((finding) => finding.severity === severity).length
  const [decisiveCount, warningCount] = [countOf('decisive'), countOf('warning')]
  const words = [
    validity.toUpperCase(),
    ...(validity === 'short' ? short : []),
    ...(decisiveCount === 0 ? [] : [counted(decisiveCount, 'decisive finding')]),
    ...(warningCount === 0 ? [] : [counted(warningCount, 'warning')]),
  ]
  return labelled('verdict', words.join(' · '), 13, terminal)
}

/** How exact the instrument was. */
export function instrumentLines(evaluation: Evaluation, terminal: Terminal): readonly string[] {
  const instrument = instrumentLine(evaluation)
  return instrument === null ? [] : [labelled('instrument', instrument, 13, terminal)]
}

/** That a run is not complete. */
export function partialNotice({ run, contenders }: Evaluation, terminal: Terminal): readonly string[] {
  if (run.status === 'finished') return []
  const sum = (count: (counts: ContenderEvaluation['counts']) => number): string =>
    formatCount(sumOf(contenders, ({ counts }) => count(counts)))
  const done = sum(({ answered, failed }) => answered + failed)
  const partial = `partial result: ${done} of ${sum(({ planned }) => planned)} requests were carried out`
  return [paint(`  ${partial}`, 'caution', terminal)]
}
