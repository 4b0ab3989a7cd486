import type { MetricUnit } from '#analysis'

/** A number as short as it can be said on an axis. */
function short(value: number): string {
  return String(Number(value.toPrecision(4)))
}

export function tickPercent(rate: number): string {
  return `${short(rate * 100)}%`
}

export function tickMilliseconds(ms: number): string {
  return ms >= 1000 ? `${short(ms / 1000)} s` : `${short(ms)} ms`
}

export function tickTimes(times: number): string {
  return `${short(times)}×`
}

/** `45 s`, `1:05`, `2:00:00`. */
export function tickSeconds(seconds: number): string {
  if (seconds < 60) return `${short(seconds)} s`
  const rest = Math.round(seconds)
  const parts = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60, rest % 60]
  const [hours = 0, ...others] = parts
  const shown = hours > 0 ? parts : others
  return shown.map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}

/** How the marks of a metric's axis are written. */
export const tickOf: Readonly<Record<MetricUnit, (value: number) => string>> = {
  rate: tickPercent,
  rateDifference: (value) => `${short(value * 100)} pp`,
  relativeDifference: tickPercent,
  ms: tickMilliseconds,
  times: tickTimes,
  ratio: short,
  megabytesPerHour: (value) => `${short(value)} MB/h`,
}
