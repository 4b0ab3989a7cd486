import type { RunRecord } from '#journal'
import { shellWord } from '#prelude'
import { referenceLength } from '#scoring'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { ContenderDifference, EvaluatedLoad, Instrument } from '../documents/evaluation.ts'
import { type Finding, finding } from '../documents/finding.ts'
import { priceFindings } from '../figures/cost.ts'
import { failureHints, failureText } from '../figures/failure-groups.ts'
import { answeredTimes } from '../requests/answered-times.ts'
import type { JudgedRun } from '../requests/resolved-run.ts'
import type { RunMaterial } from '../requests/run-material.ts'
import type { ScoredContender } from '../requests/scored-contender.ts'
import type { TranscriptScorer } from '../requests/transcript-scorer.ts'
import { closedPromiseFinding } from './closed-load-objective.ts'
import { dependenceFinding } from './dependent-latencies.ts'
import { driftFinding } from './drift.ts'
import { batteryFinding, hostFindings } from './host-findings.ts'
import { instrumentFindings, littleFinding } from './instrument.ts'
import { repeatsFasterFinding } from './repeats-faster.ts'
import { givenUpFindings, rateLimitFindings } from './target-findings.ts'
import { utteranceFindings } from './utterance-findings.ts'
import { counted, named } from './wording.ts'

/** Differences up to this size are what users ask about; a corpus that cannot show them says so. */
const wantedResolution = 0.01
const fewSpeakers = 20

export interface FindingsInput {
  readonly material: RunMaterial
  readonly load: EvaluatedLoad
  readonly instrument: Instrument
  readonly judged: JudgedRun
  readonly scorer: TranscriptScorer
  readonly scored: readonly ScoredContender[]
  readonly contenders: readonly ContenderEvaluation[]
  readonly difference: ContenderDifference | null
}

/** Everything that could make a reader distrust a run's figures, the gravest first. */
export function runFindings(input: FindingsInput): readonly Finding[] {
  const findings = [
    ...endingFindings(input),
    ...givenUpFindings(input.material.record),
    ...skippedContenders(input.material),
    ...otherModels(input.material),
    ...input.contenders.flatMap((contender) => contenderFindings(contender, input)),
    ...input.contenders.flatMap((contender) => rateLimitFindings(contender, input.load)),
    ...input.contenders.flatMap((contender) => editFindings(contender, input.material.record)),
    ...utteranceFindings(input.scored, {
      runId: input.material.record.id,
      leads: input.scorer.profile.leads,
    }),
    ...emptiedReferences(input),
    ...resolutionFindings(input),
    ...input.contenders.flatMap((contender) => loadFindings(contender, input.load)),
    ...machineFindings(input),
    ...changesWithinRun(input),
    ...(input.load.latencyCountsFrom === 'due'
      ? input.scored.flatMap(({ judged, latencies }) =>
          dependenceFinding(judged.contender, latencies.latenciesMs),
        )
      : []),
    ...closedPromiseFinding(input.material.record, input.load),
    ...priceFindings(input.material.record.contenders),
  ]
  return gravestFirst(findings)
}

/** Among equally grave ones the order stays. */
export function gravestFirst(findings: readonly Finding[]): readonly Finding[] {
  const weight = { invalid: 0, warning: 1, note: 2 }
  return findings.toSorted((a, b) => weight[a.severity] - weight[b.severity])
}

function skippedContenders({ record }: RunMaterial): readonly Finding[] {
  if (record.skipped.length === 0) return []
  const who = record.skipped.map(({ id, reason }) => `${id} (${reason})`).join(', ')
  return [
    finding(
      'CONTENDERS_SKIPPED',
      `left out by --skip-unready: ${who}`,
      `see what the target has: ${doctorCommand(record)}`,
    ),
  ]
}

