import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { readLoad1 } from './host.ts'
import { readTimes } from './processor-times.ts'

/** Whether a measurement made now would measure its target, or also what else runs here. */
export interface Quietness {
  readonly quiet: boolean
  /** Mean run queue over the last minute; null on Windows. It lags: work that has just ended is still in it. */
  readonly load1: number | null
  readonly cpuCount: number
  /** Share of all processors' time that other processes took while we looked, 0..1. */
  readonly foreignCpuShare: number
  /** One sentence for a person. */
  readonly message: string
}

/** Above this share of the processors, other programs are in the way. */
const quietShare = 0.1
/** Long enough for the 10 ms ticks that processor times are counted in. */
const windowMs = 500

/** Looks for half a second at what other processes do. The service under test counts as another one. */
export async function isQuiet(): Promise<Quietness> {
  const before = readTimes()
  await sleep(windowMs)
  const after = readTimes()
  const totalMs = Math.max(1, after.totalMs - before.totalMs)
  const foreignMs = after.busyMs - before.busyMs - (after.ownMs - before.ownMs)
  const foreignCpuShare = Math.min(1, Math.max(0, foreignMs / totalMs))
  const load1 = readLoad1()
  const cpuCount = availableParallelism()
  const quiet = foreignCpuShare <= quietShare
  return {
    quiet,
    load1,
    cpuCount,
    foreignCpuShare,
    message: describe(quiet, foreignCpuShare, load1, cpuCount),
  }
}

function describe(quiet: boolean, share: number, load1: number | null, cpuCount: number): string {
  const load = load1 === null ? '' : `, load ${load1.toFixed(1)}`
  const percent = `${(share * 100).toFixed(0)}%`
  const use = `other programs use ${percent} of ${cpuCount} processors${load}`
  return quiet ? use : `${use}: a measurement now would show lower speeds than on a quiet machine`
}
