import { githubBenchmarkJson } from '#reports'
import { trackerFormat } from '../tracker-format.ts'

export const githubBenchmark = trackerFormat(
  'github-benchmark',
  'for github-action-benchmark with tool: customSmallerIsBetter',
  githubBenchmarkJson,
)
