import type { Random } from '#prelude'
import { fitTheilSen, quantile, sortSamples } from '#statistics'
import type { LevelSample } from './loaded-server.ts'

/** How long one request takes a server that has nothing else to do. */
export interface ServiceTime {
  readonly audioSeconds: number
  readonly serviceMs: number
}

/**
 * Service time as a line over the length of the audio, with what single requests differ from it by:
 * S(d) = (a + b·d) · e, where e is one of the ratios that were seen.
 */
export interface ServiceModel {
  readonly fixedMs: number
  readonly perAudioSecondMs: number
  /** Measured over fitted, ascending; at most a hundred, which represent all. */
  readonly ratios: readonly number[]
}

/** Fewer say nothing of how they vary. */
const fewestTimes = 5
/** More of them would only make the document longer. */
const mostRatios = 100

/**
 * Fits the line robustly (Theil and Sen): a few requests that were held up do not tilt it.
 *
 * @returns null for fewer than five requests, or lengths that are all the same and times that are not above 0
 */
export function fitServiceModel(times: readonly ServiceTime[]): ServiceModel | null {
  if (times.length < fewestTimes) return null
  const line = fitTheilSen(times.map(({ audioSeconds, serviceMs }) => ({ x: audioSeconds, y: serviceMs })))
  const middle = quantile(sortSamples(times.map(({ serviceMs }) => serviceMs)), 0.5) ?? 0
  // Lengths that do not differ, or a line that falls, leave a constant.
  const isRising = line !== null && line.slope >= 0 && line.intercept >= 0
  const fixedMs = isRising ? line.intercept : line !== null && line.slope > 0 ? 0 : middle
  const perAudioSecondMs = isRising ? line.slope : line !== null && line.slope > 0 ? throughOrigin(times) : 0
  const ratios = times.map(
    ({ audioSeconds, serviceMs }) => serviceMs / (fixedMs + perAudioSecondMs * audioSeconds),
  )
  if (!ratios.every((ratio) => Number.isFinite(ratio) && ratio > 0)) return null
  return { fixedMs, perAudioSecondMs, ratios: standFor(sortSamples(ratios), mostRatios) }
}

/** The middles of parts of the same size: as many as there are, or so many. */
function standFor(sorted: Parameters<typeof quantile>[0], most: number): readonly number[] {
  if (sorted.length <= most) return [...sorted]
  return Array.from({ length: most }, (_, index) => quantile(sorted, (index + 0.5) / most) ?? 1)
}

/** What audio of a length takes on average, in milliseconds. */
export function expectedServiceMs(
  { fixedMs, perAudioSecondMs, ratios }: ServiceModel,
  audioSeconds: number,
): number {
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length
  return (fixedMs + perAudioSecondMs * audioSeconds) * mean
}

/** What audio of a length takes in the middle of all cases, in milliseconds. */
export function usualServiceMs(
  { fixedMs, perAudioSecondMs, ratios }: ServiceModel,
  audioSeconds: number,
): number {
  return (fixedMs + perAudioSecondMs * audioSeconds) * (quantile(sortSamples(ratios), 0.5) ?? 1)
}

function throughOrigin(times: readonly ServiceTime[]): number {
  return quantile(sortSamples(times.map(({ audioSeconds, serviceMs }) => serviceMs / audioSeconds)), 0.5) ?? 0
}

/** A service time for audio of a length, in milliseconds. */
export function drawServiceMs(
  { fixedMs, perAudioSecondMs, ratios }: ServiceModel,
  audioSeconds: number,
  random: Random,
): number {
  return (fixedMs + perAudioSecondMs * audioSeconds) * (ratios[random.below(ratios.length)] ?? 1)
}

/**
 * What requests of an open load took that found an empty server: those that come one by one find a machine that has
 * just done nothing, and take longer than those that are sent back to back.
 *
 * @param workers where there are several, later ones slow a request down, and it only counts where none came
 */
export function timesAlone(
  samples: readonly LevelSample[],
  workers: number,
): (ServiceTime & { readonly sentAtMs: number })[] {
  const sent = samples.toSorted((a, b) => a.sentAtMs - b.sentAtMs)
  const times: ReturnType<typeof timesAlone> = []
  let lastEndMs = Number.NEGATIVE_INFINITY
  for (const [index, { sentAtMs, endedAtMs, audioSeconds, isAnswered }] of sent.entries()) {
    const nextMs = sent[index + 1]?.sentAtMs ?? Number.POSITIVE_INFINITY
    const isUndisturbed = workers === 1 ? nextMs > sentAtMs : nextMs >= endedAtMs
    if (isAnswered && lastEndMs <= sentAtMs && isUndisturbed)
      times.push({ audioSeconds, serviceMs: endedAtMs - sentAtMs, sentAtMs })
    lastEndMs = Math.max(lastEndMs, endedAtMs)
  }
  return times
}
