import type { NoSpeechRule } from '#contract/failures'
import type { RecordedContender, RunRecord } from '#journal/run-record'
import { withoutUndefined } from '#prelude'
import { listClusterings } from '#rates/error-rate'
import { type AuditedUtterance, auditReferences } from '#scoring/error-analysis/repeats'
import type { Profile } from '#scoring/profiles/profile'
import type { ReferenceAudit } from './documents/error-analysis.ts'
import { type Evaluation, evaluationFormatVersion } from './documents/evaluation.ts'
import type { Finding } from './documents/finding.ts'
import type { Validity } from './documents/scoring-identity.ts'
import { contenderAnalyses } from './error-analysis/contender-analysis.ts'
import { type EvaluationContext, evaluateContender } from './figures/contender-evaluation.ts'
import { runCosts } from './figures/costs.ts'
import { targetWords } from './figures/machine/conditions.ts'
import { measureInstrument } from './figures/machine/instrument.ts'
import { measureResources } from './figures/machine/resources.ts'
import { pooledContenders } from './figures/ranking/pooled-contenders.ts'
import { scoresWithFailures, tallyUtterances } from './figures/ranking/pooled-scores.ts'
import { contenderDifference, rankContenders } from './figures/ranking/ranking.ts'
import { speedDifferences } from './figures/speed/speed-differences.ts'
import { detectFindings, gravestFirst } from './findings/finding-definition.ts'
import type { ReferenceFacts } from './findings/references.ts'
import { referenceFindings, runFindings } from './findings/registry.ts'
import { hostBusyText } from './findings/run/host.ts'
import { coldText } from './findings/run/warm-up.ts'
import { runFacts } from './findings/run-facts.ts'
import { evaluatedLoad, evaluatedTargets, loadOfContender } from './requests/evaluated-load.ts'
import { evaluateRequest } from './requests/request-times.ts'
import { listUtterances, type RunMaterial, resolveRun } from './requests/resolved-run.ts'
import { type ScoredContender, scoreContender } from './requests/scored-contender.ts'
import {
  type Corrections,
  chooseScoring,
  correctReferences,
  type ScoringChoice,
  scoringIdentity,
  type TranscriptScorer,
  transcriptScorer,
} from './requests/transcript-scorer.ts'
import { missingRequests } from './thresholds/missing-requests.ts'

export interface EvaluateOptions extends ScoringChoice {
  /** Seed of the intervals; default: the seed of the run. */
  readonly seed?: number | undefined
  /** Rules for answers that mean "no speech"; default: those of the run's config. */
  readonly noSpeech?: readonly NoSpeechRule[] | undefined
  /** References that were corrected after the run. */
  readonly corrections?: Corrections | undefined
}

/**
 * Scores a recorded run. Every planned request has one outcome, and what makes a figure doubtful is a finding. The
 * same run, profile and seed give the same document.
 *
 * Rates are ratios of sums over answered requests. Latency ends with the last byte received. It starts at the due
 * time under an open load or concurrent users, and at the sending under a closed load.
 *
 * @throws BenchError RUN_INCONSISTENT where the run's files contradict each other, and errors of `#scoring` for an
 *   unknown profile
 */
export function evaluateRun(run: RunMaterial, options: EvaluateOptions = {}): Evaluation {
  const { profile, vocabulary } = chooseScoring(run.record, options)
  const { material, applied } = correctReferences(run, options.corrections ?? null)
  const scorer = transcriptScorer(profile)
  const { rated, scored, clusterings, crossedIds } = rateRun(material, scorer, options)
  const audit = auditRun(scored, scorer.rules)
  const errorAnalyses = contenderAnalyses(scored, { scorer, clusterings, seed: rated.seed, vocabulary })
  const references: ReferenceFacts = {
    audit,
    analyses: errorAnalyses,
    crossedIds,
    isConcurrent: rated.load.kind !== 'closed' || rated.load.concurrency !== 1,
    corrections: applied,
    runId: run.record.id,
  }
  return {
    ...rated,
    // Lazy figures are computed here, so that the document does not keep the run in memory.
    contenders: rated.contenders.map((contender) => ({ ...contender })),
    findings: gravestFirst([...rated.findings, ...detectFindings(referenceFindings, references)]),
    scoring: scoringIdentity(scorer, {
      corrections: applied,
      vocabulary,
      noSpeech: options.noSpeech ?? run.record.noSpeech,
    }),
    speeds: speedDifferences(run.record, rated, scored, speedsWithheld(rated)),
    errorAnalyses,
    audit,
    utterances: scored
      .flatMap((contender) => contender.requests.map((request) => evaluateRequest(request, rated.load)))
      .sort((a, b) => a.requestIndex - b.requestIndex),
  }
}

/** Returns why the speeds of a run are not comparable; null where they are. */
function speedsWithheld(run: RatedRun): string | null {
  return run.validity === 'invalid' ? 'the run is not valid' : (hostBusyText(run) ?? coldText(run))
}

/** The part of an evaluation that does not depend on how texts differ. */
type RatedRun = Omit<Evaluation, 'scoring' | 'speeds' | 'errorAnalyses' | 'audit' | 'utterances'>

