import { z } from 'zod'
import {
  formatNumber,
  isRateOfSpeech,
  type OfferedRate,
  offeredRate,
  parseRate,
  requestsPerSecondAt,
} from '../rate.ts'
import { type Spacing, varyingSchedule } from '../rate-schedule.ts'
import type { Schedule } from '../schedule.ts'
import { intervalsIn, intervalsKey, parseDuration, spacing } from './keys.ts'
import { defineLoad } from './load-definition.ts'

export interface Steps extends Spacing {
  /** Rates in requests per second, at least one, not all 0. A step of 0 shows how long a server takes to recover. */
  readonly steps: readonly { readonly perSecond: number; readonly forSeconds: number }[]
}

/**
 * Sends at one rate after the other, without a pause in between.
 *
 *   rate │            ┌──────┐
 *        │     ┌──────┘      │
 *        │─────┘             └─────
 *        └─────┴──────┴──────┴───── t
 *
 * @throws RangeError for no steps, rates below 0 or all 0, or a length that is no number above 0
 */
export function stepsSchedule({ steps, ...spacing }: Steps): Schedule {
  return varyingSchedule(
    describeSteps(steps),
    steps.map(({ perSecond, forSeconds }) => ({
      fromPerSecond: perSecond,
      toPerSecond: perSecond,
      seconds: forSeconds,
    })),
    spacing,
  )
}

/** Describes steps, and gives their length once where all have the same. */
function describeSteps(steps: Steps['steps']): string {
  const [first] = steps
  if (first !== undefined && steps.every(({ forSeconds }) => forSeconds === first.forSeconds)) {
    const rates = steps.map(({ perSecond }) => formatNumber(perSecond)).join(', ')
    return `steps of ${formatNumber(first.forSeconds)} s at ${rates} requests/s`
  }
  const each = steps.map(
    ({ perSecond, forSeconds }) => `${formatNumber(perSecond)} for ${formatNumber(forSeconds)} s`,
  )
  return `steps of requests/s: ${each.join(', ')}`
}

export const stepsLoad = defineLoad({
  kind: 'steps',
  words: 'one rate after the other',
  needs: {
    steps: {
      parser: z
        .array(
          z
            .string()
            .refine((text) => parseStep(text) !== null)
            .meta({ examples: ['2/s for 60s', '4x for 2min'] }),
        )
        .min(1),
      description: 'one rate after the other, each with its time: ["1/s for 60s", "2/s for 60s"]',
      expects: 'a list of rates with their times such as "2/s for 60s"',
      each: {
        expects: 'a rate with its time such as "2/s for 60s"',
        description: 'such as "2/s for 60s" or "4x for 2min"',
      },
      flag: null,
    },
  },
  may: { intervals: intervalsKey },
  impliedBy: ['steps'],
  fields: {
    steps: z
      .array(
        z.strictObject({
          rate: offeredRate.describe('Offered rate.'),
          forSeconds: z.number().describe('Duration in seconds.'),
        }),
      )
      .describe('In order of time.'),
    intervals: spacing,
  },
  complete: ({ steps, intervals }) => ({
    steps: steps.flatMap((step) => parseStep(step) ?? []),
    intervals: intervalsIn(intervals),
  }),
  endsByItself: () => true,
  isMadeOfSpeech: ({ steps }) => steps.some(({ rate }) => isRateOfSpeech(rate)),
  schedule: ({ steps, intervals }, { seed, meanAudioSeconds }) =>
    stepsSchedule({
      steps: steps.map(({ rate, forSeconds }) => ({
        perSecond: requestsPerSecondAt(rate, meanAudioSeconds),
        forSeconds,
      })),
      intervals,
      seed,
    }),
})

const stepPattern = /^(?<rate>.+?)\s+for\s+(?<duration>.+)$/

/** Parses `2/s for 60s`; null for a text that is not a step. */
function parseStep(text: string): { rate: OfferedRate; forSeconds: number } | null {
  const { rate: rateText = '', duration = '' } = stepPattern.exec(text.trim())?.groups ?? {}
  const rate = parseRate(rateText)
  const forSeconds = parseDuration(duration)
  return rate === null || forSeconds === null ? null : { rate, forSeconds }
}
