import { type ComparisonPage, comparisonPage } from '../comparison/comparison-page.ts'
import type { ComparisonAnswer } from '../comparison/comparison-sentence.ts'
import { pageFormatVersion } from '../layout/page-version.ts'
import {
  driftText,
  type ExperimentText,
  endingText,
  experimentAnswers,
  experimentCommands,
  experimentState,
} from './render-experiment.ts'

/** The page of an experiment: its answers, and every comparison in full. */
export interface ExperimentPage {
  readonly kind: 'experiment'
  readonly formatVersion: number
  readonly title: string
  /** A sentence for every further side against the first. */
  readonly answers: readonly string[]
  /** Why it ended. */
  readonly ending: string
  readonly state: ComparisonAnswer['state']
  readonly drift: string | null
  readonly sides: readonly { readonly name: string; readonly runIds: readonly string[] }[]
  /** In the order of the sides behind the first. */
  readonly comparisons: readonly ComparisonPage[]
  /** What to type to see each comparison again. */
  readonly again: readonly string[]
}

interface ExperimentPageOptions {
  /** Whether references and hypotheses are included; default true. */
  readonly hasTexts?: boolean
}

/** Everything that the page of an experiment shows. */
export function experimentPage(
  experiment: ExperimentText,
  options: ExperimentPageOptions = {},
): ExperimentPage {
  const { sides, comparisons, drift } = experiment
  return {
    kind: 'experiment',
    formatVersion: pageFormatVersion,
    title: `Experiment: ${sides.map(({ name }) => name).join(' against ')}`,
    answers: experimentAnswers(experiment),
    ending: endingText(experiment),
    state: experimentState(experiment),
    drift: drift === null ? null : driftText(drift),
    sides: sides.map(({ name, folders }) => ({
      name,
      runIds: folders.map((folder) => folder.replace(/^.*[\\/]/, '')),
    })),
    comparisons: comparisons.map(({ thresholds, ...comparison }) =>
      comparisonPage(comparison, { ...options, thresholds }),
    ),
    again: experimentCommands(experiment),
  }
}
