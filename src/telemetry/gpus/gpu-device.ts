/** What one graphics processor is doing. Null where it does not report a value. */
export interface GpuDevice {
  /** As the tool numbers it: `nvidia 0`. */
  readonly id: string
  readonly name: string | null
  /** Share of time in which it computed anything, 0..1. */
  readonly busyRate: number | null
  /** Memory in use. */
  readonly memoryBytes: number | null
  readonly powerWatts: number | null
  readonly coreClockMHz: number | null
  readonly memoryClockMHz: number | null
  /** Why its clock is lower than it could be; empty where nothing slows it down. */
  readonly throttledBy: readonly string[] | null
}

/** A program that prints a line per device and second. */
export interface GpuTool {
  readonly command: string
  readonly args: readonly string[]
  /** Environment variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** A fresh reader of lines, since the columns may be named by a line before. It returns null for a line that is no reading. */
  reader(): (line: string) => GpuDevice | null
}

export const mebibyte = 1_048_576

/** A number; null for `[N/A]`, `[Not Supported]`, `[Unknown Error]`, `N/A` and whatever else is none. */
export function numberOf(cell: string | undefined): number | null {
  return cell !== undefined && /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : null
}

/** A number in another unit. */
export function scaled(cell: string | undefined, factor: number): number | null {
  const value = numberOf(cell)
  return value === null ? null : value * factor
}
