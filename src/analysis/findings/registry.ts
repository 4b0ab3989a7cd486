import { conditionsDiffer } from './comparison/conditions-differ.ts'
import { hostBusyOfSides } from './comparison/host-busy.ts'
import { hostSpeedDiffers } from './comparison/host-speed-differs.ts'
import { oneRunASide } from './comparison/one-run-a-side.ts'
import { settingsDiffer } from './comparison/settings-differ.ts'
import { settingsUnknown } from './comparison/settings-unknown.ts'
import { sideDecisive, sideNotValid } from './comparison/side-not-valid.ts'
import { utterancesLeftOut } from './comparison/utterances-left-out.ts'
import { verdictsShareConfidence } from './comparison/verdicts-share-confidence.ts'
import type { ComparisonFinding } from './comparison-facts.ts'
import { type FindingDefinition, gravestFirst } from './finding-definition.ts'
import type { ReferenceFinding } from './reference-facts.ts'
import { correctionsStale } from './references/corrections-stale.ts'
import { referencesCorrected } from './references/references-corrected.ts'
import { referencesSuspect } from './references/references-suspect.ts'
import { selfReference } from './references/self-reference.ts'
import { textsDegenerate } from './references/texts-degenerate.ts'
import { textsUnstable } from './references/texts-unstable.ts'
import { answerFormat } from './run/answer-format.ts'
import { answersCrossed } from './run/answers-crossed.ts'
import { answersReused } from './run/answers-reused.ts'
import { blocksRepeated } from './run/blocks-repeated.ts'
import { clockStepped } from './run/clock-stepped.ts'
import { closedLoadHides } from './run/closed-load-hides.ts'
import { closedLoadObjective } from './run/closed-load-objective.ts'
import { contenderGivenUp } from './run/contender-given-up.ts'
import { contendersSkipped } from './run/contenders-skipped.ts'
import { coverageLow } from './run/coverage-low.ts'
import { driftWithinRun } from './run/drift-within-run.ts'
import { editsMissing } from './run/edits-missing.ts'
import { fewSpeakers } from './run/few-speakers.ts'
import { fewUtterances } from './run/few-utterances.ts'
import { generatorLate } from './run/generator-late.ts'
import { hostBusy } from './run/host-busy.ts'
import { hostOverloaded } from './run/host-overloaded.ts'
import { hostsFailed } from './run/hosts-failed.ts'
import { journalOutsidePlan } from './run/journal-outside-plan.ts'
import { latenciesDependent } from './run/latencies-dependent.ts'
import { littlesLawBroken } from './run/littles-law-broken.ts'
import { loadNotKept } from './run/load-not-kept.ts'
import { mixedLanguages } from './run/mixed-languages.ts'
import { noSpeechAnswers } from './run/no-speech-answers.ts'
import { nothingEdited } from './run/nothing-edited.ts'
import { nothingScored } from './run/nothing-scored.ts'
import { onBattery } from './run/on-battery.ts'
import { otherModel } from './run/other-model.ts'
import { priceUnknown } from './run/price-unknown.ts'
import { priceUnsourced } from './run/price-unsourced.ts'
import { rateLimitHit } from './run/rate-limit-hit.ts'
import { rateLimitWaited } from './run/rate-limit-waited.ts'
import { recordingsCut } from './run/recordings-cut.ts'
import { referenceEmptied } from './run/reference-emptied.ts'
import { repeatsFaster } from './run/repeats-faster.ts'
import { requestsFailed } from './run/requests-failed.ts'
import { requestsNotSent } from './run/requests-not-sent.ts'
import { requestsResent } from './run/requests-resent.ts'
import { requestsRetried } from './run/requests-retried.ts'
import { runFailed } from './run/run-failed.ts'
import { runInterrupted } from './run/run-interrupted.ts'
import { runUnfinished } from './run/run-unfinished.ts'
import { severalTargets } from './run/several-targets.ts'
import { startNotCommon } from './run/start-not-common.ts'
import { utteranceDominates } from './run/utterance-dominates.ts'
import { utteranceOver100 } from './run/utterance-over-100.ts'
import { warmUpFailed } from './run/warm-up-failed.ts'
import { warmUpUnsettled } from './run/warm-up-unsettled.ts'
import type { RunFinding } from './run-facts.ts'

/** Those of a run, in the order in which equally grave ones are shown. */
export const runFindings = [
  answersCrossed,
  runFailed,
  runUnfinished,
  runInterrupted,
  journalOutsidePlan,
  contenderGivenUp,
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
  hostOverloaded,
  clockStepped,
  startNotCommon,
  blocksRepeated,
  hostsFailed,
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
