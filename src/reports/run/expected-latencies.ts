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
  // With fewer requests than a p95 needs, too few tell how far they lie above the line.
  const hasHigh = latencyMs.p95.value !== null
  return latencyModel.predictions.map((prediction) => {
    // A line that goes below nothing tells nothing there.
    const isTold = prediction.p50Ms > 0
    return {
      ...prediction,
      p50Ms: isTold ? prediction.p50Ms : null,
      p95Ms: isTold && hasHigh ? prediction.p95Ms : null,
    }
  })
}
