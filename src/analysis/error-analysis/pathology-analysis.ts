import { type PathologyKind, pathologyRules } from '#scoring'
import type { PathologyAnalysis, PathologyExample } from '../documents/error-analysis/answers.ts'
import type { AnswerTally } from './answer-tally.ts'
import { utteranceShare } from './counted-rate.ts'

const listedExamples = 100
/** Kept while looking; cut to the largest now and then, so that memory does not grow with the corpus. */
const keptExamples = 10 * listedExamples

interface Found {
  readonly utteranceIds: Set<string>
  answerCount: number
  examples: PathologyExample[]
}

export function startPathologies(): AnswerTally<readonly PathologyAnalysis[]> {
  const kinds = Object.keys(pathologyRules) as PathologyKind[]
  const found = new Map<PathologyKind, Found>(
    kinds.map((kind) => [kind, { utteranceIds: new Set(), answerCount: 0, examples: [] }]),
  )
  const answered = new Set<string>()
  return {
    add({ utterance, requestIndex, round, times }, { pathologies }) {
      answered.add(utterance.id)
      const seen = new Set<PathologyKind>()
      for (const { kind, size, detail } of pathologies) {
        const sum = found.get(kind)
        if (sum === undefined) continue
        sum.utteranceIds.add(utterance.id)
        if (!seen.has(kind)) sum.answerCount += times
        seen.add(kind)
        const shown = detail.length > longestDetail ? `${detail.slice(0, longestDetail)}…` : detail
        const where = { utteranceId: utterance.id, requestIndex, round, answerCount: times }
        sum.examples.push({ ...where, size, detail: shown })
        if (sum.examples.length > keptExamples) sum.examples = largest(sum.examples)
      }
    },
    result: () =>
      [...found].map(([kind, { utteranceIds, answerCount, examples }]) => ({
        kind,
        rule: pathologyRules[kind],
        rate: utteranceShare(utteranceIds.size, answered.size),
        answerCount,
        examples: largest(examples),
      })),
  }
}

/** Characters; a loop can go on for pages. */
const longestDetail = 300

function largest(examples: readonly PathologyExample[]): PathologyExample[] {
  return examples
    .toSorted((a, b) => b.size - a.size || a.requestIndex - b.requestIndex)
    .slice(0, listedExamples)
}
