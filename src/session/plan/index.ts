/** Plans a run without a target: its requests, its time, its cost, and its parts for several hosts. */

export type { SkippedContender } from './contenders.ts'
export type { ExpectedLoad } from './expect-load.ts'
export { expectLoad } from './expect-load.ts'
export type { HostPlan } from './host-plan.ts'
export { planForHosts } from './host-plan.ts'
export type { MeasurePlan } from './measure-plan.ts'
export { audioSecondsById, meanAudioSecondsOf, unansweredRequests } from './measure-plan.ts'
export type { PlanPart } from './plan-part.ts'
export type { RunPreview } from './preview-run.ts'
export { previewRun } from './preview-run.ts'
export { readPriceList } from './prices.ts'
export type { TimeBefore } from './time-before.ts'
