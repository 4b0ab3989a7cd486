import type { CapacityFinding, ContenderCapacity } from '#capacity'
import { renderCsv } from '../layout/csv.ts'
import { markdownTable, markdownText } from '../layout/markdown.ts'
import { answerSentences } from './capacity-answer.ts'
import {
  costColumns,
  costRows,
  levelColumns,
  levelFileColumns,
  levelRows,
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

/** One row for each load that was measured. */
export function capacityCsv(finding: CapacityFinding): string {
  return renderCsv(
    levelFileColumns,
    finding.contenders.flatMap((contender) => levelRows(finding, contender)),
  )
}

/** The decisive ones, or all others; null where there is none. */
function remarkLines({ remarks }: CapacityFinding, isDecisive: boolean): string | null {
  const lines = remarks
    .filter(({ severity }) => (severity === 'decisive') === isDecisive)
    .map(({ severity, message }) => `- ${severity}: ${markdownText(message)}`)
  return lines.length === 0 ? null : lines.join('\n')
}

/** The whole finding for a page or a pull request, the answer first. */
export function capacityMarkdown(finding: CapacityFinding): string {
  const parts: readonly (string | null)[] = [
    '# Capacity',
    remarkLines(finding, true),
    ...finding.contenders.flatMap((contender) =>
      answerSentences(contender).map((sentence, index) =>
        index === 0 ? `**${markdownText(sentence)}**` : markdownText(sentence),
      ),
    ),
    markdownText(conditionsLine(finding)),
    ...finding.contenders.flatMap((contender) => contenderParts(contender, finding)),
    ...offerParts(finding),
    remarkLines(finding, false) === null ? null : '## Remarks',
    remarkLines(finding, false),
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

function contenderParts(contender: ContenderCapacity, finding: CapacityFinding): readonly (string | null)[] {
  const { simulation, costs, fleet } = contender
  return [
    `## ${markdownText(contender.id)}`,
    markdownTable(levelColumns, levelRows(finding, contender)),
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
