import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { count, nonNegative, nullableText, part, text } from '#prelude/document-fields'
import { costs, type FleetSize, fleet, habit } from './cost.ts'
import {
  bounds,
  capacity,
  cold,
  type FoundWhatIf,
  interference,
  level,
  load,
  overload,
  simulation,
  sweep,
  verdict,
} from './found-loads.ts'

export const capacityFormatVersion = 5

const milliseconds = z.number().nullable()

/** Why a search ended. */
const endings = ['precise', 'budget', 'saturated', 'hopeless', 'interrupted'] as const
export type SearchEnding = (typeof endings)[number]

const contender = part('ContenderCapacity', 'Everything that was found of one contender.', {
  id: text.describe('Short name.'),
  engine: nullableText.describe('Engine; null where a Mode decides.'),
  model: nullableText.describe('Model; null where a Mode decides.'),
  capacity: capacity
    .nullable()
    .describe(
      'Null where no load was measured and no simulation could be made, where no load meets the objectives, where it was ' +
        'given: see `ended`, or where the speed of the server changed: see `change`.',
    ),
  change: z
    .strictObject({
      times: nonNegative.describe(
        'Service time of a request alone at the end of the search over that at its beginning.',
      ),
      firstEstimate: nonNegative
        .nullable()
        .describe('First estimate of the capacity in requests per second; null without one.'),
      lastEstimate: nonNegative.nullable().describe('Last one.'),
    })
    .nullable()
    .describe(
      'How the speed of the server changed during the search: there is then no single capacity, and no bound is without doubt. ' +
        'Null where it did not.',
    ),
  bounds: bounds.describe('Loads without doubt.'),
  ended: z
    .enum([...endings, 'given'])
    .describe(
      'Why the search ended. `precise`: the interval is as narrow as requested, and confirmed. `budget`: the time is used. ' +
        '`saturated`: the objectives are met up to the max of the server. `hopeless`: they are violated at the lowest load. ' +
        '`interrupted`: stopped, or the target is gone. `given`: the capacity was given and not searched.',
    ),
  levels: z.array(level).describe('In order of load.'),
  confirmation: z
    .strictObject({
      load: load.describe('Load.'),
      verdict: verdict.describe('Verdict by this stretch alone.'),
    })
    .nullable()
    .describe('A long stretch with new random arrivals; null where there was none.'),
  sweep: sweep.describe('How the server scales.'),
  simulation: simulation.nullable().describe('Null where too little was measured to make one.'),
  overloads: z.array(overload).describe('Stretches above the capacity.'),
  interference: interference.nullable().describe('Null where it was not measured.'),
  cold: cold.describe('Cold start.'),
  fleet: fleet.nullable().describe('Null where no number of users was given.'),
  costs: costs.nullable().describe('Null where no prices were given.'),
})
export type ContenderCapacity = DeepReadonly<z.infer<typeof contender>>

const remark = part('CapacityRemark', 'A limit of the finding.', {
  severity: z.enum(['invalid', 'decisive', 'warning', 'note']).describe('How much it matters.'),
  message: text.describe('In words.'),
})
export type CapacityRemark = DeepReadonly<z.infer<typeof remark>>

const speedIndex = part('HostSpeedIndex', 'Speed of one thread of the host; more is faster.', {
  integerMillionsPerSecond: nonNegative.describe('Millions of rounds of an integer hash per second.'),
  floatBillionsPerSecond: nonNegative.describe(
    'Billions of floating-point operations per second of a 32-bit matrix product.',
  ),
  memoryBillionsPerSecond: nonNegative.describe('Billions of bytes copied in memory per second.'),
})

export const capacityFindingSchema = z.strictObject({
  formatVersion: z.literal(capacityFormatVersion).describe('Version of this document.'),
  id: text.describe('Name of its folder.'),
  startedAt: text.describe('Start, ISO 8601, UTC.'),
  endedAt: text.describe('End, ISO 8601, UTC.'),
  command: z.array(text).describe('Command line, word by word.'),
  programVersion: text.describe('Version of transcribench.'),
  seed: count.describe('Seed of all random choices.'),
  budgetSeconds: nonNegative.describe('Time that the measurement was allowed, in seconds.'),
  spentSeconds: nonNegative.describe('Time that it took, in seconds.'),
  host: z
    .strictObject({
      platform: text.describe('Operating system.'),
      cpuModel: text.describe('Model of the processor.'),
      cpuCount: count.describe('Processors.'),
      memoryBytes: count.describe('Memory in bytes.'),
      speedIndex: speedIndex.nullable().describe('Null where it was not measured.'),
    })
    .describe('The machine that measured.'),
  target: z
    .strictObject({
      kind: text.describe('How the target was named.'),
      baseUrl: text.describe('Address, without credentials.'),
      version: nullableText.describe('Version of the service; null where it reports none.'),
    })
    .describe('The service that was measured.'),
  corpus: z
    .strictObject({
      name: text.describe('Name.'),
      fingerprint: text.describe('Fingerprint of its recordings and references.'),
      utteranceCount: count.describe('Utterances.'),
      meanAudioSeconds: nonNegative.describe('Mean length of a recording in seconds.'),
      correctedCount: count
        .optional()
        .describe(
          'References that corrections next to the corpus replaced for error rates; absent where none was.',
        ),
    })
    .describe('What was sent.'),
  habit: habit.describe('What a concurrent user does.'),
  objectives: z.array(text).describe('Service-level objectives as the user wrote them.'),
  contenders: z.array(contender).describe('One for each contender.'),
  instrument: z
    .strictObject({
      lateP99Ms: milliseconds.describe(
        '99th percentile of the send lag in milliseconds; null without open loads.',
      ),
      lateMaxMs: milliseconds.describe('Max send lag in milliseconds; null without open loads.'),
    })
    .describe('Error of the instrument itself.'),
  remarks: z.array(remark).describe('Limits of the finding.'),
})
/** The one document of a capacity measurement; every screen and file renders it. */
export type CapacityFinding = DeepReadonly<z.infer<typeof capacityFindingSchema>>

/** Maximum send lag in milliseconds; with more, the instrument itself is the limit. */
const latestLeaveMs = 50

/** Whether requests left so late that misses and capacities are this machine's doing, and not the server's. */
export function isSentLate({ lateP99Ms }: CapacityFinding['instrument']): boolean {
  return lateP99Ms !== null && lateP99Ms > latestLeaveMs
}

/** The answer for one contender to a question about a stored finding. */
export interface WhatIfAnswer {
  readonly contenderId: string
  /** Null if there is no simulation that may answer. */
  readonly whatIf: FoundWhatIf | null
  readonly silentBecause: string | null
  /** Machines for the users of the question, by the simulated capacity; null without users. */
  readonly fleet: {
    readonly users: number
    readonly size: (FleetSize & { readonly basis: 'forecast' }) | null
  } | null
}
