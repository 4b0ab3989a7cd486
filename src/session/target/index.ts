/** Finds, checks and examines what a run is to measure. */

export type { CheckedConformance, ConformanceRequest } from './conformance.ts'
export { checkConformance } from './conformance.ts'
export { openDictatedRecordings } from './dictated-recordings.ts'
export type { Check, Diagnosis, DoctorRequest } from './doctor.ts'
export { diagnose } from './doctor.ts'
export type { FoundContender, FoundContenders } from './find-contenders.ts'
export { findContenders } from './find-contenders.ts'
