import { z } from 'zod'
import type { Intervals } from './intervals.ts'
import type { OfferedRate } from './offered-load.ts'
import type { PlannedSend } from './schedules/schedule.ts'
import type { Pauses } from './schedules/speakers-schedule.ts'
import type { TraceEntry } from './trace.ts'

/** A load as a config or a journal tells it: plain data. Limits of the figures: see the schedules. */
export type LoadShape =
  | { readonly kind: 'closed'; readonly concurrency: number }
  | { readonly kind: 'constant' | 'poisson'; readonly rate: OfferedRate; readonly forSeconds: number | null }
  | {
      readonly kind: 'gamma'
      readonly rate: OfferedRate
      readonly burstiness: number
      readonly forSeconds: number | null
    }
  | {
      readonly kind: 'ramp'
      readonly from: OfferedRate
      readonly to: OfferedRate
      readonly forSeconds: number
      readonly intervals: Intervals
    }
  | {
      readonly kind: 'steps'
      readonly steps: readonly { readonly rate: OfferedRate; readonly forSeconds: number }[]
      readonly intervals: Intervals
    }
  | { readonly kind: 'trace'; readonly entries: readonly TraceEntry[]; readonly speed: number }
  | { readonly kind: 'speakers'; readonly speakers: number; readonly pauses: Pauses }

/** Whether a load can only be made where the length of what is sent is known, and is not 0. */
export function isMadeOfSpeech(shape: LoadShape): boolean {
  const inSpeech = (rate: OfferedRate): boolean => 'audioSecondsPerSecond' in rate
  switch (shape.kind) {
    case 'closed':
      return false
    case 'constant':
    case 'poisson':
    case 'gamma':
      return inSpeech(shape.rate)
    case 'ramp':
      return inSpeech(shape.from) || inSpeech(shape.to)
    case 'steps':
      return shape.steps.some(({ rate }) => inSpeech(rate))
    case 'trace':
    case 'speakers':
      return true
  }
}

const number = z.number()
const rate = z.union([
  z.strictObject({ requestsPerSecond: number }),
  z.strictObject({ audioSecondsPerSecond: number }),
])
const intervals = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('even') }),
  z.strictObject({ kind: z.literal('exponential') }),
  z.strictObject({ kind: z.literal('gamma'), shape: number }),
])
const forSeconds = number.nullable()

/** Parser of a load in a document. Whether its figures make a load is for `makeSchedule` to say. */
export const loadShape: z.ZodType<LoadShape> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('closed'), concurrency: z.int().min(1) }),
  z.strictObject({ kind: z.enum(['constant', 'poisson']), rate, forSeconds }),
  z.strictObject({ kind: z.literal('gamma'), rate, burstiness: number, forSeconds }),
  z.strictObject({ kind: z.literal('ramp'), from: rate, to: rate, forSeconds: number, intervals }),
  z.strictObject({
    kind: z.literal('steps'),
    steps: z.array(z.strictObject({ rate, forSeconds: number })),
    intervals,
  }),
  z.strictObject({
    kind: z.literal('trace'),
    entries: z.array(z.strictObject({ endedAtSeconds: number, audioSeconds: number })),
    speed: number,
  }),
  z.strictObject({
    kind: z.literal('speakers'),
    speakers: z.int().min(1),
    pauses: z.strictObject({ meanSeconds: number, intervals }),
  }),
])

/** Parser of a sending in a plan. */
export const plannedSend: z.ZodType<PlannedSend> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('due'), dueAtMs: number }),
  z.strictObject({ kind: z.literal('next') }),
  z.strictObject({
    kind: z.literal('spoken'),
    speaker: z.int().min(0),
    pauseMs: number,
    speechMs: number,
  }),
])
