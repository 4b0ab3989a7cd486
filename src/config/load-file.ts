import { z } from 'zod'
import { type Intervals, type LoadShape, makeSchedule, type OfferedRate, traceSpeeds } from '#load'
import { duration, parseDuration } from './duration.ts'
import type { FileOf } from './file-object.ts'
import { parseRate, rate } from './rate.ts'

export type LoadKind = LoadShape['kind']

/** A load of a config, fully specified: a `LoadShape` whose trace is still to be read. */
export type LoadConfig =
  | Exclude<LoadShape, { readonly kind: 'trace' }>
  /** `recordings`: the target's own history; anything else is the path of a CSV file. */
  | { readonly kind: 'trace'; readonly trace: string; readonly speed: number }

type LoadKey = Exclude<keyof typeof loadParsers, 'kind'>

/** Which keys each kind of load must and may have; the first kind that needs a key is meant where none is named. */
export const loadKinds: Readonly<
  Record<LoadKind, { readonly needs: readonly LoadKey[]; readonly may: readonly LoadKey[] }>
> = {
  closed: { needs: [], may: ['concurrency'] },
  poisson: { needs: ['rate'], may: ['duration'] },
  constant: { needs: ['rate'], may: ['duration'] },
  gamma: { needs: ['rate', 'burstiness'], may: ['duration'] },
  ramp: { needs: ['from', 'to', 'duration'], may: ['intervals'] },
  steps: { needs: ['steps'], may: ['intervals'] },
  trace: { needs: ['trace'], may: ['speed'] },
  speakers: { needs: ['speakers'], may: ['pause', 'intervals'] },
}

export const loadKindNames: readonly LoadKind[] = Object.keys(loadKinds) as LoadKind[]

const wholeNumber = z.int().min(1).max(Number.MAX_SAFE_INTEGER)
const step = z
  .string()
  .refine((text) => parseStep(text) !== null)
  .meta({ examples: ['2/s for 60s', '4x for 2min'] })

/** Parsers of the keys of a load. Which of them belong together is checked apart. */
export const loadParsers = {
  kind: z.enum(loadKindNames),
  concurrency: wholeNumber,
  rate,
  duration,
  burstiness: z.number().positive(),
  from: rate,
  to: rate,
  steps: z.array(step).min(1),
  intervals: z
    .string()
    .refine((text) => parseIntervals(text) !== null)
    .meta({ pattern: String.raw`^(even|exponential|gamma:\d+(\.\d+)?)$` }),
  trace: z.string().trim().min(1),
  speed: z.number().min(traceSpeeds.slowest).max(traceSpeeds.fastest),
  speakers: wholeNumber,
  pause: duration,
}

/** A load as it stands in a file: one flat object, whose `kind` says which of the other keys may stand there. */
export type LoadFile = FileOf<typeof loadParsers>

export type LoadDefaults = {
  readonly [Key in 'kind' | 'concurrency' | 'intervals' | 'speed' | 'pause']: NonNullable<LoadFile[Key]>
}

/** What a load is where nothing is said. */
export const loadDefaults: LoadDefaults = {
  kind: 'closed',
  concurrency: 1,
  intervals: 'exponential',
  speed: 1,
  pause: '10s',
}

/** Kinds by the key that means them, for a load that does not name its kind. */
const impliedKinds: readonly (readonly [LoadKey, LoadKind])[] = [
  ['speakers', 'speakers'],
  ['trace', 'trace'],
  ['steps', 'steps'],
  ['from', 'ramp'],
  ['to', 'ramp'],
  ['burstiness', 'gamma'],
  ['rate', 'poisson'],
]

/** The kind that a load has: the one it names, or the one that its keys mean. */
export function kindOf(load: LoadFile): LoadKind {
  const implied = impliedKinds.find(([key]) => load[key] !== undefined)
  return load.kind ?? implied?.[1] ?? loadDefaults.kind
}

/** The keys of a load that its kind has no use for. */
export function strangeKeys(load: LoadFile): readonly LoadKey[] {
  const { needs, may } = loadKinds[kindOf(load)]
  return loadKeys.filter((key) => load[key] !== undefined && !needs.includes(key) && !may.includes(key))
}

