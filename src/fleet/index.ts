/**
 * Measures on many hosts: the coordinator of a run hands out parts of its plan as jobs of BullMQ, an agent on each host measures
 * them with the executor of its machine, and the coordinator makes one run of what comes back. Plans nothing and scores nothing itself.
 *
 *   await runAgent({ address, name: 'gpu1', … }, console.log)
 *   const measured = await measure({ config }, fleetExecutor({ address, mode: 'shard', … }))
 */
export { type AgentEvent, runAgent } from './agent/agent.ts'
export { waitInWords } from './coordinator/collect-blocks.ts'
export { type FleetMode, fleetModes } from './coordinator/fleet-blocks.ts'
export {
  type FleetEvent,
  type FleetFile,
  type FleetOptions,
  fleetExecutor,
  readFleetFile,
} from './coordinator/fleet-executor.ts'
export type { LiveLatency } from './coordinator/live-latencies.ts'
export type { BrokerAddress } from './queue/broker.ts'
export { fleetKey } from './queue/seal.ts'
