import type {
  BreakEven,
  CapacityFinding,
  ContenderCapacity,
  FoundCapacity,
  FoundLevel,
  FoundSimulation,
  FoundSweep,
  LoadFigure,
} from '#capacity'
import { counted, fixed, formatCount, formatMilliseconds, formatPercent, formatSeconds } from '../units.ts'

/** Three figures that matter: `3.0`, `12`, `0.42`. */
export function formatRate(value: number): string {
  return fixed(value, value >= 99.5 ? 0 : value >= 9.95 ? 1 : 2)
}

/** `3.0 requests a second`. */
function requests(value: number): string {
  return `${formatRate(value)} requests a second`
}

function people(load: LoadFigure): string {
  return counted(Math.floor(load.people + 1e-9), 'person').replace(/persons$/, 'people')
}

/** What a load is worth: `22.0 hours of speech an hour, or 150 people dictating`. */
function worth(load: LoadFigure): string {
  return `${formatRate(load.audioSecondsPerSecond)} hours of speech an hour, or ${people(load)} dictating`
}

/** The answer, first of all: what it bears, how sure that is, what breaks, and how it was checked. */
export function answerSentences(contender: ContenderCapacity): readonly string[] {
  const { id, capacity } = contender
  if (capacity === null) return withoutFigure(contender)
  const { estimate } = capacity
  return [
    `${id} keeps its promise up to ${requests(estimate.requestsPerSecond)}${intervalInWords(capacity)}: ${worth(estimate)}.`,
    `“${capacity.limitedBy}” breaks first. ${confirmationInWords(contender)}`,
  ]
}

function intervalInWords({ low, high }: FoundCapacity): string {
  if (low === null || high === null) return ' (the interval is not known: too little was measured)'
  return ` (95% interval ${formatRate(low.requestsPerSecond)} to ${formatRate(high.requestsPerSecond)})`
}

function confirmationInWords({ confirmation }: ContenderCapacity): string {
  if (confirmation === null) return 'It was not confirmed: the time was over.'
  const load = requests(confirmation.load.requestsPerSecond)
  switch (confirmation.verdict) {
    case 'kept':
      return `Confirmed at ${load} with fresh seeds.`
    case 'broken':
      return `At ${load}, with fresh seeds, it was broken.`
    case 'undecided':
      return `At ${load}, with fresh seeds, too few were sent to be sure.`
  }
}

/** Where no capacity was found: the most that can be said, and why it is no more. */
function withoutFigure(contender: ContenderCapacity): readonly string[] {
  const { id, ended, levels, confirmation } = contender
  const [lowest] = levels
  if (ended === 'given') return [`${id}: the capacity was given with --bears, and not measured.`]
  if (lowest === undefined) return [`${id}: ${endInWords(ended)} before any load was tried.`]
  if (ended === 'hopeless') {
    const alone = contender.sweep.levels.find(({ inFlight }) => inFlight === 1)?.p95Ms ?? null
    return [
      `${id} breaks its promise at the lowest load that was tried, ${requests(lowest.requestsPerSecond)}.`,
      ...(alone === null || lowest.failureRate > 0
        ? []
        : [`95% of requests that are alone take up to ${formatMilliseconds(alone)}: promise more time.`]),
    ]
  }
  const broken = levels.findIndex(({ verdict }) => verdict === 'broken')
  const highest = (broken < 0 ? levels : levels.slice(0, broken)).at(-1)
  if (highest === undefined) {
    return [
      `${id} broke its promise at every load that was tried, down to ${requests(lowest.requestsPerSecond)}; ` +
        `${endInWords(ended)} before a lower one was.`,
    ]
  }
  const sure =
    confirmation?.verdict === 'kept'
      ? confirmation.load
      : levels.findLast(({ verdict }) => verdict === 'kept')
  const tried = requests(highest.requestsPerSecond)
  const why =
    ended === 'saturated'
      ? `Nothing broke it up to ${tried}, as near to the most that it can do as can be measured: the promise does not limit it.`
      : `${broken < 0 ? `Nothing broke it up to ${tried}` : `${requests(levels[broken]?.requestsPerSecond ?? 0)} broke it`}; ` +
        `${endInWords(ended)} before its capacity was found.`
  if (sure === undefined) return [`${id}: no load is sure to keep its promise.`, why]
  const how = confirmation?.verdict === 'kept' ? ' (confirmed with fresh seeds)' : ' (not confirmed)'
  return [
    `${id} keeps its promise at ${requests(sure.requestsPerSecond)} at least${how}: ${worth(sure)}.`,
    why,
  ]
}

