import type { BreakEven, FoundFleet } from '#capacity/cost'
import {
  type CapacityFinding,
  type CapacityRemark,
  type ContenderCapacity,
  isSentLate,
  type WhatIfAnswer,
} from '#capacity/finding'
import type {
  FoundCapacity,
  FoundLevel,
  FoundSimulation,
  FoundSweep,
  LoadFigure,
} from '#capacity/found-loads'
import { sumOf } from '#prelude'
import {
  absent,
  counted,
  fixed,
  formatCount,
  formatMilliseconds,
  formatPercent,
  formatSeconds,
} from '../layout/units.ts'

/** A rate in three significant figures: `150`, `12.0`, `3.00`, `0.42`; below a tenth in two: `0.0033`. */
export function formatRate(value: number): string {
  if (value > 0 && value < 0.0995) return value.toPrecision(2)
  return value >= 99.5 ? formatCount(Math.round(value)) : fixed(value, value >= 9.95 ? 1 : 2)
}

/** `3.0 requests per second`. */
function requests(value: number): string {
  return `${formatRate(value)} requests per second`
}

/** The speech and the users that a load equals: `22.0 hours of speech per hour, or 150 concurrent users`. */
function worth({ audioSecondsPerSecond, concurrentUsers }: LoadFigure): string {
  const users = counted(Math.floor(concurrentUsers + 1e-9), 'concurrent user')
  return `${formatRate(audioSecondsPerSecond)} hours of speech per hour, or ${users}`
}

/** A remark; one of severity `invalid` says first that it makes the whole measurement invalid. */
export function remarkSentence({ severity, message }: CapacityRemark): string {
  return severity === 'invalid' ? `This measurement is not valid: ${message.replace(/\.$/, '')}.` : message
}

/** What a contender sustains, the answer first; nothing where this machine was too busy to send in time. */
export function answerSentences(
  contender: ContenderCapacity,
  { instrument }: Pick<CapacityFinding, 'instrument'>,
): readonly string[] {
  if (isSentLate(instrument) && contender.ended !== 'given') return []
  const machines = fleetSentence(contender.fleet)
  return [...sustainedSentences(contender), ...(machines === null ? [] : [machines])]
}

function sustainedSentences(contender: ContenderCapacity): readonly string[] {
  const { id, capacity, ended } = contender
  if (ended === 'given') return [`${id}: the capacity was given with --known-capacity, and not measured.`]
  if (contender.change !== null) return changedAnswer(id, contender.change)
  if (capacity === null) return boundedAnswer(contender)
  const { basis, estimate } = capacity
  if (basis === 'simulated')
    return [
      `${id} is estimated to sustain ${requests(estimate.requestsPerSecond)} within its objectives ` +
        `(simulated${intervalInWords(capacity)}): ${worth(estimate)}.`,
      `${certaintyInWords(contender)} ${endInWords(ended)} open loads showed more: give it a longer --budget.`,
    ]
  return [
    `${id} sustains ${requests(estimate.requestsPerSecond)} within its objectives ` +
      `(measured${intervalInWords(capacity)}): ${worth(estimate)}.`,
    `${limitInWords(capacity)} ${confirmationInWords(contender)}`,
  ]
}

function intervalInWords({ low, high }: FoundCapacity): string {
  return `, 95% interval ${formatRate(low.requestsPerSecond)} to ${formatRate(high.requestsPerSecond)}`
}

function limitInWords({ limitedBy }: FoundCapacity): string {
  return limitedBy === null
    ? 'No objective is violated up to the most that it does: its throughput is the limit.'
    : `“${limitedBy}” is violated first.`
}

function confirmationInWords({ confirmation, ended }: ContenderCapacity): string {
  if (confirmation === null)
    return ended === 'interrupted'
      ? 'Not confirmed: it was interrupted.'
      : 'Not confirmed: that takes a longer --budget.'
  const load = requests(confirmation.load.requestsPerSecond)
  switch (confirmation.verdict) {
    case 'met':
      return `Confirmed at ${load} in a separate test with new random arrivals.`
    case 'violated':
      return `A separate test at ${load}, with new random arrivals, violated it.`
    case 'undecided':
      return `A separate test at ${load} was too short to confirm it.`
  }
}

