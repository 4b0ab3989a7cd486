/**
 * Plans requests, leases Modes, sends the plan and records what came back. Never judges an answer: it
 * knows nothing of references, rates or reports.
 *
 *   const requests = planRequests({ contenderIds, utterances, schedule, rounds: 8, warmupRequests: 2, … })
 *   const lease = await leaseMode({ connection, writer, … })
 *   const { counts, ending } = await executePlan({ requests, sender, writer, … })
 */
export { type Bill, type BillingCap, billPlan, cappedSender, isBilled, type Priced } from './billing.ts'
export { type RunErrorCode, runErrors } from './errors.ts'
export { type ExecuteInput, type Execution, executePlan } from './execute.ts'
export type { RunEvent } from './lane.ts'
export {
  findLeased,
  type LeaseInput,
  leaseMode,
  type ModeLease,
  type ModeRequest,
  nullTrialOf,
  type OpenLease,
  openLeases,
  type Settlement,
  settleLease,
} from './modes.ts'
export { blockSchedule, type PlanInput, planRequests } from './plan.ts'
export {
  editorUnreadiness,
  findModel,
  type KnownEngines,
  modelMissing,
  type NeededModel,
  type Unreadiness,
  unreadiness,
  unreadyReasons,
} from './readiness.ts'
export {
  type PostProcessOptions,
  type PostProcessSending,
  postProcessSender,
  routedSender,
  type Sendable,
  type SendCall,
  type Sender,
  type SenderPart,
  type Sent,
  type ServerSending,
  serverSender,
  type TranscriptionSending,
  transcriptionSender,
  type Way,
} from './senders.ts'
export {
  planRoutes,
  type Route,
  type Routes,
  type TransportFacts,
  type WantedTransport,
} from './transport.ts'
