/**
 * Reads what a process and its host are using: the machine's description, processor time and memory of a
 * server, and whether other programs are in the way. Never judges a run, and starts no process to ask while
 * something is measured.
 *
 *   const host = describeHost('0.1.0')
 *   await using sampling = startSampling({ pid, clock: systemClock, everyMs: 1000, onSample: write })
 *   const { quiet, message } = await isQuiet()
 */

export type { GpuUsage, GpuWatch } from './gpu.ts'
export { watchGpu } from './gpu.ts'
export { describeHost } from './host.ts'
export { measureHostSpeed } from './host-speed.ts'
export { linuxPowerSupplies, readPowerSource } from './power.ts'
export { readPressure } from './pressure.ts'
export { processStart } from './process-start.ts'
export type { ProcessUsage } from './process-usage.ts'
export { readProcess } from './process-usage.ts'
export type { Quietness } from './quiet.ts'
export { isQuiet } from './quiet.ts'
export type { Sampling } from './sampling.ts'
export { startSampling } from './sampling.ts'