function certaintyInWords({ bounds: { met, violated } }: ContenderCapacity): string {
  if (met === null && violated === null) return 'No bound is certain: no load was measured for long enough.'
  const parts = [
    ...(met === null ? [] : [`${requests(met.requestsPerSecond)} meet the objectives`]),
    ...(violated === null ? [] : [`${requests(violated.requestsPerSecond)} violate them`]),
  ]
  return `Certain: ${parts.join(', ')}.`
}

function endInWords(ended: ContenderCapacity['ended']): string {
  return ended === 'interrupted' ? 'It was interrupted before' : 'The budget was used before'
}

/** The answer for a server that changed during the measurement. */
function changedAnswer(
  id: string,
  { times, firstEstimate, lastEstimate }: NonNullable<ContenderCapacity['change']>,
): readonly string[] {
  const estimates =
    firstEstimate === null || lastEstimate === null
      ? ''
      : ` The estimate of its capacity went from ${formatRate(firstEstimate)} to ${requests(lastEstimate)}.`
  return [
    `${id} has no single capacity: it became ${times > 1 ? 'slower' : 'faster'} while it was measured. A request alone took ` +
      `${fixed(times, 2)} times as long at the end of the search as at its beginning.${estimates}`,
    'Find out what changed (memory, temperature, other work on its machine), and measure again when its speed is steady.',
  ]
}

/** The bounds as an answer, if neither open loads nor a simulation gave a capacity. */
function boundedAnswer(contender: ContenderCapacity): readonly string[] {
  const { id, bounds, levels, sweep, ended } = contender
  const { met, violated } = bounds
  const alone = sweep.levels.find(({ inFlight }) => inFlight === 1) ?? null
  if (met !== null)
    return [
      `${id} sustains at least ${requests(met.requestsPerSecond)} within its objectives` +
        `${violated === null ? '' : `, and less than ${formatRate(violated.requestsPerSecond)}`}: ${worth(met)}.`,
      `${endInWords(ended)} its capacity was known.`,
    ]
  if (violated !== null)
    return [
      `${id} sustains less than ${requests(violated.requestsPerSecond)} within its objectives, the lowest load that violates them` +
        `${missesInWords(levels, violated)}.`,
      ...(alone?.p95Ms == null || alone.failed > 0
        ? []
        : [
            `95% of requests that are alone take up to ${formatMilliseconds(alone.p95Ms)}. Where that is within the objective, a longer ` +
              '--budget finds a lower load that is sustained; otherwise allow more time.',
          ]),
    ]
  const rates = sweep.levels.flatMap(({ requestsPerSecond }) => requestsPerSecond ?? [])
  if (rates.length === 0 && alone !== null && alone.failed > 0)
    return [
      `${id} sustains 0 requests per second: all ${formatCount(alone.failed)} requests that were alone failed.`,
    ]
  if (rates.length === 0) return [`${id}: ${endInWords(ended).toLowerCase()} any load was measured.`]
  const exceeded = exceededInWords(levels)
  if (exceeded !== null)
    return [
      `What ${id} sustains within its objectives is not known${silenceInWords(contender)}. ${exceeded}`,
      'Give it a longer --budget.',
    ]
  return [
    `${id} sustains at most ${requests(Math.max(...rates))}, the throughput of the sweep; what it sustains within its ` +
      'objectives is not known: no load was measured for long enough.',
  ]
}

function silenceInWords({ simulation }: ContenderCapacity): string {
  return simulation?.silentBecause == null ? '' : `: ${simulation.silentBecause}`
}

/** With fewer misses than this, the excess over the allowance may be chance. */
const fewestExceeding = 4

/** The lowest load at which more requests missed an objective than allowed, but not significantly; null if none. */
function exceededInWords(levels: ContenderCapacity['levels']): string | null {
  for (const { requestsPerSecond, objectives } of levels)
    for (const { objective, misses, requests: count, verdict, moreNeeded } of objectives)
      if (verdict === 'undecided' && moreNeeded === null && misses >= fewestExceeding)
        return (
          `It is probably less than ${requests(requestsPerSecond)}, where ${formatCount(misses)} of ${formatCount(count)} requests ` +
          `missed “${objective}”, more than may.`
        )
  return null
}

