import { billedSeconds, breakEven, energyCost, fixedCosts, hoursPerDay } from '#capacity/cost'
import { isBillable } from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import type { RecordedContender, RunRecord } from '#journal/run-record'
import type { TelemetryLine } from '#journal/telemetry-line'
import type { Point } from '#statistics/series/trend'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { MoneySpent, RunCosts } from '../documents/costs.ts'
import { type Energy, type EnergyPart, type EnergyPartName, energyPartNames } from '../documents/resources.ts'
import { findUnread } from './machine/resources.ts'
import { type BlockSpan, blockSpans, valueAt } from './speed/system-speed.ts'

/**
 * Returns provider prices of the audio next to the cost of this machine.
 *
 * @returns null where no contender has a price with a source, or the record has no machine prices
 */
export function runCosts(
  { ownPrices }: Pick<RunRecord, 'ownPrices'>,
  contenders: readonly ContenderEvaluation[],
): RunCosts | null {
  const priced = contenders.flatMap((one) =>
    one.cost === null || one.cost.usd === 0 ? [] : [{ ...one.cost, contender: one.contender }],
  )
  if (ownPrices === undefined || priced.length === 0) return null
  const fixed = fixedCosts(ownPrices)
  const local = contenders.flatMap(({ contender, cost, systemSpeed, cpuSecondsPerAudioSecond: cpu }) =>
    cost !== null || systemSpeed.value === null || cpu.value === null
      ? []
      : [
          {
            contenderId: contender.id,
            energyUsdPerAudioHour: energyCost(ownPrices, cpu.value),
            maxAudioHoursPerDay: systemSpeed.value * hoursPerDay,
          },
        ],
  )
  const none = { contenderId: null, energyUsdPerAudioHour: 0, maxAudioHoursPerDay: Number.POSITIVE_INFINITY }
  const { source, date } = ownPrices.machine
  return {
    machine: { usdPerDay: fixed.machinePerDay, idleEnergyUsdPerDay: fixed.idleEnergyPerDay, source, date },
    local,
    providers: priced.map(({ contender, usd, usdPerAudioHour }) => ({
      contenderId: contender.id,
      usdPerAudioHour,
      usd,
      source: contender.priceSource ?? '',
      date: contender.priceDate ?? '',
      breakEven: (local.length === 0 ? [none] : local).map((alternative) => ({
        contenderId: alternative.contenderId,
        ...breakEven(
          { ...fixed, energyPerAudioHour: alternative.energyUsdPerAudioHour },
          { perAudioHour: usdPerAudioHour },
          alternative.maxAudioHoursPerDay,
        ),
      })),
    })),
  }
}

type Priced = Pick<RecordedContender, 'usdPerMinute' | 'priceSource' | 'priceDate' | 'billing'>

/**
 * Returns the cost of the audio sent to a contender, by the price in the config or the price list. Warm-up and
 * repeats are billed too. Failed requests count if they may be billed (`isBillable`), and lengths are rounded as the
 * provider does it, if that is known.
 *
 * @param parts all sendings to the contender, including warm-up and repeats, in any number of parts
 * @returns null where there is no price, or none with a source
 */
export function moneySpent(contender: Priced, parts: readonly (readonly AttemptLine[])[]): MoneySpent | null {
  const { usdPerMinute, billing } = contender
  if (usdPerMinute === null || usdPerMinute === undefined || isPriceUnsourced(contender)) return null
  let [audioSeconds, billed] = [0, 0]
  for (const sendings of parts) {
    for (const { outcome, audioSeconds: seconds } of sendings) {
      if (!outcome.ok && !isBillable(outcome.failure)) continue
      audioSeconds += seconds
      billed += billing === undefined ? seconds : billedSeconds(billing, seconds)
    }
  }
  const usd = (usdPerMinute * billed) / 60
  // Short recordings that are rounded up cost more per hour than the price states.
  const usdPerAudioHour = audioSeconds > 0 ? (usd / audioSeconds) * 3600 : usdPerMinute * 60
  return { usdPerAudioHour, audioSeconds, usd }
}

/** Whether a price lacks its source or the date on which it was read. A price of 0 needs no source. */
export function isPriceUnsourced({ usdPerMinute, priceSource, priceDate }: Priced): boolean {
  return (usdPerMinute ?? 0) > 0 && (priceSource == null || priceDate == null)
}

/** Joules over time of one part of the machine, for a period without gaps. */
interface Counter {
  readonly part: EnergyPartName
  readonly source: string
  readonly segment: number
  readonly points: readonly Point[]
}