/** The keys that a load lacks. */
export function missingKeys(load: LoadFile): readonly LoadKey[] {
  return loadKinds[kindOf(load)].needs.filter((key) => load[key] === undefined)
}

const loadKeys = [...new Set(Object.values(loadKinds).flatMap(({ needs, may }) => [...needs, ...may]))]

/**
 * Puts the flags' load over the file's. What says more of the same load changes it; what means another one
 * replaces it as a whole, because half of one and half of the other is neither.
 */
export function overrideLoad(below: LoadFile, above: LoadFile): LoadFile {
  const merged = { ...below, ...above }
  const isOther = above.kind !== undefined && above.kind !== kindOf(below)
  return isOther || strangeKeys(merged).length > 0 ? { ...onlyWhatFits(below, above), ...above } : merged
}

/** `--load gamma --burstiness 0.5` over `rate: 5/s` keeps the rate. */
function onlyWhatFits(below: LoadFile, above: LoadFile): LoadFile {
  const { needs, may } = loadKinds[kindOf(above)]
  return Object.fromEntries(
    Object.entries(below).filter(([key]) => [...needs, ...may].includes(key as LoadKey)),
  )
}

/** Fills in what a load does not say. The keys it needs are there and have been read. */
export function completedLoad(file: LoadFile): LoadConfig {
  const kind = kindOf(file)
  const forSeconds = file.duration === undefined ? null : parseDuration(file.duration)
  const intervals = parseIntervals(file.intervals ?? loadDefaults.intervals) ?? { kind: 'exponential' }
  const rate = rateOf(file.rate)
  switch (kind) {
    case 'closed':
      return { kind, concurrency: file.concurrency ?? loadDefaults.concurrency }
    case 'constant':
    case 'poisson':
      return { kind, rate, forSeconds }
    case 'gamma':
      return { kind, rate, burstiness: file.burstiness ?? 1, forSeconds }
    case 'ramp':
      return { kind, from: rateOf(file.from), to: rateOf(file.to), forSeconds: forSeconds ?? 0, intervals }
    case 'steps':
      return { kind, steps: (file.steps ?? []).flatMap((step) => parseStep(step) ?? []), intervals }
    case 'trace':
      return { kind, trace: file.trace ?? '', speed: file.speed ?? loadDefaults.speed }
    case 'speakers': {
      const meanSeconds = parseDuration(file.pause ?? loadDefaults.pause) ?? 0
      return { kind, speakers: file.speakers ?? 0, pauses: { meanSeconds, intervals } }
    }
  }
}

/** What is wrong with a load whose keys are all right, such as a ramp from nothing to nothing; null when nothing is. */
export function loadProblem(load: LoadConfig): string | null {
  if (load.kind === 'trace') return null
  try {
    makeSchedule(load, { seed: 0, meanAudioSeconds: 1 })
    return null
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}

/** Whether a load ends by itself, so that a round is as long as it says and not as long as the corpus. */
export function endsByItself(load: LoadConfig): boolean {
  return ['ramp', 'steps', 'trace'].includes(load.kind) || ('forSeconds' in load && load.forSeconds !== null)
}

function rateOf(text: string | undefined): OfferedRate {
  return parseRate(text ?? '') ?? { requestsPerSecond: 0 }
}

const stepPattern = /^(?<rate>.+?)\s+for\s+(?<duration>.+)$/

/** `2/s for 60s`; null where the text is no such step. */
function parseStep(text: string): { rate: OfferedRate; forSeconds: number } | null {
  const { rate: rateText = '', duration = '' } = stepPattern.exec(text.trim())?.groups ?? {}
  const rate = parseRate(rateText)
  const forSeconds = parseDuration(duration)
  return rate === null || forSeconds === null ? null : { rate, forSeconds }
}

/** `even`, `exponential` or `gamma:0.5`; null where the text is none of them. */
function parseIntervals(text: string): Intervals | null {
  if (text === 'even' || text === 'exponential') return { kind: text }
  const shape = Number(/^gamma:(\d+(?:\.\d+)?)$/.exec(text)?.[1])
  return shape > 0 ? { kind: 'gamma', shape } : null
}
