/** Measures how much load each contender sustains, and answers what-if questions about a stored capacity. */

export type { CapacityEvent, CapacityOptions, CapacityRequest, CapacityStage } from './contender-input.ts'
export { type MeasuredCapacity, measureCapacity } from './measure-capacity.ts'
export { type EvaluatedWhatIf, evaluateStoredWhatIf, type WhatIfQuestion } from './stored-what-if.ts'
