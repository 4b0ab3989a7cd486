import type { Evaluation } from '#analysis/documents/evaluation'
import { shellWord } from '#prelude'
import { layWords } from '../../layout/table.ts'
import { markdownText, markdownWords } from '../../layout/table-files.ts'
import { paint, sentence, type Terminal } from '../../layout/terminal.ts'
import { counted } from '../../layout/units.ts'
import type { Details } from './detail-table.ts'
import {
  confusionDetails,
  entityDetails,
  groupDetails,
  keywordDetails,
  languageDetails,
  rateDetails,
} from './error-details.ts'
import { hostDetails, loadDetails, targetDetails } from './load-details.ts'
import { energyDetails, gpuDetails, instrumentDetails } from './machine-details.ts'
import { coldDetails, lengthDetails, phaseDetails, predictionDetails, timeDetails } from './speed-details.ts'
import {
  exampleDetails,
  ladderDetails,
  markDetails,
  nameDetails,
  numberDetails,
  pathologyDetails,
  referenceDetails,
  repeatDetails,
  silenceDetails,
} from './text-details.ts'
import { limitDetails, matrixDetails, robustnessDetails } from './varied-details.ts'

const makers = {
  'by-model': (evaluation: Evaluation) => matrixDetails(evaluation, 'model'),
  'by-threads': (evaluation: Evaluation) => matrixDetails(evaluation, 'threads'),
  'by-concurrency': (evaluation: Evaluation) => matrixDetails(evaluation, 'concurrency'),
  'by-options': (evaluation: Evaluation) => matrixDetails(evaluation, 'options'),
  'by-transport': (evaluation: Evaluation) => matrixDetails(evaluation, 'transport'),
  load: loadDetails,
  hosts: hostDetails,
  targets: targetDetails,
  rates: rateDetails,
  confusions: confusionDetails,
  robustness: robustnessDetails,
  limits: limitDetails,
  languages: languageDetails,
  groups: groupDetails,
  keywords: keywordDetails,
  entities: entityDetails,
  times: timeDetails,
  pathologies: pathologyDetails,
  examples: exampleDetails,
  ladder: ladderDetails,
  numbers: numberDetails,
  names: nameDetails,
  punctuation: markDetails,
  repeats: repeatDetails,
  silence: silenceDetails,
  references: referenceDetails,
  lengths: lengthDetails,
  predictions: predictionDetails,
  phases: phaseDetails,
  cold: coldDetails,
  gpus: gpuDetails,
  energy: energyDetails,
  instrument: instrumentDetails,
} satisfies Readonly<Record<string, (evaluation: Evaluation) => Details | null>>

/** Each table can be asked for by its name. */
export type DetailName = keyof typeof makers

export const detailNames: readonly DetailName[] = Object.keys(makers) as DetailName[]

export interface DetailTable extends Details {
  toTerminal(terminal: Terminal): string
  toMarkdown(): string
}

/**
 * @param report the command that reports this score; default: that of the run in the default results folder
 * @returns null if the table would be empty
 */
export function detailTable(
  evaluation: Evaluation,
  name: DetailName,
  report = `transcribench report ${shellWord(evaluation.run.id)}`,
): DetailTable | null {
  const details = makers[name](evaluation)
  if (details === null) return null
  const { title, notes, table, cutCount } = details
  const command = `${report} --format csv --table ${name}`
  return {
    ...details,
    toTerminal(terminal) {
      const more = sentence(`${counted(cutCount, 'more row')}: ${command}`, terminal)
      return [
        sentence(title, terminal, 'strong'),
        ...notes.map((note) => sentence(note, terminal)),
        ...(table.rows.length === 0 ? [] : layWords(table, terminal).lines),
        ...(cutCount === 0 ? [] : [paint(more, 'faint', terminal)]),
      ].join('\n')
    },
    toMarkdown: () => [...notes.map((note) => `${markdownText(note)}\n`), markdownWords(table)].join('\n'),
  }
}

/** Tables by their names, in reading order; empty ones are omitted. */
export function detailTables(
  evaluation: Evaluation,
  names: readonly DetailName[],
  report?: string,
): readonly DetailTable[] {
  return detailNames
    .filter((name) => names.includes(name))
    .flatMap((name) => detailTable(evaluation, name, report) ?? [])
}
