/**
 * How much load a server sustains within its service-level objectives: objectives as functions of the length of the audio, levels
 * judged in three ways, a search that spends its time where the answer is. Never sends a request and never reads a clock: a
 * server under load is handed in, a real one or a simulated one.
 *
 *   const objectives = parseObjectives(['p95 <= 0.5s + 0.2d', 'failures <= 1%'])
 *   const { capacity, levels } = await searchCapacity(server, {
 *     objectives, limits, model: null, budgetSeconds: 600, seed: 1, precision: null,
 *   })
 *   capacity?.estimate                    // { perSecond: 6.1, low: 5.8, high: 6.4, … }
 */

export { type Calibration, type CapacityEstimate, calibrate } from './calibration.ts'
export {
  type CountedBatch,
  type Crossing,
  fitCrossing,
  fitLateCrossing,
  type MissBatch,
} from './capacity-fit.ts'
export type * from './cost.ts'
export {
  billedSeconds,
  breakEven,
  cloudCost,
  energyCost,
  fixedCosts,
  hoursPerDay,
  localCost,
  paretoFront,
  yearlyCosts,
} from './cost.ts'
export { type CapacityErrorCode, capacityErrors, capacityTerms } from './errors.ts'
export type * from './finding.ts'
export { capacityFindingSchema, capacityFormatVersion, capacityJsonSchema } from './finding.ts'
export {
  fleetFor,
  foundBounds,
  foundCapacity,
  foundLevel,
  foundSweep,
  judgeInterference,
  judgeOverload,
  lateness,
  loadFigure,
  requestsPerUser,
  sustainedLoad,
} from './found.ts'
export type * from './found-loads.ts'
export {
  type Backlog,
  backlogOf,
  judgeObjective,
  type Level,
  missBatches,
  missRateOf,
  stabilityOf,
} from './level.ts'
export {
  arrivalsOf,
  erlangC,
  fillingStretch,
  fullStretch,
  type LevelSample,
  type LoadedServer,
  type LoadOrder,
  meanInSystem,
  meanWaitSeconds,
  planStretch,
  type QueueShape,
  relaxationSeconds,
  type ServerLimits,
  type SteadyPart,
  type Stretch,
  type StretchPlan,
  shortestSeconds,
  steadyPart,
  type Turn,
  usualRelaxationSeconds,
} from './loaded-server.ts'
export {
  allowance,
  isMiss,
  limitMs,
  type Objective,
  parseObjective,
  parseObjectives,
  type RequestOutcome,
} from './objective.ts'
export type { BillingRules, CloudPrice, MachinePrice, PriceList, PriceSource } from './prices.ts'
export {
  measureLevel,
  type Search,
  type SearchOptions,
  type SearchResult,
  type ServerModel,
  searchCapacity,
  startSearch,
} from './search.ts'
export type { ObjectiveCapacity } from './search-steps.ts'
export {
  type AtWork,
  atWorkOf,
  type ClosedLevel,
  drawServiceMs,
  fitServiceModel,
  idleSlowdownOf,
  type ServiceModel,
  type ServiceTime,
  timesAlone,
  usualServiceMs,
} from './server-model.ts'
export {
  capacityFinder,
  type FindCapacity,
  type ServerUse,
  type SimulatedJobs,
  type SimulatedMachine,
  type SimulatedServer,
  simulateQueue,
  type Variation,
} from './simulated-server.ts'
export {
  type AskedMeasurement,
  evaluateWhatIf,
  type MixedRecording,
  makeSimulation,
  type Question,
  reproduce,
  type SimulationInput,
  simulatedServerOf,
  standardQuestions,
  withoutFlag,
} from './simulation.ts'
export {
  analyseSweep,
  type CountErrors,
  compareTexts,
  fitScalability,
  type LevelAccuracy,
  type ScalabilityFit,
  type ScalabilityLaw,
  type Sweep,
  type SweepInput,
  type SweepLevel,
  type TextsAlone,
  type ThroughputPoint,
  textsAlone,
  throughputAt,
} from './sweep.ts'
