import type { TelemetryLine } from '#journal'
import type { Unread } from '../documents/resources.ts'

/**
 * What could not be read in a run, and why. What was read at first and not at the end has its reason too.
 *
 * @returns undefined for a run of a program that recorded no reasons
 */
export function unreadOf(telemetry: readonly TelemetryLine[]): Unread | undefined {
  const noted = telemetry.flatMap(({ unread }) => unread ?? [])
  if (noted.length === 0) return undefined
  const last = (key: keyof Unread): string | null => noted.findLast((one) => one[key] != null)?.[key] ?? null
  return { server: last('server'), gpu: last('gpu'), rapl: last('rapl'), battery: last('battery') }
}
