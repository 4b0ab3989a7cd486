import type { CapacityFinding, ContenderCapacity } from '#capacity'
import { layTable, type TableColumn } from '../table.ts'
import { foreign, inSigns, labelled, paint, paragraph, type Terminal } from '../terminal.ts'
import {
  costColumns,
  costRows,
  levelColumns,
  offerColumns,
  offerRows,
  reproductionColumns,
  sweepColumns,
  whatIfColumns,
} from './capacity-columns.ts'
import {
  answerSentences,
  coldSentence,
  conditionsLine,
  fleetSentence,
  interferenceSentence,
  lateSentence,
  overloadSentence,
  scalingSentence,
  textsSentence,
} from './capacity-words.ts'

/** A capacity on a screen: the answer in sentences, then the loads, then what else was found. */
export function renderCapacity(
  finding: CapacityFinding,
  { terminal, folder }: { readonly terminal: Terminal; readonly folder: string | null },
): string {
  const late = lateSentence(finding)
  const blocks: readonly (readonly string[])[] = [
    remarkLines(finding, 'invalid', terminal),
    ...finding.contenders.map((contender) => answerLines(contender, terminal)),
    sentences([fleetSentence(finding)], terminal),
    [paragraph(foreign(conditionsLine(finding)), '  ', terminal)],
    ...finding.contenders.flatMap((contender) => contenderBlocks(contender, finding, terminal)),
    table(offerColumns, offerRows(finding), terminal),
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

function answerLines(contender: ContenderCapacity, terminal: Terminal): readonly string[] {
  return answerSentences(contender).map((sentence, index) =>
    paint(paragraph(foreign(sentence), '  ', terminal), index === 0 ? 'strong' : null, terminal),
  )
}

function sentences(texts: readonly (string | null)[], terminal: Terminal): readonly string[] {
  return texts.flatMap((text) => (text === null ? [] : [paragraph(foreign(text), '  ', terminal)]))
}

function table<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  terminal: Terminal,
): readonly string[] {
  return rows.length === 0 ? [] : layTable(columns, rows, '  ', terminal).lines
}

function contenderBlocks(
  contender: ContenderCapacity,
  { contenders }: CapacityFinding,
  terminal: Terminal,
): readonly (readonly string[])[] {
  const { simulation, costs } = contender
  return [
    contenders.length > 1 ? [paint(`  ${foreign(contender.id)}`, 'strong', terminal)] : [],
    [...table(levelColumns, contender.levels, terminal), ...sentences([textsSentence(contender)], terminal)],
    [
      ...table(sweepColumns, contender.sweep.levels, terminal),
      ...sentences([scalingSentence(contender.sweep)], terminal),
    ],
    sentences([...contender.overloads.map(overloadSentence), interferenceSentence(contender)], terminal),
    [coldSentence(contender)].flatMap((text) => (text === null ? [] : [labelled('cold', text, 4, terminal)])),
    simulation === null
      ? []
      : [
          ...table(reproductionColumns, simulation.reproductions, terminal),
          ...(simulation.silentBecause === null
            ? table(whatIfColumns, simulation.whatIfs, terminal)
            : sentences([`The simulation is not asked: ${simulation.silentBecause}.`], terminal)),
        ],
    costs === null ? [] : table(costColumns, costRows(contender, costs), terminal),
  ]
}

function remarkLines(
  { remarks }: CapacityFinding,
  severity: CapacityFinding['remarks'][number]['severity'],
  terminal: Terminal,
): readonly string[] {
  const [sign, tone] = ({ invalid: ['✗', 'bad'], warning: ['~', 'caution'], note: ['·', 'faint'] } as const)[
    severity
  ]
  return remarks
    .filter((remark) => remark.severity === severity)
    .map(({ message }) => {
      const body = paragraph(foreign(message), '    ', terminal).slice(4)
      return `  ${paint(inSigns(sign, terminal), tone, terminal)} ${body}`
    })
}
