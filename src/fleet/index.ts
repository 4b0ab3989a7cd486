/**
 * Measures on many hosts: the coordinator of a run hands out parts of its plan as jobs of BullMQ, an agent on each host measures
 * them with the executor of its machine, and the coordinator makes one run of what comes back. Plans nothing and scores nothing itself.
 *
 *   await runAgent({ address, name: 'gpu1', … }, console.log)
 *   const measured = await measure({ config }, fleetExecutor({ address, mode: 'shard', … }))
 */
export type { AgentEvent } from './agent/agent.ts'
export { runAgent } from './agent/agent.ts'
export type { FleetMode } from './coordinator/fleet-blocks.ts'
export { fleetModes } from './coordinator/fleet-blocks.ts'
export type { FleetEvent, FleetOptions } from './coordinator/fleet-executor.ts'
export { fleetExecutor } from './coordinator/fleet-executor.ts'
export type { LiveLatency } from './coordinator/live-latencies.ts'
export { waitInWords } from './coordinator/wait-in-words.ts'
export type { FleetFile } from './fleet-file.ts'
export { readFleetFile } from './fleet-file.ts'
export type { BrokerAddress } from './queue/broker.ts'
export { fleetKey } from './queue/seal.ts'
