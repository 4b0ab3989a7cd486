/**
 * Plans requests, leases Modes, sends the plan and records what came back. Never judges an answer: it
 * knows nothing of references, rates or reports.
 *
 *   const requests = planRequests({ contenderIds, utterances, schedule, rounds: 8, warmupRequests: 2, … })
 *   const lease = await leaseMode({ connection, writer, … })
 *   const { counts, ending } = await executePlan({ requests, sender, writer, … })
 */
export type { Bill, BillingCap, Priced } from './billing.ts'
export { billPlan, cappedSender, isBilled } from './billing.ts'
export type { RunErrorCode } from './errors.ts'
export { runErrors } from './errors.ts'
export type { RunEvent } from './events.ts'
export type { ExecuteInput, Execution } from './execute.ts'
export { executePlan } from './execute.ts'
export { findModel } from './find-model.ts'
export type { OpenLease, Settlement } from './modes/mode-cleanup.ts'
export { findLeased, openLeases, settleLease } from './modes/mode-cleanup.ts'
export type { ModeRequest } from './modes/mode-fields.ts'
export type { LeaseInput, ModeLease } from './modes/mode-lease.ts'
export { leaseMode, nullTrialOf } from './modes/mode-lease.ts'
export type { PlanInput } from './plan.ts'
export { blockSchedule, planRequests } from './plan.ts'
export type { KnownEngines, NeededModel, Unreadiness } from './readiness.ts'
export { editorUnreadiness, modelMissing, unreadiness, unreadyReasons } from './readiness.ts'
export type { PostProcessOptions, PostProcessSending } from './senders/post-process-sender.ts'
export { postProcessSender } from './senders/post-process-sender.ts'
export { routedSender } from './senders/routed-sender.ts'
export type { SendCall, Sender, SenderPart, Sent } from './senders/sender.ts'
export type { ServerSending } from './senders/server-sender.ts'
export { serverSender } from './senders/server-sender.ts'
export type { Sendable, TranscriptionSending, Way } from './senders/transcription-sender.ts'
export { transcriptionSender } from './senders/transcription-sender.ts'
export type { Route, Routes, TransportFacts, WantedTransport } from './senders/transport.ts'
export { planRoutes } from './senders/transport.ts'
