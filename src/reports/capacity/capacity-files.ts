import type { CapacityFinding, ContenderCapacity, FoundLevel } from '#capacity'
import { type FileColumn, renderCsv } from '../layout/csv.ts'
import { markdownTable, markdownText } from '../layout/markdown.ts'
import { answerSentences, fleetSentence } from './capacity-answer.ts'
import {
  costColumns,
  costRows,
  levelColumns,
  offerColumns,
  offerRows,
  reproductionColumns,
  sweepColumns,
  whatIfColumns,
  yearlyColumns,
  yearlyRows,
} from './capacity-columns.ts'
import {
  coldSentence,
  conditionsLine,
  interferenceSentence,
  lateSentence,
  overloadSentence,
  scalingSentence,
  simulationSentences,
  textsSentence,
  yearlySentence,
} from './capacity-words.ts'

interface LevelRow {
  readonly finding: CapacityFinding
  readonly contender: ContenderCapacity
  readonly level: FoundLevel
}

const levelFileColumns: readonly FileColumn<LevelRow>[] = [
  { header: 'run', value: ({ finding }) => finding.id },
  { header: 'contender', value: ({ contender }) => contender.id },
  { header: 'offered_requests_per_second', value: ({ level }) => level.requestsPerSecond },
  { header: 'offered_audio_seconds_per_second', value: ({ level }) => level.audioSecondsPerSecond },
  { header: 'concurrent_users', value: ({ level }) => level.concurrentUsers },
  { header: 'achieved_requests_per_second', value: ({ level }) => level.achievedPerSecond },
  { header: 'measured_seconds', value: ({ level }) => level.measuredSeconds },
  { header: 'requests', value: ({ level }) => level.requests },
  { header: 'failure_rate', value: ({ level }) => level.failureRate },
  { header: 'response_p50_ms', value: ({ level }) => level.p50Ms },
  { header: 'response_p95_ms', value: ({ level }) => level.p95Ms },
  { header: 'response_p99_ms', value: ({ level }) => level.p99Ms },
  { header: 'mean_in_system', value: ({ level }) => level.meanInSystem },
  { header: 'backlog_growth_per_request', value: ({ level }) => level.backlogGrowth },
  { header: 'stability', value: ({ level }) => level.stability },
  { header: 'verdict', value: ({ level }) => level.verdict },
  {
    header: 'violated_objectives',
    value: ({ level }) =>
      level.objectives
        .filter(({ verdict }) => verdict === 'violated')
        .map(({ objective }) => objective)
        .join('; ') || null,
  },
  { header: 'differing_texts', value: ({ level }) => level.differingTexts },
  { header: 'compared_texts', value: ({ level }) => level.comparedTexts },
  {
    header: 'capacity_requests_per_second',
    value: ({ contender }) => contender.capacity?.estimate.requestsPerSecond ?? null,
  },
  { header: 'capacity_basis', value: ({ contender }) => contender.capacity?.basis ?? null },
  { header: 'capacity_low', value: ({ contender }) => contender.capacity?.low?.requestsPerSecond ?? null },
  { header: 'capacity_high', value: ({ contender }) => contender.capacity?.high?.requestsPerSecond ?? null },
]

/** One row for each load that was measured. */
export function capacityCsv(finding: CapacityFinding): string {
  const rows = finding.contenders.flatMap((contender) =>
    contender.levels.map((level) => ({ finding, contender, level })),
  )
  return renderCsv(levelFileColumns, rows)
}

/** The whole finding for a page or a pull request, the answer first. */
export function capacityMarkdown(finding: CapacityFinding): string {
  const parts: readonly (string | null)[] = [
    '# Capacity',
    ...finding.contenders.flatMap((contender) =>
      answerSentences(contender).map((sentence, index) =>
        index === 0 ? `**${markdownText(sentence)}**` : markdownText(sentence),
      ),
    ),
    ...finding.contenders.map(({ fleet }) => maybe(fleetSentence(fleet))),
    markdownText(conditionsLine(finding)),
    ...finding.contenders.flatMap(contenderParts),
    ...offerParts(finding),
    finding.remarks.length === 0 ? null : '## Remarks',
    finding.remarks.map(({ severity, message }) => `- ${severity}: ${markdownText(message)}`).join('\n'),
    maybe(lateSentence(finding)),
    `Run ${markdownText(finding.id)}, transcribench ${finding.programVersion}, ${markdownText(finding.host.cpuModel)} with ${finding.host.cpuCount} processors.`,
  ]
  return parts.filter((part) => part !== null && part !== '').join('\n\n')
}

function offerParts(finding: CapacityFinding): readonly (string | null)[] {
  const rows = offerRows(finding)
  return rows.length === 0
    ? []
    : ['## Accuracy, latency and cost', markdownTable(offerColumns(finding), rows)]
}

function contenderParts(contender: ContenderCapacity): readonly (string | null)[] {
  const { simulation, costs, fleet } = contender
  return [
    `## ${markdownText(contender.id)}`,
    markdownTable(levelColumns, contender.levels),
    markdownText(textsSentence(contender)),
    '### In flight',
    markdownTable(sweepColumns(contender.sweep), contender.sweep.levels),
    markdownText(scalingSentence(contender.sweep)),
    ...(contender.overloads.length === 0 ? [] : ['### Overload']),
    ...contender.overloads.map((overload) => markdownText(overloadSentence(overload))),
    maybe(interferenceSentence(contender)),
    maybe(coldSentence(contender)),
    ...(simulation === null
      ? []
      : ['### What if', markdownTable(reproductionColumns, simulation.reproductions)]),
    simulation === null ? null : markdownTable(whatIfColumns, simulation.whatIfs),
    simulation === null
      ? null
      : [
          ...simulationSentences(simulation).map((sentence) => `- ${markdownText(sentence)}`),
          ...simulation.whatIfs.flatMap(({ question, check }) =>
            check === null ? [] : [`- ${markdownText(question)}, measured: \`${check.replaceAll('`', '')}\``],
          ),
        ].join('\n'),
    ...(yearlyRows(fleet).length === 0
      ? []
      : ['### A year', markdownTable(yearlyColumns, yearlyRows(fleet))]),
    maybe(yearlySentence(fleet)),
    ...(costs === null ? [] : ['### Cost', markdownTable(costColumns, costRows(contender, costs))]),
    costs === null
      ? null
      : costRows(contender, costs)
          .map(({ name, source }) => `- ${markdownText(name)}: ${markdownText(source)}`)
          .join('\n'),
  ]
}

function maybe(text: string | null): string | null {
  return text === null ? null : markdownText(text)
}
