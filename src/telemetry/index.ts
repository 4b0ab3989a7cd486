/**
 * Reads what a process and its host are using: the machine's description, processor time and memory of a
 * server, graphics processors, energy, and whether other programs are in the way. Never judges a run, and starts no process to
 * ask while something is measured: where the system has no files to read, one program is kept running.
 *
 *   const host = describeHost('0.1.0')
 *   await using sampling = startSampling({ servers, clock: systemClock, everyMs: 1000, env: process.env, onSample: write })
 *   const { quiet, message } = await isQuiet()
 */

export type { EnergyReading, EnergyWatch } from './energy/energy-watch.ts'
export { watchEnergy } from './energy/energy-watch.ts'
export { readPowerSource } from './energy/power-supplies.ts'
export { amdReader } from './gpus/amd.ts'
export type { GpuDevice } from './gpus/gpu-device.ts'
export { parseNvidia } from './gpus/nvidia.ts'
export type { GpuWatch } from './gpus/watch-gpus.ts'
export { watchGpus } from './gpus/watch-gpus.ts'
export { describeHost } from './host.ts'
export { measureHostSpeed } from './host-speed.ts'
export { readPressure } from './pressure.ts'
export { processStart } from './process-start.ts'
export type { ProcessUsage } from './processes/linux-processes.ts'
export { readProcess } from './processes/linux-processes.ts'
export { findListeningProcesses } from './processes/listening-process.ts'
export { processSampler } from './processes/platform-sampler.ts'
export { powershellSampler } from './processes/powershell.ts'
export type { ProcessReading, ProcessSampler } from './processes/process-sampler.ts'
export { psSampler } from './processes/ps.ts'
export type { Quietness } from './quiet.ts'
export { isQuiet } from './quiet.ts'
export type { Sampling, WatchedServer } from './sampling.ts'
export { startSampling } from './sampling.ts'
export { sysFolderOf } from './sys-folder.ts'
