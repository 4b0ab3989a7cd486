import type { RunRecord } from '#journal'
import { smallestSampleForQuantile } from '#statistics'
import type { ContenderEvaluation, MissingRequests } from './evaluation.ts'
import { findMetric } from './metrics.ts'
import { parseThreshold } from './threshold.ts'

/** What a summary shows of latency, and so what is asked for where nobody asks for anything else. */
const usual = ['latency.p50', 'latency.p95']

/**
 * What a run is too short for: the percentiles that its thresholds name, otherwise those that a summary shows.
 *
 * @returns each with the answered requests that it lacks; empty for a run that is long enough
 */
export function missingRequests(
  record: Pick<RunRecord, 'config'>,
  contenders: readonly ContenderEvaluation[],
): readonly MissingRequests[] {
  const asked = askedPercentiles(record.config)
  return contenders.flatMap((contender) =>
    (asked.length === 0 ? usual : asked).flatMap((id): MissingRequests[] => {
      const metric = findMetric(id)
      if (metric === null || metric.from.of !== 'percentile' || contender.counts.answered === 0) return []
      if (metric.from.measure(contender).value !== null) return []
      const moreRequests = smallestSampleForQuantile(metric.from.probability) - contender.counts.answered
      return moreRequests > 0
        ? [{ contenderId: contender.contender.id, metric: metric.id, moreRequests }]
        : []
    }),
  )
}

function askedPercentiles(config: RunRecord['config']): readonly string[] {
  const failIf = typeof config === 'object' && config !== null && 'failIf' in config ? config['failIf'] : []
  if (!Array.isArray(failIf)) return []
  return failIf.flatMap((text: unknown) => {
    const parsed = parseThreshold(String(text))
    return parsed.ok && parsed.value.metric.from.of === 'percentile' ? [parsed.value.metric.id] : []
  })
}
