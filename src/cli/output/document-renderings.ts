import { dirname } from 'node:path'
import {
  capacityCsv,
  capacityMarkdown,
  comparisonJunit,
  comparisonMarkdown,
  experimentJunit,
  experimentMarkdown,
  historyCsv,
  historyMarkdown,
  historyParquet,
  renderCapacity,
  renderComparison,
  renderExperiment,
  renderHistory,
} from '#reports'
import { documentHtml, type StoredDocument } from '#session/stored'
import type { CommandContext } from '../command-context.ts'
import { resultsFlag, shortened } from '../input/paths.ts'
import type { Format, Renderings } from './document-output.ts'

/** The formats that each kind of document has. */
export const documentFormats: Readonly<Record<StoredDocument['kind'], readonly Format[]>> = {
  comparison: ['text', 'json', 'md', 'junit', 'html'],
  experiment: ['text', 'json', 'md', 'junit', 'html'],
  history: ['text', 'json', 'md', 'csv', 'parquet', 'html'],
  capacity: ['text', 'json', 'md', 'csv', 'html'],
}

export interface DocumentRenderingOptions {
  /** References and hypotheses in a page. */
  readonly hasTexts: boolean
}

/** A comparison, an experiment, a history or a capacity in all its formats. */
export function documentRenderings(
  document: StoredDocument,
  context: Pick<CommandContext, 'output' | 'cwd' | 'env'>,
  options: DocumentRenderingOptions = { hasTexts: true },
): Renderings {
  const { output } = context
  const html = (): Promise<string> => documentHtml(document, options)
  switch (document.kind) {
    case 'comparison': {
      const { comparison, thresholds } = document
      return {
        text: () => renderComparison(comparison, thresholds, output),
        json: () => JSON.stringify({ ...comparison, thresholds }, null, 2),
        md: () => comparisonMarkdown(comparison, thresholds),
        junit: () => comparisonJunit(comparison, thresholds),
        html,
      }
    }
    case 'experiment': {
      const { experiment } = document
      return {
        text: () =>
          [
            renderExperiment(experiment, output, flagOf(experiment.sides, context)),
            ...experiment.comparisons.map((comparison) =>
              renderComparison(comparison, comparison.thresholds ?? [], output),
            ),
          ].join('\n\n'),
        json: () => JSON.stringify(experiment, null, 2),
        md: () => experimentMarkdown(experiment),
        junit: () => experimentJunit(experiment),
        html,
      }
    }
    case 'history': {
      const { trends, ...counts } = document.history
      return {
        text: () => renderHistory(trends, counts, output),
        json: () => JSON.stringify({ ...counts, trends }, null, 2),
        md: () => historyMarkdown(trends, counts),
        csv: () => historyCsv(trends.flatMap(({ figures }) => figures)),
        parquet: () => historyParquet(trends.flatMap(({ figures }) => figures)),
        html,
      }
    }
    case 'capacity': {
      const { finding } = document
      return {
        text: () => renderCapacity(finding, { terminal: output, folder: null }),
        json: () => JSON.stringify(finding, null, 2),
        md: () => capacityMarkdown(finding),
        csv: () => capacityCsv(finding),
        html,
      }
    }
  }
}

/** The option that a next command needs to find the runs of an experiment. */
function flagOf(
  sides: readonly { readonly folders: readonly string[] }[],
  context: Pick<CommandContext, 'cwd' | 'env'>,
): string {
  const folder = sides.flatMap(({ folders }) => folders)[0]
  return folder === undefined ? '' : resultsFlag(shortened(dirname(folder), context.cwd), context)
}