/** What the measuring machine and program had to do with the figures. */
function machineFindings({ load, instrument, judged, contenders }: FindingsInput): readonly Finding[] {
  const { cpuCount } = judged.record.host
  const medians = contenders.map(({ latencyMs }) => latencyMs.p50.value).filter((value) => value !== null)
  const medianLatencyMs = medians.length === 0 ? null : Math.min(...medians)
  const own = instrumentFindings(instrument, { load, cpuCount, medianLatencyMs })
  const isOverloaded = own.some(({ code }) => code === 'HOST_OVERLOADED')
  return [
    ...own,
    ...(isOverloaded ? [] : hostFindings(cpuCount, instrument.foreignProcessors)),
    ...batteryFinding(judged.record.host),
    ...contenders.flatMap(({ contender, systemSpeed }) =>
      systemSpeed.value === null
        ? []
        : littleFinding(
            contender.id,
            { ...systemSpeed, predicted: systemSpeed.predictedInFlight },
            load.concurrency,
          ),
    ),
  ]
}

/** Answers that name another engine or model than the contender's. A server that names none is not held to it. */
function otherModels({ record, attempts }: RunMaterial): readonly Finding[] {
  return record.contenders.flatMap(({ id, engine, model }) => {
    let [answerCount, otherCount] = [0, 0]
    const names = new Set<string>()
    for (const { contenderId, phase, outcome } of attempts) {
      if (contenderId !== id || phase !== 'measure' || !outcome.ok) continue
      const { answer } = outcome
      answerCount += 1
      if (!isOther(answer.engine, engine) && !isOther(answer.model, model)) continue
      otherCount += 1
      names.add(nameOf(answer.engine, answer.model))
    }
    if (otherCount === 0) return []
    const share = `${otherCount} of ${counted(answerCount, 'answer')}`
    const message = `${share} to ${id} came from ${[...names].join(', ')}, not from ${nameOf(engine, model)}`
    return [finding('OTHER_MODEL', message, doctorCommand(record))]
  })
}

/** Asks the target of the run what it has. */
function doctorCommand({ config, target }: RunRecord): string {
  const named = typeof config === 'object' && config !== null && 'target' in config ? config['target'] : null
  if (target.kind === 'embedded' || typeof named !== 'string') return 'transcribench doctor'
  return `transcribench doctor ${shellWord(named)}`
}

function isOther(answered: string, asked: string | null): boolean {
  return asked !== null && answered !== '' && answered !== asked
}

/** `moonshine:moonshine-tiny`; what is not known is left out. */
function nameOf(engine: string | null, model: string | null): string {
  return [engine, model].filter((part) => part !== null && part !== '').join(':')
}

function isGivenUp(contenderId: string, { material: { record } }: FindingsInput): boolean {
  return (record.givenUp ?? []).some(({ id }) => id === contenderId)
}

/** Whether all that ended the run early was that contenders were given up, and others were measured. */
function isOnlyGivenUp({ material: { record }, contenders }: FindingsInput): boolean {
  const hasFigures = contenders.some(({ counts }) => counts.answered > 0)
  return hasFigures && record.ending?.code === 'TARGET_FAILING' && (record.givenUp ?? []).length > 0
}

function endingFindings(input: FindingsInput): readonly Finding[] {
  const { record, strayAttemptCount } = input.judged
  const resume = record.resume ?? `transcribench run --resume ${record.id}`
  const findings: Finding[] = []
  if (record.status === 'failed' && !isOnlyGivenUp(input)) {
    const { code, message, hint } = record.ending ?? {
      code: 'unknown',
      message: 'no reason was recorded',
      hint: null,
    }
    findings.push(finding('RUN_FAILED', `the run failed: ${message} (${code})`, hint))
  }
  if (record.status === 'started') {
    findings.push(
      finding(
        'RUN_UNFINISHED',
        'the run has not recorded its ending: it was killed, or is still going on',
        `where it was killed, go on with it: ${resume}`,
      ),
    )
  }
  if (record.status === 'interrupted') {
    findings.push(
      finding(
        'RUN_INTERRUPTED',
        'the run was interrupted; its figures cover a part of the plan',
        `go on with it: ${resume}`,
      ),
    )
  }
  if (strayAttemptCount > 0) {
    const what = `${counted(strayAttemptCount, 'attempt')} in the journal ${strayAttemptCount === 1 ? 'is' : 'are'}`
    findings.push(
      finding('JOURNAL_OUTSIDE_PLAN', `${what} not in the plan, and not scored`, 'restore the run folder'),
    )
  }
  return findings
}