const secondsPerHour = 3600
/** Max gap between readings of power, which are taken once a second; power in a longer gap is unknown. */
const maxGapMs = 5000
/** Min seconds of blocks: a reading of a graphics processor is a mean over 1 s, one of a battery over many seconds. */
const leastSeconds: Partial<Readonly<Record<EnergyPartName, number>>> = { gpu: 5, battery: 60 }
/** Parts that are added up; none contains another one. */
const added: readonly EnergyPartName[] = ['package', 'dram', 'gpu']

/**
 * Returns the energy of this machine in joules per hour of audio: the energy between both ends of every block, over
 * the audio answered in it. Counters are interpolated linearly between samples. Power P is integrated by the
 * trapezoidal rule,
 *
 *   E = Σ (P₁ + P₂) / 2 · (t₂ − t₁)
 *
 * Idle power and other programs are included. The sum covers the processors, their memory if it has a counter, and
 * the graphics processors. If none of these can be read, it is the battery, which supplies the whole machine, or else
 * the platform's counter.
 *
 * @param sendings measured requests of one contender
 * @param telemetry samples with the values of the server that answered it
 * @returns undefined for a run of a program that recorded no energy
 * @see https://docs.kernel.org/power/powercap/powercap.html for the counters; Khan et al. 2018, "RAPL in Action",
 *   doi:10.1145/3177754, for their accuracy
 */
export function measureEnergy(
  sendings: readonly AttemptLine[],
  telemetry: readonly TelemetryLine[],
): Energy | undefined {
  const unread = findUnread(telemetry)
  if (unread === undefined) return undefined
  // Samples of a server on another machine, or of another host of a merged run, do not apply.
  const serverSamples = telemetry.filter(({ serverCpuSeconds }) => serverCpuSeconds !== null)
  if (serverSamples.length === 0) {
    return {
      value: null,
      reason: "the server's process is not visible: this machine's energy may not be what it takes",
    }
  }
  const blocks = blockSpans(sendings)
  const counters = readCounters(serverSamples)
  const results = energyPartNames.map((part) => sumPart(part, counters, blocks))
  const parts = results.filter((result) => typeof result !== 'string')
  const names = new Set(parts.map(({ part }) => part))
  const covers = added.some((part) => names.has(part))
    ? added.filter((part) => names.has(part))
    : energyPartNames.filter((part) => names.has(part)).slice(0, 1)
  if (covers.length === 0) return { value: null, reason: explainAbsence(results, unread) }
  const counted = parts.filter(({ part }) => covers.includes(part))
  return {
    value: counted.reduce((sum, { joulesPerAudioHour }) => sum + joulesPerAudioHour, 0),
    joules: counted.reduce((sum, { joules }) => sum + joules, 0),
    covers,
    parts,
  }
}

/** Returns why there is no energy: what the parts lack, or else why nothing was read. */
function explainAbsence(
  results: readonly (EnergyPart | string)[],
  { rapl, gpu, battery }: NonNullable<ReturnType<typeof findUnread>>,
): string {
  const lacks = results.filter((result) => typeof result === 'string' && result !== '')
  const reasons = [...lacks, rapl, gpu, battery].filter((reason) => reason !== null)
  return reasons.length === 0 ? 'no part of this machine reports its energy' : reasons.join('; ')
}

/** Adds up one part over all blocks. Returns an empty text where it was not read, or a text with what it lacks. */
function sumPart(
  part: EnergyPartName,
  counters: readonly Counter[],
  blocks: readonly BlockSpan[],
): EnergyPart | string {
  const partCounters = counters.filter((counter) => counter.part === part)
  if (partCounters.length === 0) return ''
  let [joules, audioSeconds, seconds] = [0, 0, 0]
  for (const block of blocks) {
    const blockJoules = joulesIn(block, partCounters)
    if (blockJoules === null) continue
    joules += blockJoules
    audioSeconds += block.audioSeconds
    seconds += (block.untilMs - block.fromMs) / 1000
  }
  const least = leastSeconds[part] ?? 0
  if (seconds < least) return `${part}: needs ${least} s of measured blocks, has ${seconds.toFixed(1)} s`
  if (audioSeconds === 0) return `${part}: no audio was answered while it was read`
  return { part, joules, audioSeconds, joulesPerAudioHour: (joules / audioSeconds) * secondsPerHour }
}