/** Scores the answers of a run and computes its figures, ranking, findings and validity. */
export function rateRun(
  run: RunMaterial,
  scorer: TranscriptScorer,
  options: Pick<EvaluateOptions, 'seed' | 'noSpeech'> & Pick<EvaluationContext, 'replicates'>,
) {
  const { record } = run
  const seed = options.seed ?? record.seed
  const load = evaluatedLoad(record)
  const resolved = resolveRun(run, options.noSpeech ?? record.noSpeech)
  const measured = resolved.contenders.flatMap((contender) => listUtterances(contender))
  const context: EvaluationContext = {
    scorer,
    clusterings: listClusterings([...new Set(measured)]),
    record,
    load,
    seed,
    replicates: options.replicates,
    telemetry: run.telemetry ?? [],
  }
  const scored = resolved.contenders.map((contender) => scoreContender(contender, scorer, record, load))
  const contenders = scored.map((contender) =>
    evaluateContender(contender, { ...context, load: loadOfContender(load, contender.resolved.contender) }),
  )
  const { leads } = scorer.profile
  // Without replicates the rates have no intervals, and without intervals contenders are not ranked.
  const compared =
    options.replicates === 0
      ? new Map<string, ScoredContender[]>()
      : Map.groupBy(scored, ({ resolved: { contender } }) => comparedAs(contender, record))
  const scores = new Map(
    [...compared].map(([id, members]) => [
      id,
      scoresWithFailures(members.map((one) => tallyUtterances(one, scorer))),
    ]),
  )
  const ranked = rankContenders(scores, { leads, seed })
  const ranking = ranked?.ranking ?? null
  const difference = contenderDifference(ranked, { leads, seed })
  const sendings = resolved.contenders.flatMap((contender) => contender.sendings)
  const instrument = measureInstrument(sendings, run.telemetry ?? [])
  const resources = measureResources(sendings, run.telemetry ?? [])
  const missing = missingRequests(record, contenders, (id) => {
    const scoredContender = scored.find((contender) => contender.resolved.contender.id === id)
    return scoredContender?.requests.map((request) => evaluateRequest(request, load)) ?? []
  })
  const facts = runFacts({
    material: run,
    load,
    instrument,
    resources,
    resolved,
    scorer,
    scored,
    contenders,
    difference,
  })
  const findings = gravestFirst(detectFindings(runFindings, facts))
  const targets = evaluatedTargets(record)
  const hosts = pooledContenders(record, { ...context, scored, contenders })
  const rated: RatedRun = {
    formatVersion: evaluationFormatVersion,
    run: runIdentity(run),
    validity: judgeValidity(findings, missing),
    missing,
    instrument,
    findings,
    profile: scorer.profile,
    alignment: 'canonical',
    seed,
    ...withoutUndefined({ targets, hosts }),
    corpus: record.corpus,
    load,
    rounds: record.rounds,
    resources,
    contenders,
    costs: runCosts(record, contenders),
    difference,
    ranking,
  }
  const { clusterings } = context
  return { record, scored, clusterings, rated, crossedIds: new Set(facts.crossedAnswers.keys()) }
}

/** Hosts of a sharded corpus got different utterances, so their contender is compared as a whole. */
function comparedAs({ id, merged }: RecordedContender, { fleetMode }: RunRecord): string {
  return fleetMode === 'shard' && merged !== undefined ? merged.contender : id
}

function judgeValidity(findings: readonly Finding[], missing: Evaluation['missing']): Validity {
  if (findings.some(({ severity }) => severity === 'invalid')) return 'invalid'
  return missing.length === 0 ? 'valid' : 'short'
}

function runIdentity({ record }: RunMaterial): Evaluation['run'] {
  const { id, name, status, startedAt, endedAt, target, host, givenUp = [] } = record
  return {
    id,
    name,
    status,
    startedAt,
    endedAt,
    targetBaseUrl: target.baseUrl,
    target: targetWords(record),
    serviceVersion: target.health?.app_version ?? null,
    programVersion: host.programVersion,
    cpuModel: host.cpuModel,
    cpuCount: host.cpuCount,
    ...withoutUndefined({ machineCpuCount: host.machineCpuCount }),
    givenUp,
  }
}

/** Compares the references with the first answer of every contender. */
function auditRun(scored: readonly ScoredContender[], profile: Profile): ReferenceAudit {
  const { suspects, selfReferences } = auditReferences(auditedUtterances(scored), profile)
  // One contender on several hosts agrees with itself, which is no evidence about a reference.
  const areSeveral = new Set(scored.map(auditedAs)).size > 1
  return {
    suspectCount: areSeveral ? suspects.length : null,
    suspects: areSeveral ? suspects : [],
    selfReferences,
  }
}

function auditedAs({ resolved: { contender } }: ScoredContender): string {
  return contender.merged?.contender ?? contender.id
}

function auditedUtterances(scored: readonly ScoredContender[]): readonly AuditedUtterance[] {
  const audited = new Map<string, { reference: string; hypotheses: Map<string, string | null> }>()
  for (const contender of scored) {
    const name = auditedAs(contender)
    for (const { resolved: request, reference } of contender.requests) {
      const { id } = request.utterance
      const entry = audited.get(id) ?? { reference, hypotheses: new Map() }
      audited.set(id, entry)
      // With several accepted texts, the one is used that the first answer is compared with.
      if ([...entry.hypotheses.values()].every((text) => text === null)) entry.reference = reference
      entry.hypotheses.set(name, entry.hypotheses.get(name) ?? request.hypothesis)
    }
  }
  return [...audited].map(([id, entry]) => ({ id, ...entry }))
}
