/**
 * How much load a server bears before a promise breaks: promises as functions of the length of the audio, levels judged
 * in three ways, a search that spends its time where the answer is. Never sends a request and never reads a clock: a
 * server under load is handed in, a real one or a simulated one.
 *
 *   const promises = parsePromises(['p95 <= 0.5s + 0.2d', 'failures <= 1%'])
 *   const { first, levels } = await searchCapacity(server, {
 *     promises, limits, model: null, budgetSeconds: 600, seed: 1, precision: 0.05,
 *   })
 *   first?.crossing                    // { perSecond: 6.1, low: 5.8, high: 6.4, … }
 */

export { arrivalsOf } from './arrivals.ts'
export type { AtWork, ClosedLevel } from './at-work.ts'
export { atWorkOf, idleSlowdownOf } from './at-work.ts'
export type { Crossing, MissBatch } from './capacity-fit.ts'
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
  localCost,
  paretoFront,
} from './cost.ts'
export type { CapacityErrorCode } from './errors.ts'
export { capacityErrors } from './errors.ts'
export * from './finding.ts'
export { capacityFindingSchema, capacityJsonSchema } from './finding-schema.ts'
export { foundCapacity, foundLevel, foundSweep, loadFigure } from './found-level.ts'
export type { Backlog, LevelVerdict, PromiseVerdict, Stretch } from './level.ts'
export { backlogOf, judgePromise, missBatches, stabilityOf } from './level.ts'
export type { LevelSample, LoadedServer, LoadOrder } from './loaded-server.ts'
export type { BillingRules, CloudPrice, MachinePrice, PriceList, PriceSource } from './prices.ts'
export { parsePrices } from './prices.ts'
export type { JudgedRequest, ServicePromise } from './promise.ts'
export { allowance, isMiss, limitMs, parsePromise, parsePromises } from './promise.ts'
export type { ControlledBatch, QueueModel } from './queue-model.ts'
export { modelQueue, withoutLuck } from './queue-model.ts'
export type { Arrival, SimulatedAnswer, SimulatedMachine } from './queue-simulation.ts'
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
export type { Interval, ScalabilityFit, ScalabilityLaw, ThroughputPoint } from './scalability.ts'
export { fitScalability, throughputAt } from './scalability.ts'
export type { SearchEnding, SearchOptions, SearchResult } from './search.ts'
export { measureLevel, searchCapacity } from './search.ts'
export type { LevelResult, PromiseCapacity } from './search-steps.ts'
export type { ServiceModel, ServiceTime } from './service-model.ts'
export { drawServiceMs, fitServiceModel, timesAlone, usualServiceMs } from './service-model.ts'
export type { AskedMeasurement, MixedRecording, Question, SimulationInput } from './simulation.ts'
export {
  evaluateWhatIf,
  machineOf,
  makeSimulation,
  standardQuestions,
  withoutFlag,
} from './simulation.ts'
export type { ServerLimits, StretchPlan } from './stretch-plan.ts'
export { planStretch, shortestSeconds } from './stretch-plan.ts'
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
export type {
  DictationHabit,
  FleetSize,
  Imagined,
  ImaginedCapacity,
  Reproduction,
} from './what-if.ts'
export { fleetFor, imagineCapacity, reproduce, requestsPerPerson } from './what-if.ts'
