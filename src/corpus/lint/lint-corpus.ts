import pLimit from 'p-limit'
import type { Problem } from '#prelude'
import type { CorpusEnvironment } from '../locate.ts'
import { readCorpus } from '../read-corpus.ts'
import { verifyCorpus } from '../verify-corpus.ts'
import { duplicates, overlap } from './duplicates.ts'
import { type HeardUtterance, hear } from './hear.ts'
import type { LintCheck, LintFinding } from './lint-check.ts'
import { clipping, cutEnd, cutStart, inverted, length, silence, speakers } from './sound-checks.ts'
import { caseStyle, language, numeralStyle, rate } from './text-checks.ts'

export const lintChecks: readonly LintCheck[] = [
  duplicates,
  overlap,
  rate,
  clipping,
  silence,
  inverted,
  cutStart,
  cutEnd,
  length,
  language,
  numeralStyle,
  caseStyle,
  speakers,
]

export interface LintOptions extends CorpusEnvironment {
  /** Name or path of a corpus that must not share recordings or texts with this one. */
  readonly against?: string | undefined
  /** Called with non-fatal problems of both corpora. */
  readonly onWarning?: (warning: Problem) => void
  readonly onProgress?: (doneCount: number, utteranceCount: number) => void
}

export interface LintReport {
  readonly name: string
  readonly manifestPath: string
  readonly utteranceCount: number
  /** Findings with the line in the manifest and the absolute path of the recording; null for those about the corpus. */
  readonly findings: readonly (LintFinding & {
    readonly line: number | null
    readonly audioPath: string | null
  })[]
}

/** Maximum number of concurrent decodings, because each takes a multiple of a file's size in memory. */
const decodedAtOnce = 2

/**
 * Finds utterances that the user should check. Changes nothing.
 *
 * @throws BenchError of `readCorpus` and `verifyCorpus`
 */
export async function lintCorpus(nameOrPath: string, options: LintOptions): Promise<LintReport> {
  const { against, onWarning, onProgress } = options
  const corpus = await verifyCorpus(await readCorpus(nameOrPath, options, { drafts: true }))
  const other = against === undefined ? null : await verifyCorpus(await readCorpus(against, options))
  for (const warning of [...corpus.warnings, ...(other?.warnings ?? [])]) onWarning?.(warning)
  const count = corpus.utterances.length + (other?.utterances.length ?? 0)
  let doneCount = 0
  const listen = (utterances: typeof corpus.utterances): Promise<HeardUtterance[]> =>
    pLimit(decodedAtOnce).map(utterances, async (utterance) => {
      const heard = await hear(utterance)
      doneCount += 1
      onProgress?.(doneCount, count)
      return heard
    })
  const heard = await listen(corpus.utterances)
  const material = {
    heard,
    other: other === null ? null : { name: other.name, heard: await listen(other.utterances) },
  }
  const findings: LintReport['findings'][number][] = []
  const utteranceById = new Map(corpus.utterances.map((utterance) => [utterance.id, utterance]))
  for (const { name, find } of lintChecks) {
    for (const finding of await find(material)) {
      const utterance = finding.utteranceId === null ? undefined : utteranceById.get(finding.utteranceId)
      findings.push({
        check: name,
        ...finding,
        line: utterance?.line ?? null,
        audioPath: utterance?.audioPath ?? null,
      })
    }
  }
  const { name, manifestPath } = corpus
  return { name, manifestPath, utteranceCount: corpus.utterances.length, findings }
}
