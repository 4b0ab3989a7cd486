import { mean } from '#statistics/quantiles'
import { mannKendallTest, trendSlope } from '#statistics/series/trend'
import type { Drift } from '../../documents/experiment.ts'
import type { RunMaterial } from '../../requests/resolved-run.ts'

/**
 * Tests whether the latency of the reference utterance, which has median length, rises or falls over the runs of one
 * side. In ABBA order such a drift affects both sides equally. It is reported because a machine that heats up is not
 * in the intended state.
 *
 * @param runs runs of one contender, in order of time
 * @returns null where no run-to-run trend is significant at 1 %
 * @see Mann 1945, doi:10.2307/1907187; Sen 1968, doi:10.1080/01621459.1968.10480934
 */
export function referenceDrift(runs: readonly RunMaterial[]): Drift | null {
  const [first] = runs
  if (first === undefined) return null
  const byLength = first.utterances.toSorted((a, b) => a.durationSeconds - b.durationSeconds)
  const utteranceId = byLength[Math.floor(byLength.length / 2)]?.id
  if (utteranceId === undefined) return null
  const logs = runs.flatMap(({ attempts }) => {
    const answers = attempts.filter(
      (attempt) => attempt.utteranceId === utteranceId && attempt.phase === 'measure' && attempt.outcome.ok,
    )
    const logTimes = answers.map(({ sentAtMs, endedAtMs }) => Math.log(Math.max(0.001, endedAtMs - sentAtMs)))
    return logTimes.length === 0 ? [] : [mean(logTimes)]
  })
  const trend = mannKendallTest(logs)
  const line = trendSlope(logs.map((y, x) => ({ x, y })))
  if (trend === null || line === null || trend.pValue > 0.01) return null
  const relativeChange = Math.expm1(line.slope * (logs.length - 1))
  return { utteranceId, relativeChange, pValue: trend.pValue }
}
