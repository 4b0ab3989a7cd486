import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { analysisErrors } from '#analysis/errors'
import { findingDefinitions } from '#analysis/findings/registry'
import { capacityErrors } from '#capacity/errors'
import { clientErrors } from '#client/errors'
import { configErrors } from '#config/errors'
import { failureLabels } from '#contract/failures'
import { corpusErrors } from '#corpus/errors'
import { fleetErrors } from '#fleet/errors'
import { installationErrors } from '#installation/installation'
import { journalErrors } from '#journal/run-writer'
import { loadErrors } from '#load/errors'
import type { ExitClass } from '#prelude'
import { languageErrors } from '#prelude/languages'
import { ratesErrors } from '#rates/text-tally'
import { resultsErrors } from '#results/errors'
import { reviewErrors } from '#review/correction-file'
import { runErrors } from '#run/execute/errors'
import { pathologyRules } from '#scoring/error-analysis/pathologies'
import { nameRule } from '#scoring/error-analysis/word-classes'
import { scoringErrors } from '#scoring/errors'
import { serviceErrors } from '#service/errors'
import { transcriptErrors } from '#transcripts/read-pairs'
import { cliErrors } from './errors.ts'

/** Exit classes of every error of every module. */
export const exitClasses: Readonly<Record<string, ExitClass>> = Object.assign(
  {},
  ...[
    cliErrors,
    installationErrors,
    configErrors,
    corpusErrors,
    transcriptErrors,
    clientErrors,
    serviceErrors,
    loadErrors,
    runErrors,
    resultsErrors,
    fleetErrors,
    reviewErrors,
    journalErrors,
    scoringErrors,
    ratesErrors,
    languageErrors,
    analysisErrors,
    capacityErrors,
  ].map(({ exits }) => exits),
)

const definition = z.strictObject({
  name: z.string().optional(),
  aliases: z.array(z.string()).default([]),
  formula: z.string(),
  source: z.string().optional(),
  /** Interpretation and limits of the metric. */
  reading: z.string(),
})
export type Definition = z.infer<typeof definition>

/** Schema of `meanings.yaml`, which requires an entry for every error, failure and finding, and no others. */
const meaningsFile = z.strictObject({
  errors: z.record(z.enum(Object.keys(exitClasses)), z.string()),
  failures: z.record(z.enum(failureLabels), z.string()),
  findings: z.record(z.enum(findingDefinitions.map(({ code }) => code)), z.string()),
  errorAnalysis: z.record(z.string(), definition),
  terms: z.record(z.string(), definition),
})
export type Meanings = z.infer<typeof meaningsFile>

/**
 * The explanations of `explain` and the documentation: `meanings.yaml`, with the rules from the code. Metrics have
 * theirs beside their schemas.
 */
export function readMeanings(): Meanings {
  const text = readFileSync(new URL('meanings.yaml', import.meta.url), 'utf8')
  const { errorAnalysis, ...meanings } = meaningsFile.parse(parse(text))
  const pathologies = Object.entries(pathologyRules).map(([kind, rule]): [string, Definition] => [
    kind,
    {
      name: kind === 'loop' ? 'repetition loop' : kind.replace(/(?=[A-Z])/, ' ').toLowerCase(),
      aliases: [],
      formula: `utterances with such an answer / utterances with an answer. The rule: ${withoutFullStop(rule)}`,
      source: "a rule of ours; Wilson's interval over utterances",
      reading: 'A detector, not a proof: listen to the examples. For its error rate, see docs/metrics.md.',
    },
  ])
  const ruled = Object.entries(errorAnalysis).map(([id, meaning]): [string, Definition] => [
    id,
    id === 'names' ? { ...meaning, formula: `${meaning.formula} ${withoutFullStop(nameRule)}` } : meaning,
  ])
  return {
    ...meanings,
    errorAnalysis: Object.fromEntries([...ruled, ...pathologies]),
  }
}

function withoutFullStop(text: string): string {
  return text.replace(/\.$/u, '')
}