function contenderFindings(
  { contender, counts, failures, noSpeechCount, sentAgain }: ContenderEvaluation,
  input: FindingsInput,
): readonly Finding[] {
  const findings = [...coverageFindings({ contender, counts }, input)]
  const { planned, answered, failed, dropped, notSent } = counts
  if (failed > 0) {
    const which = failures.map(failureText).join('; ')
    findings.push(
      finding(
        'REQUESTS_FAILED',
        `${failed} of ${planned} requests to ${contender.id} failed (counted, not scored): ${which}`,
        [...failureHints(failures), 'which ones: column failure of utterances.csv'].join('; '),
      ),
    )
  }
  if (sentAgain.requestCount > 0) {
    const { requestCount, answeredCount } = sentAgain
    findings.push(
      finding(
        'REQUESTS_RETRIED',
        `${counted(requestCount, 'request')} to ${contender.id} ${requestCount === 1 ? 'was' : 'were'} sent again, ` +
          `${answeredCount} of them answered then: latency is that of the whole, waits included`,
        'what the first attempts took: columns first_attempt of summary.csv',
      ),
    )
  }
  if (dropped + notSent > 0 && !isGivenUp(contender.id, input)) {
    findings.push(
      finding(
        'REQUESTS_NOT_SENT',
        `${dropped + notSent} of ${planned} requests to ${contender.id} were not carried out ` +
          `(${notSent} not sent, ${dropped} dropped in flight)`,
      ),
    )
  }
  if (noSpeechCount > 0) {
    findings.push(
      finding(
        'NO_SPEECH_ANSWERS',
        `${noSpeechCount} of ${answered} answers of ${contender.id} said that there was no speech: ` +
          'scored as empty transcripts',
      ),
    )
  }
  return findings
}

/** Whether enough was answered. Of a contender that was given up, CONTENDER_GIVEN_UP says why it was not. */
function coverageFindings(
  {
    contender: { id },
    counts: { planned, answered, failed },
  }: Pick<ContenderEvaluation, 'contender' | 'counts'>,
  input: FindingsInput,
): readonly Finding[] {
  if (isGivenUp(id, input) && isOnlyGivenUp(input)) return []
  if (answered === 0) {
    return [finding('NOTHING_SCORED', `none of ${counted(planned, 'request')} to ${id} was answered`)]
  }
  if (answered >= failed) return []
  return [finding('COVERAGE_LOW', `only ${answered} of ${answered + failed} requests to ${id} were answered`)]
}

/** Texts that came back as they were sent. */
function editFindings(
  { contender, counts, postProcessedRate }: ContenderEvaluation,
  record: RunRecord,
): readonly Finding[] {
  if (postProcessedRate === null || postProcessedRate === 1) return []
  const unedited = Math.round((1 - postProcessedRate) * counts.answered)
  return postProcessedRate === 0
    ? [
        finding(
          'NOTHING_EDITED',
          `${contender.id} edited none of ${counted(counts.answered, 'text')}`,
          doctorCommand(record),
        ),
      ]
    : [
        finding(
          'EDITS_MISSING',
          `${contender.id} did not edit ${unedited} of ${counted(counts.answered, 'text')}: its provider failed`,
          'which ones: isPostProcessed in journal.jsonl',
        ),
      ]
}