function missesInWords(levels: ContenderCapacity['levels'], { requestsPerSecond }: LoadFigure): string {
  const level = levels.find((each) => each.requestsPerSecond === requestsPerSecond)
  const missed = level?.objectives.find(({ verdict }) => verdict === 'violated')
  return missed === undefined
    ? ''
    : ` (${formatCount(missed.misses)} of ${formatCount(missed.requests)} requests missed “${missed.objective}”)`
}

/** Machines by a measurement, or by a forecast from it. */
type AnyFleet = FoundFleet | NonNullable<WhatIfAnswer['fleet']>

export function fleetSentence(fleet: AnyFleet | null): string | null {
  if (fleet === null) return null
  const users = `${counted(fleet.users, 'concurrent user')} ${fleet.users === 1 ? 'needs' : 'need'}`
  if (fleet.size === null)
    return `How many such machines ${users} is not known: one is not known to sustain one user.`
  const { machines, machinesWithSpare, usersPerMachine, basis } = fleet.size
  return (
    `${users} ${counted(machines, 'such machine')}, or ${formatCount(machinesWithSpare)} to tolerate the failure ` +
    `of one (${counted(usersPerMachine, 'user')} on each, by ${basisInWords(basis)}).`
  )
}

function basisInWords(basis: NonNullable<AnyFleet['size']>['basis']): string {
  switch (basis) {
    case 'confirmed':
      return 'the load that was confirmed'
    case 'met':
      return 'the highest load that met the objectives'
    case 'measured':
      return 'the low end of the interval'
    case 'simulated':
      return 'the low end of the simulated interval'
    case 'forecast':
      return 'the simulated capacity, which has no interval'
  }
}

export function levelVerdict({ verdict, objectives, stability }: FoundLevel): string {
  const violated = objectives.filter((each) => each.verdict === 'violated').map(({ objective }) => objective)
  if (stability === 'violated') violated.push('backlog grows')
  if (violated.length > 0) return `✗ ${violated.join('; ')}`
  if (verdict === 'met') return '✓'
  if (objectives.some((objective) => objective.verdict === 'undecided' && objective.moreNeeded === null))
    return '~ probably violated'
  const more = Math.max(0, ...objectives.map(({ moreNeeded }) => moreNeeded ?? 0))
  return more > 0 ? `~ ${formatCount(more)} more needed` : '~ undecided'
}

export function scalingSentence(sweep: FoundSweep): string {
  const { scaling, scalingReason, levels, effectiveServers, peak, peakReason } = sweep
  const speeds = levels.flatMap(({ inFlight, speed }) => (speed === null ? [] : [{ inFlight, speed }]))
  const [alone, last] = [speeds[0], speeds.at(-1)]
  if (scaling === null || alone === undefined || last === undefined)
    return `How it scales is not known: ${scalingReason ?? 'too few levels were measured'}.`
  const best = speeds.reduce((most, level) => (level.speed > most.speed ? level : most))
  const evidence = `${fixed(alone.speed, 1)}× real time alone, ${fixed(best.speed, 1)}× with ${best.inFlight} in flight`
  const works = effectiveServers === null ? '' : ` It works on about ${fixed(effectiveServers, 1)} at once.`
  const peakText =
    peak === null
      ? ` No peak: ${peakReason ?? 'none was seen'}.`
      : ` Its throughput is highest with about ${fixed(peak.inFlight, 0)} in flight (95% interval ${fixed(peak.interval.low, 0)} to ${fixed(peak.interval.high, 0)}).`
  switch (scaling) {
    case 'serialised':
      return `It is serialised: more in flight gives no more throughput (${evidence}).${works}${peakText}`
    case 'thrashing':
      return (
        `It thrashes: throughput falls from ${fixed(best.speed, 1)}× with ${best.inFlight} in flight to ` +
        `${fixed(last.speed, 1)}× with ${last.inFlight}.${works}${peakText}`
      )
    case 'scaling':
      return `It scales with what is in flight (${evidence}).${works}${peakText}`
    case 'levelling':
      return `It scales and then levels off (${evidence}).${works}${peakText}`
  }
}