function endInWords(ended: ContenderCapacity['ended']): string {
  return ended === 'interrupted' ? 'it was interrupted' : 'the time was over'
}

/** What a level's verdict is, and why. */
export function levelVerdict({ verdict, promises, stability }: FoundLevel): string {
  const broken = promises.filter((promise) => promise.verdict === 'broken').map(({ promise }) => promise)
  if (stability === 'broken') broken.push('backlog grows')
  if (broken.length > 0) return `✗ ${broken.join('; ')}`
  if (verdict === 'kept') return '✓'
  if (promises.some((promise) => promise.verdict === 'undecided' && promise.moreNeeded === null))
    return '~ probably broken'
  const more = Math.max(0, ...promises.map(({ moreNeeded }) => moreNeeded ?? 0))
  return more > 0 ? `~ ${formatCount(more)} more needed` : '~ undecided'
}

/** How it bears more in flight, in words, with the evidence. */
export function scalingSentence({ scaling, levels, effectiveServers, peak, peakReason }: FoundSweep): string {
  const speeds = levels.flatMap(({ inFlight, speed }) => (speed === null ? [] : [{ inFlight, speed }]))
  const [one, last] = [speeds[0], speeds.at(-1)]
  if (scaling === null || one === undefined || last === undefined)
    return 'Too few levels were measured to say how it scales.'
  const best = speeds.reduce((most, level) => (level.speed > most.speed ? level : most))
  const evidence = `${fixed(one.speed, 1)}× real time alone, ${fixed(best.speed, 1)}× with ${best.inFlight} in flight`
  const works = effectiveServers === null ? '' : ` It works on about ${fixed(effectiveServers, 1)} at once.`
  const most =
    peak === null
      ? ` No most productive number in flight is told: ${peakReason ?? 'none was seen'}.`
      : ` It does most with about ${fixed(peak.inFlight, 0)} in flight (95% interval ${fixed(peak.interval.low, 0)} to ${fixed(peak.interval.high, 0)}).`
  switch (scaling) {
    case 'serialised':
      return `It is serialised: more in flight gives no more (${evidence}).${works}${most}`
    case 'thrashing':
      return (
        `It thrashes: throughput falls from ${fixed(best.speed, 1)}× with ${best.inFlight} in flight to ` +
        `${fixed(last.speed, 1)}× with ${last.inFlight}.${works}${most}`
      )
    case 'scaling':
      return `It scales with what is in flight (${evidence}).${works}${most}`
    case 'levelling':
      return `It scales and then levels off (${evidence}).${works}${most}`
  }
}

