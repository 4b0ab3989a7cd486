import {
  type ComparisonFinding,
  conditionsDiffer,
  hostBusyOfSides,
  hostSpeedDiffers,
  oneRunASide,
  settingsDiffer,
  settingsUnknown,
  sideDecisive,
  sideNotValid,
  utterancesLeftOut,
  verdictsShareConfidence,
} from './comparison.ts'
import { type FindingDefinition, gravestFirst } from './finding-definition.ts'
import {
  correctionsStale,
  type ReferenceFinding,
  referencesCorrected,
  referencesSuspect,
  selfReference,
  textsDegenerate,
  textsUnstable,
} from './references.ts'
import {
  answerFormat,
  answersCrossed,
  answersReused,
  editsMissing,
  noSpeechAnswers,
  nothingEdited,
  nothingScored,
  otherModel,
  recordingsCut,
} from './run/answers.ts'
import { driftWithinRun } from './run/drift-within-run.ts'
import { generatorLate, hostBusy, onBattery } from './run/host.ts'
import { littlesLawBroken } from './run/littles-law-broken.ts'
import {
  blocksRepeated,
  clockStepped,
  closedLoadHides,
  closedLoadObjective,
  latenciesDependent,
  loadNotKept,
  startNotCommon,
} from './run/load.ts'
import {
  journalOutsidePlan,
  priceUnknown,
  priceUnsourced,
  runFailed,
  runInterrupted,
  runUnfinished,
  severalTargets,
} from './run/record.ts'
import {
  contenderGivenUp,
  contendersSkipped,
  coverageLow,
  hostsFailed,
  rateLimitHit,
  rateLimitWaited,
  requestsFailed,
  requestsNotSent,
  requestsResent,
  requestsRetried,
} from './run/requests.ts'
import {
  fewSpeakers,
  fewUtterances,
  mixedLanguages,
  referenceEmptied,
  utteranceDominates,
  utteranceOver100,
} from './run/utterances.ts'
import { repeatsFaster, warmUpFailed, warmUpUnsettled } from './run/warm-up.ts'
import type { RunFinding } from './run-facts.ts'

/** Those of a run, in the order in which equally grave ones are shown. */
export const runFindings = [
  answersCrossed,
  runFailed,
  runUnfinished,
  runInterrupted,
  journalOutsidePlan,
  contenderGivenUp,
  hostsFailed,
  contendersSkipped,
  severalTargets,
  otherModel,
  answerFormat,
  answersReused,
  nothingScored,
  coverageLow,
  requestsFailed,
  requestsRetried,
  requestsResent,
  warmUpFailed,
  requestsNotSent,
  noSpeechAnswers,
  rateLimitWaited,
  rateLimitHit,
  nothingEdited,
  editsMissing,
  utteranceOver100,
  utteranceDominates,
  recordingsCut,
  referenceEmptied,
  mixedLanguages,
  fewUtterances,
  fewSpeakers,
  loadNotKept,
  generatorLate,
  clockStepped,
  startNotCommon,
  blocksRepeated,
  hostBusy,
  onBattery,
  littlesLawBroken,
  driftWithinRun,
  repeatsFaster,
  warmUpUnsettled,
  latenciesDependent,
  closedLoadHides,
  closedLoadObjective,
  priceUnsourced,
  priceUnknown,
] satisfies readonly RunFinding[]

/** Those of a run whose texts are compared with its references. */
export const referenceFindings = [
  textsDegenerate,
  textsUnstable,
  selfReference,
  correctionsStale,
  referencesCorrected,
  referencesSuspect,
] satisfies readonly ReferenceFinding[]

/** Those of a comparison, in the order in which they are shown. */
export const comparisonFindings = [
  sideNotValid,
  sideDecisive,
  correctionsStale,
  referencesCorrected,
  utterancesLeftOut,
  conditionsDiffer,
  hostSpeedDiffers,
  settingsDiffer,
  settingsUnknown,
  hostBusyOfSides,
  oneRunASide,
  verdictsShareConfidence,
] satisfies readonly ComparisonFinding[]

const all = [...runFindings, ...referenceFindings, ...comparisonFindings]

export type FindingCode = (typeof all)[number]['code']

/** Every finding that an evaluation or a comparison can carry, once, the gravest first. */
export const findingDefinitions: readonly FindingDefinition[] = gravestFirst([
  ...new Map(all.map((one) => [one.code, one])).values(),
])