export function simulationSentences(simulation: FoundSimulation): readonly string[] {
  const { silentBecause, workers, slowdowns, atWorkShare } = simulation
  if (silentBecause !== null) return [`The simulation is not used: ${silentBecause}.`]
  const last = slowdowns.at(-1) ?? 1
  const isSlowed = workers > 1 && last >= 1.005
  return [
    `Simulated as ${workers} at once` +
      (isSlowed ? `, each ${fixed(last, 2)} times as long as alone while all are at work` : '') +
      (atWorkShare < 0.995
        ? `; a request alone holds its place for ${formatPercent(atWorkShare, 0)} of its time`
        : '') +
      '. Its answers are estimates: measure what you depend on.',
  ]
}

export function whatIfSentence(
  id: string,
  { question, capacity, meanAudioSeconds }: FoundSimulation['whatIfs'][number],
): string {
  const asked = `${question} (${fixed(meanAudioSeconds, 1)} s on average)`
  if (capacity === null) return `${id}, ${asked}: even a request alone violates the objectives (simulated).`
  return `${id}, ${asked}, would sustain ${requests(capacity.requestsPerSecond)}: ${worth(capacity)} (simulated).`
}

export function textsSentence({ ended, levels }: ContenderCapacity): string {
  if (ended === 'given') return 'Texts under load are reported with each overload.'
  const compared = sumOf(levels, ({ comparedTexts }) => comparedTexts)
  const differing = sumOf(levels, ({ differingTexts }) => differingTexts)
  if (compared === 0) return 'No texts could be compared with those without load.'
  return differing === 0
    ? `All ${formatCount(compared)} transcripts under load are identical to those without load.`
    : `${formatCount(differing)} of ${formatCount(compared)} texts under load differ from those without load.`
}

/** An overload is a multiple of what was known before it, which the rest of the search can change. */
export function overloadSentence(
  overload: ContenderCapacity['overloads'][number],
  ended: ContenderCapacity['ended'],
): string {
  const { times, forSeconds, perSecond, backlogAtEnd, failed, turnedAway } = overload
  const refused = turnedAway === 0 ? 'none turned away' : `${counted(turnedAway, 'request')} turned away`
  const faults = failed === 0 ? 'none failed' : `${formatCount(failed)} failed`
  const base = ended === 'given' ? 'the given capacity' : 'the capacity as estimated before'
  return (
    `${fixed(times, 1)} times ${base} (${formatRate(perSecond)}/s) for ${formatSeconds(forSeconds)}: ` +
    `${formatCount(backlogAtEnd)} waiting at its end, ${refused}, ${faults}; ${recoveryInWords(overload)}. ${overloadTexts(overload)}`
  )
}

function recoveryInWords(overload: ContenderCapacity['overloads'][number]): string {
  const { recoverySeconds, tooFewAfterwards, isAlive } = overload
  if (recoverySeconds === 0) return 'the objective was met as soon as it was over'
  if (recoverySeconds !== null)
    return `the objective was met again ${formatSeconds(recoverySeconds)} after its end`
  if (!isAlive) return 'it answered no more afterwards'
  if (tooFewAfterwards === null) return 'the objective was not met again for 20 requests in a row'
  const { misses, requests: count } = tooFewAfterwards
  return `afterwards, ${formatCount(misses)} of ${counted(count, 'request')} missed the objective, too few to show a recovery`
}

function overloadTexts(overload: ContenderCapacity['overloads'][number]): string {
  const { compared, differing, crossed, emptied } = overload
  if (compared === 0) return 'No text could be compared.'
  if (differing === 0)
    return `Each of its ${formatCount(compared)} texts is that of its recording alone: none lost, none crossed between clients.`
  return (
    `${formatCount(differing)} of its ${formatCount(compared)} texts differ from those without load: ` +
    `${formatCount(emptied)} empty, ${formatCount(crossed)} those of other recordings, ${formatCount(differing - emptied - crossed)} changed.`
  )
}

