import type { Evaluation } from '#analysis/documents/evaluation'
import type { DetailTable } from './detail-table.ts'
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

type Maker = (evaluation: Evaluation) => DetailTable | null

/** The tables that say how contenders err, in the order of reading. */
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
} satisfies Readonly<Record<string, Maker>>

/** Each table can be asked for by its name. */
export type DetailName = keyof typeof makers

export const detailNames: readonly DetailName[] = Object.keys(makers) as DetailName[]

/** Tables by their names, in the order of reading; empty ones are omitted. */
export function detailTables(evaluation: Evaluation, names: readonly DetailName[]): readonly DetailTable[] {
  return detailNames.flatMap((name) => {
    const table = names.includes(name) ? makers[name](evaluation) : null
    return table === null ? [] : [table]
  })
}
