import type { FindingSeverity } from '#analysis/documents/finding'
import type { CapacityFinding, WhatIfAnswer } from '#capacity/finding'
import { renderFindings } from '../layout/findings.ts'
import { layWords, type Table } from '../layout/table.ts'
import { markdownText, markdownWords, renderCsv } from '../layout/table-files.ts'
import { foreign, joinBlocks, labelled, paint, sentence, type Terminal } from '../layout/terminal.ts'
import { costRows, levelFileColumns, levelRows } from './capacity-columns.ts'
import { capacityPage, type PageCapacity } from './capacity-page.ts'
import { answerSentences, fleetSentence, remarkSentence, whatIfSentence } from './capacity-words.ts'

export function renderCapacity(
  finding: CapacityFinding,
  { terminal, folder }: { readonly terminal: Terminal; readonly folder: string | null },
): string {
  const { contenders, conditions, offers, late } = capacityPage(finding)
  return joinBlocks([
    remarkLines(finding, ['invalid'], terminal),
    remarkLines(finding, ['decisive'], terminal),
    ...finding.contenders.map((contender) =>
      answerSentences(contender, finding).map((answer, index) =>
        sentence(answer, terminal, index === 0 ? 'strong' : null),
      ),
    ),
    [sentence(conditions, terminal)],
    ...contenders.flatMap((shown) => contenderBlocks(shown, finding, terminal)),
    tableLines(offers, terminal),
    remarkLines(finding, ['warning', 'note'], terminal),
    [
      ...(late === null ? [] : [labelled('generator', late, 9, terminal)]),
      ...(folder === null ? [] : [labelled('folder', folder, 9, terminal)]),
    ],
  ])
}

export function renderWhatIf(
  answers: readonly WhatIfAnswer[],
  { terminal, finding }: { readonly terminal: Terminal; readonly finding: Pick<CapacityFinding, 'id'> },
): string {
  return [
    ...answers.map(({ contenderId, whatIf, silentBecause, fleet }) =>
      [
        sentence(
          whatIf === null
            ? `${contenderId}: the simulation is not used: ${silentBecause ?? 'there is none'}.`
            : whatIfSentence(contenderId, whatIf),
          terminal,
        ),
        ...sentences([fleetSentence(fleet)], terminal),
        ...(whatIf === null || whatIf.check === null ? [] : [labelled('check', whatIf.check, 5, terminal)]),
      ].join('\n'),
    ),
    sentence(`From ${finding.id}: nothing was measured now.`, terminal),
  ].join('\n\n')
}

function sentences(texts: readonly (string | null)[], terminal: Terminal): readonly string[] {
  return texts.flatMap((text) => (text === null ? [] : [sentence(text, terminal)]))
}

function tableLines(table: Table | null, terminal: Terminal): readonly string[] {
  return table === null || table.rows.length === 0 ? [] : layWords(table, terminal).lines
}

function contenderBlocks(
  shown: PageCapacity,
  finding: CapacityFinding,
  terminal: Terminal,
): readonly (readonly string[])[] {
  const said = (...texts: readonly (string | null)[]): readonly string[] => sentences(texts, terminal)
  const laid = (table: Table | null): readonly string[] => tableLines(table, terminal)
  return [
    finding.contenders.length > 1 ? [paint(`  ${foreign(shown.found.id)}`, 'strong', terminal)] : [],
    [...laid(shown.levels), ...said(shown.texts)],
    [...laid(shown.sweep), ...said(shown.scaling)],
    said(...shown.strains),
    shown.cold === null ? [] : [labelled('cold', shown.cold, 4, terminal)],
    [...laid(shown.reproductions), ...laid(shown.whatIfs), ...said(...shown.simulated)],
    [...laid(shown.yearly), ...said(shown.yearlyNote)],
    laid(shown.costs),
  ]
}

function remarkLines(
  { remarks }: CapacityFinding,
  severities: readonly FindingSeverity[],
  terminal: Terminal,
): readonly string[] {
  return severities.flatMap((wanted) =>
    renderFindings(
      remarks
        .filter(({ severity }) => severity === wanted)
        .map((remark) => ({ ...remark, message: remarkSentence(remark), advice: null })),
      terminal,
    ),
  )
}

export function capacityCsv(finding: CapacityFinding): string {
  return renderCsv(
    levelFileColumns,
    finding.contenders.flatMap((contender) => levelRows(finding, contender)),
  )
}

function remarkItems({ remarks }: CapacityFinding, severities: readonly FindingSeverity[]): string {
  return remarks
    .filter(({ severity }) => severities.includes(severity))
    .map(({ severity, message }) => `- ${severity}: ${markdownText(message)}`)
    .join('\n')
}

export function capacityMarkdown(finding: CapacityFinding): string {
  const { contenders, conditions, offers, late } = capacityPage(finding)
  const others = remarkItems(finding, ['warning', 'note'])
  const parts = [
    '# Capacity',
    remarkItems(finding, ['invalid', 'decisive']),
    ...finding.contenders.flatMap((contender) =>
      answerSentences(contender, finding).map((sentence, index) =>
        index === 0 ? `**${markdownText(sentence)}**` : markdownText(sentence),
      ),
    ),
    markdownText(conditions),
    ...contenders.flatMap(contenderParts),
    ...titled('## Accuracy, latency and cost', offers),
    ...(others === '' ? [] : ['## Remarks', others]),
    markdownText(late ?? ''),
    `Run ${markdownText(finding.id)}, transcribench ${finding.programVersion}, ${markdownText(finding.host.cpuModel)} with ${finding.host.cpuCount} processors.`,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function contenderParts(shown: PageCapacity): readonly string[] {
  const { found, strains, whatIfs, checks, costs } = shown
  return [
    `## ${markdownText(found.id)}`,
    markdownWords(shown.levels),
    markdownText(shown.texts),
    '### In flight',
    markdownWords(shown.sweep),
    markdownText(shown.scaling),
    ...(found.overloads.length === 0 ? [] : ['### Overload']),
    ...strains.map(markdownText),
    markdownText(shown.cold ?? ''),
    ...titled('### What if', shown.reproductions),
    whatIfs === null ? '' : markdownWords(whatIfs),
    [
      ...shown.simulated.map((sentence) => `- ${markdownText(sentence)}`),
      ...checks.map(
        ({ question, command }) =>
          `- ${markdownText(question)}, measured: \`${command.replaceAll('`', '')}\``,
      ),
    ].join('\n'),
    ...titled('### A year', shown.yearly),
    markdownText(shown.yearlyNote ?? ''),
    ...titled('### Cost', costs),
    (found.costs === null ? [] : costRows(found, found.costs))
      .map(({ name, source }) => `- ${markdownText(name)}: ${markdownText(source)}`)
      .join('\n'),
  ]
}

function titled(title: string, table: Table | null): readonly string[] {
  return table === null ? [] : [title, markdownWords(table)]
}