/** Dictation while long recordings are transcribed. */
export function interferenceSentence({ interference }: ContenderCapacity): string | null {
  if (interference === null || interference.aloneP95Ms === null || interference.withLongP95Ms === null)
    return null
  return (
    `Dictation at ${formatRate(interference.perSecond)}/s next to recordings of ${interference.longAudioSeconds.toFixed(1)} s, one after the other: ` +
    `p95 ${formatMilliseconds(interference.withLongP95Ms)}, without them ${formatMilliseconds(interference.aloneP95Ms)}.`
  )
}

export function coldSentence({ cold }: ContenderCapacity): string | null {
  const parts = [
    cold.startMs === null ? null : `start ${formatMilliseconds(cold.startMs)}`,
    cold.firstAnswerMs === null ? null : `first answer ${formatMilliseconds(cold.firstAnswerMs)}`,
    cold.twoWhileLoadingMs === null
      ? null
      : `two first requests at once ${cold.twoWhileLoadingMs.map(formatMilliseconds).join(' and ')}`,
    cold.untilSteadyMs === null
      ? cold.untilSteadyReason === null
        ? null
        : `95% of the steady speed not seen: ${cold.untilSteadyReason}`
      : `95% of the steady speed after ${formatMilliseconds(cold.untilSteadyMs)}`,
    cold.afterIdleMs === null || cold.idleSeconds === null
      ? null
      : `after ${formatSeconds(cold.idleSeconds)} idle ${formatMilliseconds(cold.afterIdleMs)}`,
    cold.steadyAnswerMs === null ? null : `warm ${formatMilliseconds(cold.steadyAnswerMs)}`,
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(' · ')
}

export function yearlySentence(fleet: FoundFleet | null): string | null {
  const yearly = fleet?.yearly ?? null
  if (yearly === null) return null
  return (
    `A year of ${formatCount(Math.round(yearly.audioHours))} audio hours: the users speak as above at the peak, and the mean load is ` +
    `${formatPercent(yearly.utilisation, 0)} of that (--utilisation).` +
    (yearly.own === null
      ? ' Such machines have no sum: what an audio hour costs on them could not be measured.'
      : '')
  )
}

export function breakEvenInWords(even: BreakEven | null): string {
  if (even === null) return absent
  switch (even.kind) {
    case 'at':
      return `from ${formatRate(even.audioHoursPerDay)} h a day`
    case 'never':
      return 'never'
    case 'beyondOneMachine':
      return `${formatRate(even.audioHoursPerDay)} h a day, more than one can do`
  }
}

export function money(amount: number | null, currency: string): string {
  if (amount === null) return absent
  const sign = currency === 'USD' ? '$' : `${currency} `
  if (amount >= 1000) return `${sign}${formatCount(Math.round(amount))}`
  return `${sign}${fixed(amount, amount >= 1 ? 2 : amount >= 0.01 ? 3 : 5)}`
}

export function conditionsLine(finding: CapacityFinding): string {
  const { habit, corpus, objectives, seed, budgetSeconds, spentSeconds } = finding
  return (
    `objectives ${objectives.map((objective) => `“${objective}”`).join(' and ')} · open schedule, Poisson arrivals, seed ${seed} · ` +
    `latency counts from the moment a request is due · ${corpus.name}: ${counted(corpus.utteranceCount, 'utterance')} of ` +
    `${fixed(corpus.meanAudioSeconds, 1)} s on average, each equally often${correctedText(corpus)} · users speak ${fixed(habit.meanAudioSeconds, 1)} s ` +
    `and pause ${fixed(habit.meanPauseSeconds, 0)} s · ${formatSeconds(spentSeconds)} of ${formatSeconds(budgetSeconds)} spent`
  )
}

function correctedText({ correctedCount = 0 }: CapacityFinding['corpus']): string {
  return correctedCount === 0 ? '' : `, ${counted(correctedCount, 'corrected reference')}`
}

export function sendLagText({ instrument }: CapacityFinding): string | null {
  if (instrument.lateP99Ms === null) return null
  return `send lag p99 ${formatMilliseconds(instrument.lateP99Ms)}`
}
