import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { type HistoryDocument, historySchema } from '#analysis/comparison/trends'
import { type Comparison, comparisonSchema, type ThresholdResult } from '#analysis/documents/comparison'
import { type Experiment, experimentSchema } from '#analysis/documents/experiment'
import { type CapacityFinding, capacityFindingSchema } from '#capacity/finding'
import { parseForeignJson, succeeds } from '#prelude'
import { capacityPage } from '#reports/capacity/capacity-page'
import { comparisonPage, experimentPage } from '#reports/comparison/comparison-page'
import { historyPage } from '#reports/history/library-page'
import { htmlPage } from '#reports/html-page'
import { resultsErrors } from './errors.ts'
import { pageAssets } from './page-assets.ts'

/** A stored output of a command with `--json`. */
export type StoredDocument =
  | {
      readonly kind: 'comparison'
      readonly comparison: Comparison
      readonly thresholds: readonly ThresholdResult[]
    }
  | { readonly kind: 'experiment'; readonly experiment: Experiment }
  | { readonly kind: 'history'; readonly history: HistoryDocument }
  | { readonly kind: 'capacity'; readonly finding: CapacityFinding }

/** Kinds of documents, each with a key that only it has. */
const forms: readonly {
  readonly key: string
  readonly schema: z.ZodType<StoredDocument>
}[] = [
  {
    key: 'conditions',
    schema: comparisonSchema.transform(({ thresholds = [], ...comparison }) => ({
      kind: 'comparison' as const,
      comparison,
      thresholds,
    })),
  },
  {
    key: 'stopped',
    schema: experimentSchema.transform((experiment) => ({ kind: 'experiment' as const, experiment })),
  },
  {
    key: 'trends',
    schema: historySchema.transform((history) => ({ kind: 'history' as const, history })),
  },
  {
    key: 'budgetSeconds',
    schema: capacityFindingSchema.transform((finding) => ({ kind: 'capacity' as const, finding })),
  },
]

/**
 * Reads an output of `compare`, `experiment`, `history` or `capacity` with `--json`.
 *
 * @throws BenchError DOCUMENT_UNREADABLE
 */
export async function readStoredDocument(path: string): Promise<StoredDocument> {
  const unreadable = (why: string, cause?: unknown): Error =>
    resultsErrors.make('DOCUMENT_UNREADABLE', {
      message: `${path} is no document that can be shown: ${why}`,
      hint: 'write one with --json, by this version: transcribench compare <base> <run> --json > comparison.json',
      cause,
    })
  let value: unknown
  try {
    value = parseForeignJson(await readFile(path, 'utf8'))
  } catch (error) {
    throw unreadable((error as Error).message, error)
  }
  const form = forms.find(({ key }) => typeof value === 'object' && value !== null && key in value)
  if (form === undefined) throw unreadable('it is no comparison, experiment, history or capacity')
  const parsed = form.schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw unreadable(`${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim())
}

/** Name of the document in the folder of a capacity measurement, whose journal cannot be scored. */
export const capacityFile = 'capacity.json'

/**
 * The result of a capacity measurement; null for any other run.
 *
 * @throws BenchError DOCUMENT_UNREADABLE
 */
export async function readCapacity(folder: string): Promise<CapacityFinding | null> {
  const path = join(folder, capacityFile)
  const document = (await succeeds(access(path))) ? await readStoredDocument(path) : null
  return document?.kind === 'capacity' ? document.finding : null
}

/**
 * A document as one HTML file, in the layout of a run's report.
 *
 * @param hasTexts whether to include references and hypotheses
 */
export async function documentHtml(document: StoredDocument, hasTexts = true): Promise<string> {
  const assets = await pageAssets()
  switch (document.kind) {
    case 'comparison': {
      const { comparison, thresholds } = document
      return htmlPage(comparisonPage(comparison, { thresholds, hasTexts }), assets)
    }
    case 'experiment':
      return htmlPage(experimentPage(document.experiment, { hasTexts }), assets)
    case 'history':
      return htmlPage(historyPage(document.history), assets)
    case 'capacity':
      return htmlPage(capacityPage(document.finding), assets)
  }
}
