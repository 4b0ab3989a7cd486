/** Finds, checks and examines what a run is to measure. */

export { type CheckedConformance, type ConformanceRequest, checkConformance } from './conformance.ts'
export { openDictatedRecordings } from './dictated-recordings.ts'
export {
  type Check,
  type Diagnosis,
  type DoctorRequest,
  diagnose,
  type FoundContender,
  type FoundContenders,
  findContenders,
} from './doctor.ts'
