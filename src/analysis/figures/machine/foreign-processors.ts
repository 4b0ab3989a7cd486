import type { TelemetryLine } from '#journal'

/**
 * Processors that other programs kept busy, on average over the run: what is left of the processors' busy time after
 * the server's, the client's own, and that of the programs it samples with. Not the median, which knows nothing of a program that ran for nearly half of the time.
 *
 * @param telemetry samples in the order of time; those without the server's processor time say nothing
 * @returns null where it is not known
 */
export function foreignProcessors(telemetry: readonly TelemetryLine[]): number | null {
  let [foreignSeconds, elapsedSeconds] = [0, 0]
  for (const [index, sample] of telemetry.entries()) {
    const between = foreignBetween(telemetry[index - 1], sample)
    foreignSeconds += between?.foreignSeconds ?? 0
    elapsedSeconds += between?.elapsedSeconds ?? 0
  }
  return elapsedSeconds === 0 ? null : Math.max(0, foreignSeconds) / elapsedSeconds
}

/** What other programs took between two samples; null where it is not known. */
function foreignBetween(
  before: TelemetryLine | undefined,
  after: TelemetryLine,
): { readonly foreignSeconds: number; readonly elapsedSeconds: number } | null {
  if (before === undefined || before.segment !== after.segment) return null
  const elapsedSeconds = (after.atMs - before.atMs) / 1000
  const serverSeconds = growth(before.serverCpuSeconds, after.serverCpuSeconds)
  const ownSeconds = growth(before.ownCpuSeconds, after.ownCpuSeconds)
  const hostSeconds = growth(before.hostCpuSeconds, after.hostCpuSeconds)
  if (elapsedSeconds <= 0 || serverSeconds === null || ownSeconds === null || hostSeconds === null)
    return null
  const samplerSeconds = growth(before.samplerCpuSeconds ?? null, after.samplerCpuSeconds ?? null) ?? 0
  // A program that has ended takes its time with it.
  const own = ownSeconds + Math.max(0, samplerSeconds)
  return { foreignSeconds: hostSeconds - serverSeconds - own, elapsedSeconds }
}

function growth(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before
}
