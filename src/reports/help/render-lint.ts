import { shownColumns } from '../layout/column.ts'
import { longTextColumn, textColumn } from '../layout/column-kinds.ts'
import { layTable } from '../layout/table.ts'
import { foreign, paragraph, type Terminal } from '../layout/terminal.ts'
import { counted } from '../layout/units.ts'

interface LintRow {
  readonly check: string
  readonly utteranceId: string | null
  readonly what: string
  readonly suggestion: string
  /** Path of the recording, as it would be typed; null where it is about the corpus. */
  readonly audio: string | null
}

export interface LintText {
  readonly name: string
  readonly utteranceCount: number
  readonly findings: readonly LintRow[]
}

/** Findings in the order of the checks, each with what to do and the recording. */
export function renderLint({ name, utteranceCount, findings }: LintText, terminal: Terminal): string {
  if (findings.length === 0) {
    return `  ${foreign(name)}: ${counted(utteranceCount, 'utterance')}, nothing found`
  }
  const concerned = new Set(findings.flatMap(({ utteranceId }) => utteranceId ?? [])).size
  return [
    `  ${foreign(name)}: ${counted(findings.length, 'finding')}, about ${concerned} of ${counted(utteranceCount, 'utterance')}`,
    '',
    ...layTable(columns, findings, '  ', terminal).lines,
    '',
    ...[...Map.groupBy(findings, ({ check }) => check)].map(([check, [first]]) =>
      paragraph(`${check}: ${first?.suggestion ?? ''}.`, '  ', terminal),
    ),
  ].join('\n')
}

const columns = shownColumns<LintRow>([
  textColumn('check', { header: 'check' }, ({ check }) => check),
  longTextColumn('utterance', { header: 'utterance' }, ({ utteranceId }) => utteranceId),
  textColumn('what', { header: 'what' }, ({ what }) => foreign(what)),
  textColumn('audio', { header: 'listen', dropOrder: 1 }, ({ audio }) => audio),
])
