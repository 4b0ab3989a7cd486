import * as comparison from './comparison.ts'
import { type FindingDetector, gravestFirst } from './finding-definition.ts'
import * as references from './references.ts'
import * as answers from './run/answers.ts'
import { driftWithinRun } from './run/drift-within-run.ts'
import * as host from './run/host.ts'
import { littlesLawBroken } from './run/littles-law-broken.ts'
import * as load from './run/load.ts'
import * as record from './run/record.ts'
import * as requests from './run/requests.ts'
import * as utterances from './run/utterances.ts'
import * as warmUp from './run/warm-up.ts'

/** Findings of a run, in display order within each severity. */
export const runFindings = [
  answers.answersCrossed,
  record.runFailed,
  record.runUnfinished,
  record.runInterrupted,
  record.journalOutsidePlan,
  requests.contenderGivenUp,
  requests.hostsFailed,
  requests.contendersSkipped,
  record.severalTargets,
  answers.otherModel,
  answers.answerFormat,
  answers.answersReused,
  answers.nothingScored,
  requests.coverageLow,
  requests.requestsFailed,
  requests.requestsRetried,
  requests.requestsResent,
  warmUp.warmUpFailed,
  requests.requestsNotSent,
  answers.noSpeechAnswers,
  requests.rateLimitWaited,
  requests.rateLimitHit,
  answers.nothingEdited,
  answers.editsMissing,
  utterances.utteranceOver100,
  utterances.utteranceDominates,
  answers.recordingsCut,
  utterances.referenceEmptied,
  utterances.mixedLanguages,
  utterances.fewUtterances,
  utterances.fewSpeakers,
  load.loadNotKept,
  host.generatorLate,
  load.clockStepped,
  load.startNotCommon,
  load.blocksRepeated,
  host.hostBusy,
  host.onBattery,
  littlesLawBroken,
  driftWithinRun,
  warmUp.repeatsFaster,
  warmUp.warmUpUnsettled,
  load.latenciesDependent,
  load.closedLoadHides,
  load.closedLoadObjective,
  record.priceUnsourced,
  record.priceUnknown,
]

export const referenceFindings = [
  references.textsDegenerate,
  references.textsUnstable,
  references.selfReference,
  references.correctionsStale,
  references.referencesCorrected,
  references.referencesSuspect,
]

/** Findings of a comparison, in display order. */
export const comparisonFindings = [
  comparison.sideNotValid,
  comparison.sideDecisive,
  references.correctionsStale,
  references.referencesCorrected,
  comparison.utterancesLeftOut,
  comparison.conditionsDiffer,
  comparison.hostSpeedDiffers,
  comparison.settingsDiffer,
  comparison.settingsUnknown,
  comparison.hostBusyOfSides,
  comparison.oneRunASide,
  comparison.verdictsShareConfidence,
]

const all = [...runFindings, ...referenceFindings, ...comparisonFindings]

export type FindingCode = (typeof all)[number]['code']

/** All findings of evaluations and comparisons without duplicates, the gravest first. */
export const findingDefinitions: readonly Pick<FindingDetector<never>, 'code' | 'severity'>[] = gravestFirst([
  ...new Map(all.map((one) => [one.code, one])).values(),
])
