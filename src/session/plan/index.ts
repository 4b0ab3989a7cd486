/** Plans a run without a target: its requests, its time, its cost, and its parts for several hosts. */

export { defaultContenders, type SkippedContender } from './contenders.ts'
export { type HostPlan, planForHosts } from './host-plan.ts'
export {
  audioSecondsById,
  type MeasurePlan,
  meanAudioSecondsOf,
  type PlanPart,
  unansweredRequests,
} from './measure-plan.ts'
export { type ExpectedLoad, expectLoad, previewRun, type RunPreview, type TimeBefore } from './preview-run.ts'
export { readPriceList } from './provider-terms.ts'
