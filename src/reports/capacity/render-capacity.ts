import type { CapacityFinding, ContenderCapacity, FoundFleet, FoundWhatIf } from '#capacity'
import { findingSigns } from '../layout/findings.ts'
import { layTable, type ShownColumn } from '../layout/table.ts'
import { markdownTable, markdownText, renderCsv } from '../layout/table-files.ts'
import { foreign, inSigns, labelled, paint, paragraph, type Terminal } from '../layout/terminal.ts'
import { answerSentences, fleetSentence } from './capacity-answer.ts'
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
  whatIfSentence,
  yearlySentence,
} from './capacity-words.ts'

/** A capacity on a screen: the answer in sentences, then the loads, then what else was found. */
export function renderCapacity(
  finding: CapacityFinding,
  { terminal, folder }: { readonly terminal: Terminal; readonly folder: string | null },
): string {
  const late = lateSentence(finding)
  const blocks: readonly (readonly string[])[] = [
    remarkLines(finding, 'invalid', terminal),
    remarkLines(finding, 'decisive', terminal),
    ...finding.contenders.map((contender) => answerLines(contender, terminal)),
    [paragraph(foreign(conditionsLine(finding)), '  ', terminal)],
    ...finding.contenders.flatMap((contender) => contenderBlocks(contender, finding, terminal)),
    table(offerColumns(finding), offerRows(finding), terminal),
    [...remarkLines(finding, 'warning', terminal), ...remarkLines(finding, 'note', terminal)],
    [
      ...(late === null ? [] : [labelled('generator', late, 9, terminal)]),
      ...(folder === null ? [] : [labelled('folder', foreign(folder), 9, terminal)]),
    ],
  ]
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')
}

/** A question to a stored capacity, and its answer. */
export interface AnsweredWhatIf {
  readonly contenderId: string
  /** Null where there is no simulation that may be asked. */
  readonly whatIf: FoundWhatIf | null
  readonly silentBecause: string | null
  readonly fleet: FoundFleet | null
}

/** What a stored capacity says of a use that was not measured: sentences, and what to type to measure it. */
export function renderWhatIf(
  answers: readonly AnsweredWhatIf[],
  { terminal, finding }: { readonly terminal: Terminal; readonly finding: Pick<CapacityFinding, 'id'> },
): string {
  return [
    ...answers.map(({ contenderId, whatIf, silentBecause, fleet }) =>
      [
        paragraph(
          foreign(
            whatIf === null
              ? `${contenderId}: the simulation is not used: ${silentBecause ?? 'there is none'}.`
              : whatIfSentence(contenderId, whatIf),
          ),
          '  ',
          terminal,
        ),
        ...sentences([fleetSentence(fleet)], terminal),
        ...(whatIf === null || whatIf.check === null
          ? []
          : [labelled('check', foreign(whatIf.check), 5, terminal)]),
      ].join('\n'),
    ),
    paragraph(foreign(`From ${finding.id}: nothing was measured now.`), '  ', terminal),
  ].join('\n\n')
}

function answerLines(contender: ContenderCapacity, terminal: Terminal): readonly string[] {
  return answerSentences(contender).map((sentence, index) =>
    paint(paragraph(foreign(sentence), '  ', terminal), index === 0 ? 'strong' : null, terminal),
  )
}

function sentences(texts: readonly (string | null)[], terminal: Terminal): readonly string[] {
  return texts.flatMap((text) => (text === null ? [] : [paragraph(foreign(text), '  ', terminal)]))
}

function table<Row>(
  columns: readonly ShownColumn<Row>[],
  rows: readonly Row[],
  terminal: Terminal,
): readonly string[] {
  return rows.length === 0 ? [] : layTable(columns, rows, '  ', terminal).lines
}

function contenderBlocks(
  contender: ContenderCapacity,
  finding: CapacityFinding,
  terminal: Terminal,
): readonly (readonly string[])[] {
  const { simulation, costs, fleet } = contender
  return [
    finding.contenders.length > 1 ? [paint(`  ${foreign(contender.id)}`, 'strong', terminal)] : [],
    [
      ...table(levelColumns, levelRows(finding, contender), terminal),
      ...sentences([textsSentence(contender)], terminal),
    ],
    [
      ...table(sweepColumns(contender.sweep), contender.sweep.levels, terminal),
      ...sentences([scalingSentence(contender.sweep)], terminal),
    ],
    sentences([...contender.overloads.map(overloadSentence), interferenceSentence(contender)], terminal),
    [coldSentence(contender)].flatMap((text) => (text === null ? [] : [labelled('cold', text, 4, terminal)])),
    simulation === null
      ? []
      : [
          ...table(reproductionColumns, simulation.reproductions, terminal),
          ...table(whatIfColumns, simulation.whatIfs, terminal),
          ...sentences(simulationSentences(simulation), terminal),
        ],
    [...table(yearlyColumns, yearlyRows(fleet), terminal), ...sentences([yearlySentence(fleet)], terminal)],
    costs === null ? [] : table(costColumns, costRows(contender, costs), terminal),
  ]
}

function remarkLines(
  { remarks }: CapacityFinding,
  severity: CapacityFinding['remarks'][number]['severity'],
  terminal: Terminal,
): readonly string[] {
  const { sign, tone } = findingSigns[severity]
  return remarks
    .filter((remark) => remark.severity === severity)
    .map(({ message }) => {
      const body = paragraph(foreign(message), '    ', terminal).slice(4)
      return `  ${paint(inSigns(sign, terminal), tone, terminal)} ${body}`
    })
}

/** One row for each load that was measured. */
export function capacityCsv(finding: CapacityFinding): string {
  return renderCsv(
    levelFileColumns,
    finding.contenders.flatMap((contender) => levelRows(finding, contender)),
  )
}

/** The decisive ones, or all others; null where there is none. */
function remarkItems({ remarks }: CapacityFinding, isDecisive: boolean): string | null {
  const lines = remarks
    .filter(({ severity }) => (severity === 'decisive') === isDecisive)
    .map(({ severity, message }) => `- ${severity}: ${markdownText(message)}`)
  return lines.length === 0 ? null : lines.join('\n')
}

/** The whole finding for a page or a pull request, the answer first. */
export function capacityMarkdown(finding: CapacityFinding): string {
  const parts: readonly (string | null)[] = [
    '# Capacity',
    remarkItems(finding, true),
    ...finding.contenders.flatMap((contender) =>
      answerSentences(contender).map((sentence, index) =>
        index === 0 ? `**${markdownText(sentence)}**` : markdownText(sentence),
      ),
    ),
    markdownText(conditionsLine(finding)),
    ...finding.contenders.flatMap((contender) => contenderParts(contender, finding)),
    ...offerParts(finding),
    remarkItems(finding, false) === null ? null : '## Remarks',
    remarkItems(finding, false),
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