/** Adds up all devices of a part; null where one was not read at both ends. */
function joulesIn({ fromMs, untilMs, segment }: BlockSpan, counters: readonly Counter[]): number | null {
  const sources = Map.groupBy(
    counters.filter((counter) => counter.segment === segment),
    ({ source }) => source,
  )
  const joulesBySource = [...sources.values()].map((stretches) => {
    const [joules = null] = stretches.flatMap(({ points }) => {
      const [from, until] = [valueAt(points, fromMs), valueAt(points, untilMs)]
      return from === null || until === null ? [] : [until - from]
    })
    return joules
  })
  const readings = joulesBySource.filter((joules) => joules !== null)
  if (readings.length < joulesBySource.length || readings.length === 0) return null
  return readings.reduce((sum, joules) => sum + joules, 0)
}

function readCounters(telemetry: readonly TelemetryLine[]): readonly Counter[] {
  const bySegment = Map.groupBy(telemetry, ({ segment = 0 }) => segment)
  return [...bySegment].flatMap(([segment, lines]) => {
    const at = (part: EnergyPartName, source: string, points: readonly Point[]): Counter => ({
      part,
      source,
      segment,
      points,
    })
    const watts = new Map<string, Point[]>()
    for (const { atMs, gpus = [] } of lines) {
      for (const { id, powerWatts } of gpus) {
        if (powerWatts === null) continue
        const points = watts.get(id) ?? []
        watts.set(id, points)
        points.push({ x: atMs, y: powerWatts })
      }
    }
    const battery = lines.flatMap(({ atMs, batteryWatts }) =>
      batteryWatts === undefined ? [] : [{ x: atMs, y: batteryWatts }],
    )
    return [
      ...raplParts.map(([part, isIn]) => at(part, part, jouleCounter(lines, isIn))),
      ...[...watts].flatMap(([id, points]) =>
        integrate(points, lines).map((stretch) => at('gpu', id, stretch)),
      ),
      ...integrate(battery, lines).map((stretch) => at('battery', 'battery', stretch)),
    ].filter(({ points }) => points.length > 1)
  })
}

const raplParts: readonly (readonly [EnergyPartName, isIn: (key: string) => boolean])[] = [
  ['package', (key) => key.startsWith('package-')],
  ['dram', (key) => key.startsWith('dram-')],
  ['psys', (key) => key === 'psys'],
]

/** Adds up several counters, from the samples that have all of them. */
function jouleCounter(lines: readonly TelemetryLine[], isIn: (key: string) => boolean): readonly Point[] {
  const keys = new Set(lines.flatMap(({ energyJoules = {} }) => Object.keys(energyJoules).filter(isIn)))
  if (keys.size === 0) return []
  return lines.flatMap(({ atMs, energyJoules }) => {
    const values = [...keys].flatMap((key) => energyJoules?.[key] ?? [])
    return values.length < keys.size ? [] : [{ x: atMs, y: values.reduce((sum, value) => sum + value, 0) }]
  })
}

/**
 * Integrates power to energy, in periods without a gap. The first and the last reading also apply to the adjacent
 * samples, which are less than one interval away.
 */
function integrate(watts: readonly Point[], lines: readonly TelemetryLine[]): readonly (readonly Point[])[] {
  const stretches: Point[][] = []
  for (const point of held(watts, lines)) {
    const stretch = stretches.at(-1)
    const last = stretch?.at(-1)
    if (stretch === undefined || last === undefined || point.x - last.x > maxGapMs) stretches.push([point])
    else stretch.push(point)
  }
  return stretches.map((stretch) => {
    let joules = 0
    return stretch.map(({ x, y }, index) => {
      const before = stretch[index - 1]
      if (before !== undefined) joules += ((before.y + y) / 2) * ((x - before.x) / 1000)
      return { x, y: joules }
    })
  })
}

const maxHeldMs = 2000

function held(watts: readonly Point[], lines: readonly TelemetryLine[]): readonly Point[] {
  const [first, last] = [watts[0], watts.at(-1)]
  const [startMs, endMs] = [lines[0]?.atMs, lines.at(-1)?.atMs]
  if (first === undefined || last === undefined || startMs === undefined || endMs === undefined) return watts
  return [
    ...(first.x > startMs && first.x - startMs <= maxHeldMs ? [{ x: startMs, y: first.y }] : []),
    ...watts,
    ...(last.x < endMs && endMs - last.x <= maxHeldMs ? [{ x: endMs, y: last.y }] : []),
  ]
}
