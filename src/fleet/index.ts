/**
 * Measures on many hosts: the coordinator of a run hands out parts of its plan as jobs of BullMQ, an agent on each host measures
 * them with the executor of its machine, and the coordinator makes one run of what comes back. Plans nothing and scores nothing itself.
 *
 *   await runAgent({ address, name: 'gpu1', … }, console.log)
 *   const measured = await measure({ config }, fleetExecutor({ address, mode: 'shard', … }))
 */
export type { AgentEvent } from './agent.ts'
export { runAgent } from './agent.ts'
export type { BrokerAddress } from './broker.ts'
export { fleetErrors } from './errors.ts'
export type { FleetMode } from './fleet-blocks.ts'
export { fleetModes } from './fleet-blocks.ts'
export type { FleetEvent, FleetOptions } from './fleet-executor.ts'
export { fleetExecutor } from './fleet-executor.ts'
export type { FleetFile } from './fleet-file.ts'
export { readFleetFile } from './fleet-file.ts'
export type { LiveLatency } from './live-latencies.ts'
export { fleetKey } from './seal.ts'
export { waitInWords } from './wait-in-words.ts'
