/**
 * Reads what a process and its host are using: the machine's description, processor time and memory of a
 * server, graphics processors, energy, and whether other programs are in the way. Never judges a run, and starts no process to
 * ask while something is measured: where the system has no files to read, one program is kept running.
 *
 *   const host = describeHost('0.1.0')
 *   await using sampling = startSampling({ servers, clock: systemClock, everyMs: 1000, env: process.env, onSample: write })
 *   const { quiet, message } = await isQuiet()
 */

export { type EnergyReading, type EnergyWatch, readPowerSource, watchEnergy } from './energy.ts'
export { amdReader, type GpuDevice, type GpuWatch, parseNvidia, watchGpus } from './gpus.ts'
export { describeHost, isQuiet, type Quietness, readPressure, sysFolderOf } from './host.ts'
export { measureHostSpeed } from './host-speed.ts'
export { findListeningProcesses } from './listening-process.ts'
export { powershellSampler, processSampler, psSampler } from './process-table.ts'
export {
  type ProcessReading,
  type ProcessSampler,
  type ProcessUsage,
  processStart,
  readProcess,
} from './processes.ts'
export { type Sampling, startSampling, type WatchedServer } from './sampling.ts'
