/** Measures how much load each contender sustains, and answers what-if questions about a stored capacity. */

export type { CapacityEvent, CapacityOptions, CapacityRequest, CapacityStage } from './capacity-options.ts'
export type { MeasuredCapacity } from './measure-capacity.ts'
export { measureCapacity } from './measure-capacity.ts'
export type { EvaluatedWhatIf, WhatIfQuestion } from './stored-what-if.ts'
export { evaluateStoredWhatIf } from './stored-what-if.ts'
