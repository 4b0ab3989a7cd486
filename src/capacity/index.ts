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

export { arrivalsOf } from './arrivals.ts'
export type { AtWork, ClosedLevel } from './at-work.ts'
export { atWorkOf, idleSlowdownOf } from './at-work.ts'
export type { Calibration, CapacityEstimate } from './calibration.ts'
export { calibrate } from './calibration.ts'
export type { CountedBatch, Crossing, MissBatch } from './capacity-fit.ts'
export { fitCrossing, fitLateCrossing } from './capacity-fit.ts'
export type { SteadyPart, Turn } from './ceiling.ts'
export { steadyPart } from './ceiling.ts'
export type { BreakEven, CloudCost, Cost, LocalCost, LocalUse, Offer, OwnPrices, Worth } from './cost.ts'
export {
  billedSeconds,
  breakEven,
  cloudCost,
  energyCost,
  fixedCosts,
  hoursPerDay,
  localCost,
  paretoFront,
} from './cost.ts'
export type { CapacityErrorCode } from './errors.ts'
export { capacityErrors } from './errors.ts'
export type { ServerModel } from './estimator.ts'
export * from './finding.ts'
export { capacityFindingSchema, capacityJsonSchema } from './finding-schema.ts'
export type { FleetSize, UserHabit } from './fleet.ts'
export { fleetFor, requestsPerUser } from './fleet.ts'
export { foundBounds, foundCapacity, foundLevel, foundSweep, loadFigure } from './found-level.ts'
export { judgeInterference, lateness } from './interference.ts'
export type { Backlog, Level, LevelVerdict, ObjectiveVerdict, Stretch } from './level.ts'
export { backlogOf, judgeObjective, missBatches, missRateOf, stabilityOf } from './level.ts'
export type { LevelSample, LoadedServer, LoadOrder } from './loaded-server.ts'
export type { Objective, RequestOutcome } from './objective.ts'
export { allowance, isMiss, limitMs, parseObjective, parseObjectives } from './objective.ts'
export type { BillingRules, CloudPrice, MachinePrice, PriceList, PriceSource } from './prices.ts'
export { parsePrices } from './prices.ts'
export type { SimulatedJobs, SimulatedMachine } from './queue-simulation.ts'
export { simulateQueue } from './queue-simulation.ts'
export type { QueueShape } from './queueing.ts'
export {
  erlangC,
  meanInSystem,
  meanWaitSeconds,
  relaxationSeconds,
  usualRelaxationSeconds,
} from './queueing.ts'
export type { Overload } from './recovery.ts'
export { judgeOverload } from './recovery.ts'
export type { Reproduction } from './reproduction.ts'
export { reproduce } from './reproduction.ts'
export type { Interval, ScalabilityFit, ScalabilityLaw, ThroughputPoint } from './scalability.ts'
export { fitScalability, throughputAt } from './scalability.ts'
export type { Search, SearchEnding, SearchOptions, SearchResult } from './search.ts'
export { measureLevel, searchCapacity, startSearch } from './search.ts'
export type { ObjectiveCapacity } from './search-steps.ts'
export type { ServiceModel, ServiceTime } from './service-model.ts'
export { drawServiceMs, fitServiceModel, timesAlone, usualServiceMs } from './service-model.ts'
export type { ServerUse, SimulatedCapacity, SimulatedServer, Variation } from './simulated-capacity.ts'
export { simulateCapacity } from './simulated-capacity.ts'
export type { AskedMeasurement, MixedRecording, Question, SimulationInput } from './simulation.ts'
export {
  evaluateWhatIf,
  makeSimulation,
  simulatedServerOf,
  standardQuestions,
  withoutFlag,
} from './simulation.ts'
export type { ServerLimits, StretchPlan } from './stretch-plan.ts'
export { fillingStretch, fullStretch, planStretch, shortestSeconds } from './stretch-plan.ts'
export type {
  CountErrors,
  LevelAccuracy,
  Scaling,
  Sweep,
  SweepInput,
  SweepLevel,
  TextsAlone,
} from './sweep.ts'
export { analyseSweep, compareTexts, textsAlone } from './sweep.ts'
export { capacityTerms } from './terms.ts'
export type { YearlyCosts } from './yearly-cost.ts'
export { yearlyCosts } from './yearly-cost.ts'
