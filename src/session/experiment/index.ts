/** Measures configs interleaved until each difference has a verdict, and one contender against itself. */

export { abbaOrder } from './abba-order.ts'
export type { CalibrateOptions, StoredCalibration } from './calibrate.ts'
export { calibrate, calibratedSchema } from './calibrate.ts'
export type { ExperimentEvent, ExperimentOptions, ExperimentSide } from './experiment.ts'
export { runExperiment } from './experiment.ts'
export type { Experiment, ExperimentStop } from './experiment-document.ts'
export { experimentSchema } from './experiment-document.ts'