function emptiedReferences({ scorer, scored, material: { utterances } }: FindingsInput): readonly Finding[] {
  /** 1 where an utterance was measured, 2 where its reference is known to hold words. */
  const known = new Uint8Array(utterances.length)
  for (const { requests } of scored) {
    for (const { judged, score } of requests) {
      const { utterancePlace } = judged
      const holdsWords = score !== null && referenceLength(score.words) > 0
      known[utterancePlace] = Math.max(known[utterancePlace] as number, holdsWords ? 2 : 1)
    }
  }
  const ids = utterances
    .filter((utterance, place) => known[place] === 1 && scorer.empties(utterance))
    .map(({ id }) => id)
  if (ids.length === 0) return []
  return [
    finding(
      'REFERENCE_EMPTIED',
      `${scorer.profile.id} leaves no words of the reference of ${counted(ids.length, 'utterance')}: ${named(ids)}`,
      `leave them out with --exclude ${ids.slice(0, 10).join(',')}`,
    ),
  ]
}

/** What difference the corpus can show, told where it is more than people usually want to see. */
function resolutionFindings({ contenders, difference, scorer }: FindingsInput): readonly Finding[] {
  const findings: Finding[] = []
  const { leads } = scorer.profile
  const largest = contenders.reduce<ContenderEvaluation | null>(
    (most, one) => (most === null || one[leads].referenceLength > most[leads].referenceLength ? one : most),
    null,
  )
  if (largest === null || largest[leads].rate === null) return findings
  const { utteranceCount, speakerCount, scoredCount, [leads]: own } = largest
  // What is said again in the next round adds nothing to the length.
  const length = (own.referenceLength * utteranceCount) / scoredCount
  // Where no error occurred there is no interval, and the rule of three alone speaks.
  const noWidth = utteranceCount > 1 && own.rate === 0 ? { low: 0, high: 0 } : null
  const compared = leads === 'words' ? difference?.wordErrorRate : difference?.characterErrorRate
  const resolvable = resolvableDifference(compared?.interval ?? own.interval ?? noWidth, length)
  if (resolvable === null || resolvable > wantedResolution) {
    const size = resolvable === null ? 'no' : `about ${points(resolvable)}`
    findings.push(
      finding(
        'FEW_UTTERANCES',
        `${counted(utteranceCount, 'utterance')} can resolve ${resolvable === null ? 'no difference' : `a difference of ${size}, not less`}`,
        'use a larger corpus with --corpus',
      ),
    )
  }
  if (speakerCount !== null && speakerCount >= 2 && speakerCount < fewSpeakers) {
    findings.push(
      finding('FEW_SPEAKERS', `the intervals rest on ${speakerCount} speakers and may be too narrow`),
    )
  }
  return findings
}

/** Half the width of the interval, and never less than 3 errors in the words at hand (rule of three). */
function resolvableDifference(
  interval: { readonly low: number; readonly high: number } | null,
  wordCount: number,
): number | null {
  if (interval === null || wordCount === 0) return null
  return Math.max((interval.high - interval.low) / 2, 3 / wordCount)
}

function points(rate: number): string {
  const value = rate * 100
  const rounded = value >= 2 ? Math.round(value) : Number(value.toFixed(1))
  return `${rounded} point${rounded === 1 ? '' : 's'}`
}

function loadFindings(
  { contender, systemSpeed }: ContenderEvaluation,
  { concurrency }: EvaluatedLoad,
): readonly Finding[] {
  if (concurrency === null || systemSpeed.value === null || systemSpeed.meanInFlight >= concurrency * 0.95)
    return []
  const share = Math.round((1 - systemSpeed.meanInFlight / concurrency) * 100)
  return [
    finding(
      'LOAD_NOT_KEPT',
      `on average ${systemSpeed.meanInFlight.toFixed(2)} of ${concurrency} requests to ${contender.id} were in ` +
        `flight: its speed is understated by about ${share}%`,
      'close other programs, or use longer audio',
    ),
  ]
}

/** Under an open load times rise with the queue, which is no drift of the server. */
function changesWithinRun({ load, scored }: FindingsInput): readonly Finding[] {
  if (load.kind !== 'closed') return []
  const found = scored.map(({ judged }) => {
    const answered = answeredTimes(judged.requests)
    return { drift: driftFinding(judged, answered), repeats: repeatsFasterFinding(judged, answered) }
  })
  return [...found.flatMap(({ drift }) => drift), ...found.flatMap(({ repeats }) => repeats)]
}
