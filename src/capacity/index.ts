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

export type { AtWork, ClosedLevel } from './at-work.ts'
export { atWorkOf, idleSlowdownOf } from './at-work.ts'
export type { CountedBatch, Crossing, MissBatch } from './capacity-fit.ts'
export { fitCrossing, fitLateCrossing } from './capacity-fit.ts'
export type { LocalUse, OwnPrices, Worth } from './cost/cost.ts'
export {
  billedSeconds,
  breakEven,
  cloudCost,
  energyCost,
  fixedCosts,
  hoursPerDay,
  localCost,
  paretoFront,
} from './cost/cost.ts'
export { fleetFor, requestsPerUser, sustainedLoad } from './cost/fleet.ts'
export type { BillingRules, CloudPrice, MachinePrice, PriceList, PriceSource } from './cost/prices.ts'
export { yearlyCosts } from './cost/yearly-cost.ts'
export type * from './document/finding.ts'
export { capacityFormatVersion } from './document/finding.ts'
export type * from './document/found-costs.ts'
export type * from './document/found-simulation.ts'
export type * from './document/found-strains.ts'
export type * from './document/found-sweep.ts'
export type * from './document/loads.ts'
export { capacityFindingSchema, capacityJsonSchema } from './document/read-finding.ts'
export type { CapacityErrorCode } from './errors.ts'
export { capacityErrors } from './errors.ts'
export type { Objective, RequestOutcome } from './objective.ts'
export { allowance, isMiss, limitMs, parseObjective, parseObjectives } from './objective.ts'
export type { SteadyPart, Turn } from './search/ceiling.ts'
export { steadyPart } from './search/ceiling.ts'
export type { ServerModel } from './search/estimator.ts'
export { foundBounds, foundCapacity, foundLevel, foundSweep, loadFigure } from './search/found-level.ts'
export { judgeInterference, lateness } from './search/interference.ts'
export type { Backlog, Level } from './search/level.ts'
export { backlogOf, judgeObjective, missBatches, missRateOf, stabilityOf } from './search/level.ts'
export { judgeOverload } from './search/recovery.ts'
export type { Search, SearchOptions, SearchResult } from './search/search.ts'
export { measureLevel, searchCapacity, startSearch } from './search/search.ts'
export type { ObjectiveCapacity } from './search/search-steps.ts'
export type { ServerLimits, Stretch, StretchPlan } from './search/stretch-plan.ts'
export { fillingStretch, fullStretch, planStretch, shortestSeconds } from './search/stretch-plan.ts'
export type {
  CountErrors,
  LevelAccuracy,
  Sweep,
  SweepInput,
  SweepLevel,
  TextsAlone,
} from './search/sweep.ts'
export { analyseSweep, compareTexts, textsAlone } from './search/sweep.ts'
export { arrivalsOf } from './simulation/arrivals.ts'
export type { Calibration, CapacityEstimate } from './simulation/calibration.ts'
export { calibrate } from './simulation/calibration.ts'
export type { LevelSample, LoadedServer, LoadOrder } from './simulation/loaded-server.ts'
export type { SimulatedJobs, SimulatedMachine } from './simulation/queue-simulation.ts'
export { simulateQueue } from './simulation/queue-simulation.ts'
export type { QueueShape } from './simulation/queueing.ts'
export {
  erlangC,
  meanInSystem,
  meanWaitSeconds,
  relaxationSeconds,
  usualRelaxationSeconds,
} from './simulation/queueing.ts'
export { reproduce } from './simulation/reproduction.ts'
export type { ScalabilityFit, ScalabilityLaw, ThroughputPoint } from './simulation/scalability.ts'
export { fitScalability, throughputAt } from './simulation/scalability.ts'
export type { ServiceModel, ServiceTime } from './simulation/service-model.ts'
export { drawServiceMs, fitServiceModel, timesAlone, usualServiceMs } from './simulation/service-model.ts'
export type { FindCapacity, ServerUse, SimulatedServer, Variation } from './simulation/simulated-capacity.ts'
export { capacityFinder } from './simulation/simulated-capacity.ts'
export type { AskedMeasurement, MixedRecording, Question, SimulationInput } from './simulation/simulation.ts'
export {
  evaluateWhatIf,
  makeSimulation,
  simulatedServerOf,
  standardQuestions,
  withoutFlag,
} from './simulation/simulation.ts'
export { capacityTerms } from './terms.ts'