/** What the simulation is made of; why it is not asked, where it is not. */
export function simulationSentences(simulation: FoundSimulation): readonly string[] {
  const { silentBecause, workers, slowdowns, atWorkShare } = simulation
  if (silentBecause !== null) return [`The simulation is not asked: ${silentBecause}.`]
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

/** The answer to one question, in a sentence. */
export function whatIfSentence(
  id: string,
  { question, capacity, meanAudioSeconds }: FoundSimulation['whatIfs'][number],
): string {
  const asked = `${question} (${fixed(meanAudioSeconds, 1)} s on average)`
  if (capacity === null) return `${id}, ${asked}: even a request alone breaks the promise (simulated).`
  return (
    `${id}, ${asked}, would keep its promise up to ${requests(capacity.requestsPerSecond)}: ` +
    `${formatRate(capacity.audioSecondsPerSecond)} hours of speech an hour, or ${people(capacity)} dictating (simulated).`
  )
}

/** One line on the texts of all open loads. */
export function textsSentence({ ended, levels }: ContenderCapacity): string {
  if (ended === 'given') return 'Texts under load are told with each overload.'
  const compared = levels.reduce((sum, level) => sum + level.comparedTexts, 0)
  const differing = levels.reduce((sum, level) => sum + level.differingTexts, 0)
  if (compared === 0) return 'No texts could be compared with those of the recordings alone.'
  return differing === 0
    ? `All ${formatCount(compared)} texts under load are those of the recordings alone.`
    : `${formatCount(differing)} of ${formatCount(compared)} texts under load differ from those of the recordings alone.`
}

export function overloadSentence(overload: ContenderCapacity['overloads'][number]): string {
  const { times, forSeconds, perSecond, backlogAtEnd, failed, turnedAway, recoverySeconds, isAlive } =
    overload
  const over =
    recoverySeconds === null
      ? isAlive
        ? 'the promise was not seen to hold again for 20 requests in a row'
        : 'it answered no more afterwards'
      : recoverySeconds === 0
        ? 'the promise held as soon as it was over'
        : `the promise held again ${formatSeconds(recoverySeconds)} after its end`
  const refused = turnedAway === 0 ? 'none turned away' : `${counted(turnedAway, 'request')} turned away`
  const faults = failed === 0 ? 'none failed' : `${formatCount(failed)} failed`
  return (
    `${fixed(times, 1)} times the capacity (${formatRate(perSecond)}/s) for ${formatSeconds(forSeconds)}: ` +
    `${formatCount(backlogAtEnd)} waiting at its end, ${refused}, ${faults}; ${over}. ${overloadTexts(overload)}`
  )
}

function overloadTexts({
  compared,
  differing,
  crossed,
  emptied,
}: ContenderCapacity['overloads'][number]): string {
  if (compared === 0) return 'No text could be compared.'
  if (differing === 0)
    return `Each of its ${formatCount(compared)} texts is that of its recording alone: none lost, none crossed between clients.`
  return (
    `${formatCount(differing)} of its ${formatCount(compared)} texts are not those of the recordings alone: ` +
    `${formatCount(emptied)} empty, ${formatCount(crossed)} those of other recordings, ${formatCount(differing - emptied - crossed)} changed.`
  )
}

/** Somebody dictates while long recordings are transcribed. */
export function interferenceSentence({ interference }: ContenderCapacity): string | null {
  if (interference === null || interference.aloneP95Ms === null || interference.besideP95Ms === null)
    return null
  return (
    `Dictation at ${formatRate(interference.perSecond)}/s beside recordings of ${interference.longAudioSeconds.toFixed(1)} s, one after the other: ` +
    `p95 ${formatMilliseconds(interference.besideP95Ms)}, without them ${formatMilliseconds(interference.aloneP95Ms)}.`
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

/** Whoever buys machines by a finding buys them by this. */
export function fleetBasis({ contenders: [first] }: CapacityFinding): string {
  return first?.capacity?.low == null ? 'the load that was confirmed' : 'the low end of the interval'
}

/** @param basis what the people on each machine are counted by */
export function fleetSentence({ fleet }: Pick<CapacityFinding, 'fleet'>, basis: string): string | null {
  if (fleet === null) return null
  const { people: count, machines, machinesWithSpare, peoplePerMachine } = fleet
  return (
    `For ${formatCount(count)} people: ${counted(machines, 'such machine')}, ${formatCount(machinesWithSpare)} so that one ` +
    `may fail (${formatCount(peoplePerMachine)} people on each, by ${basis}).`
  )
}

export function breakEvenInWords(even: BreakEven | null): string {
  if (even === null) return '-'
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
  if (amount === null) return '-'
  const sign = currency === 'USD' ? '$' : `${currency} `
  return `${sign}${fixed(amount, amount >= 1 ? 2 : amount >= 0.01 ? 3 : 5)}`
}

/** What was asked, in one line. */
export function conditionsLine({
  habit,
  corpus,
  promises,
  seed,
  budgetSeconds,
  spentSeconds,
}: CapacityFinding): string {
  return (
    `promises ${promises.map((promise) => `“${promise}”`).join(' and ')} · open schedule, Poisson arrivals, seed ${seed} · ` +
    `latency counts from the moment a request is due · ${corpus.name}: ${counted(corpus.utteranceCount, 'utterance')} of ` +
    `${fixed(corpus.meanAudioSeconds, 1)} s on average, each equally often · people speak ${fixed(habit.meanAudioSeconds, 1)} s ` +
    `and pause ${fixed(habit.meanPauseSeconds, 0)} s · ${formatSeconds(spentSeconds)} of ${formatSeconds(budgetSeconds)} spent`
  )
}

export function lateSentence({ instrument }: CapacityFinding): string | null {
  if (instrument.lateP99Ms === null) return null
  return `99% of requests left within ${formatMilliseconds(instrument.lateP99Ms)} of their moment`
}

export function shareText(rate: number | null): string {
  return rate === null ? '-' : formatPercent(rate)
}
