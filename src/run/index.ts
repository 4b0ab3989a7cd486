/**
 * Plans requests, leases Modes, sends the plan and records what came back. Never judges an answer: it
 * knows nothing of references, rates or reports.
 *
 *   const requests = planRequests({ contenderIds, utteranceIds, rounds: 8, warmupRequests: 2, seed: 1 })
 *   const lease = await leaseMode({ connection, writer, … })
 *   const { counts, ending } = await executePlan({ requests, leases, connection, writer, … })
 */
export type { RunErrorCode } from './errors.ts'
export { runErrors } from './errors.ts'
export type { RunEvent } from './events.ts'
export type { ExecuteInput, Execution, Sendable } from './execute.ts'
export { executePlan } from './execute.ts'
export type { OpenLease, Settlement } from './mode-cleanup.ts'
export { openLeases, settleLease } from './mode-cleanup.ts'
export type { ModeRequest } from './mode-fields.ts'
export type { LeaseInput, ModeLease } from './mode-lease.ts'
export { isTemporaryModeName, leaseMode, temporaryModeName } from './mode-lease.ts'
export type { PlanInput } from './plan.ts'
export { planRequests } from './plan.ts'
export type { NeededModel, Unreadiness } from './readiness.ts'
export { audioInputOf, checkSizes, modelMissing, unreadiness, unreadyReasons } from './readiness.ts'
