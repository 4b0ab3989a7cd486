import type { ContenderEvaluation, LatencyModel } from '#analysis'

type Prediction = Extract<LatencyModel, { value: number }>['predictions'][number]

/** What a line says of a length; null where it can say nothing. */
export interface ExpectedLatency extends Omit<Prediction, 'p50Ms' | 'p95Ms'> {
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

/** What requests of common lengths are expected to take; empty without a line. */
export function expectedLatencies({
  latencyModel,
  latencyMs,
}: Pick<ContenderEvaluation, 'latencyModel' | 'latencyMs'>): readonly ExpectedLatency[] {
  if (latencyModel.value === null) return []
  // With fewer requests than a p95 needs, too few show how far they are above the line.
  const hasHigh = latencyMs.p95.value !== null
  return latencyModel.predictions.map((prediction) => {
    // Where the line is negative, there is no prediction.
    const isPredicted = prediction.p50Ms > 0
    return {
      ...prediction,
      p50Ms: isPredicted ? prediction.p50Ms : null,
      p95Ms: isPredicted && hasHigh ? prediction.p95Ms : null,
    }
  })
}
