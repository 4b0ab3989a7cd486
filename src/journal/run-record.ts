import { z } from 'zod'
import { noSpeechRule } from '#contract/failures'
import { healthSnapshot, modelEntry } from '#contract/resources'
import { loadShape } from '#load/loads/registry'
import type { DeepReadonly } from '#prelude'
import { count, nullableText, number, text } from '#prelude/document-fields'
import { phases } from './plan-line.ts'

/** Version of every file in a run folder. A reader rejects every other version with an error. */
export const runFormatVersion = 5

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

const origin = {
  source: text.describe('Source of the figures: an address, or words.'),
  date: text.describe('Date on which they were read there.'),
}

const options = z.record(text, z.union([z.boolean(), number, text, z.array(text)])).optional()

/** Conditions of a contender that differ from those of the run; absent where they are equal. */
export const ownConditions = {
  options: options.describe(
    "Settings of the provider's API, by their names there; absent where none is set.",
  ),
  defaultOptions: options.describe(
    'Options that are sent although the contender sets none of them, as its provider is known; absent without any.',
  ),
  threads: z.int().optional().describe('Threads of each decode; absent where the service decides.'),
  concurrency: z
    .int()
    .optional()
    .describe('Requests kept in flight; absent where the load of the run decides.'),
  transport: text.optional().describe('How audio travels; absent where the transport of the run decides.'),
}

export const recordedContenderSchema = z
  .object({
    id: text.describe('Short name in every table; unique.'),
    target: text.optional().describe('Id of its target; absent in a run with one target.'),
    engine: nullableText.describe('Engine; null where a Mode decides.'),
    model: nullableText.describe('Model; null where a Mode decides.'),
    language: nullableText.describe('BCP 47 tag, or `auto`; null where a Mode decides.'),
    patchedMode: nullableText.describe('Name of the Mode that is patched; null for a temporary Mode.'),
    ...ownConditions,
    usdPerMinute: number
      .nullable()
      .optional()
      .describe('Price of a minute of audio in US dollars; null or absent where the config gives none.'),
    priceSource: nullableText
      .optional()
      .describe('Source of the price; no cost is claimed without it and its date.'),
    priceDate: nullableText.optional().describe('Date on which the price was read there.'),
    billing: z
      .object({
        stepSeconds: number
          .nullable()
          .describe('Lengths are billed in steps of so many seconds; null where the exact length is billed.'),
        rounding: z.enum(['up', 'nearest']).describe('Direction of the rounding.'),
        minimumSeconds: number.describe('Minimum length that is billed, in seconds.'),
      })
      .optional()
      .describe('How the provider rounds the length of a recording; absent where that is not known.'),
    merged: z
      .object({
        contender: text.describe('Contender as its host called it.'),
        host: text.describe('Host that measured it.'),
      })
      .optional()
      .describe('Origin of a contender of a merged run; absent in any other.'),
  })
  .meta({
    id: 'RecordedContender',
    description: 'What is under test: an engine, a model and their options, under one short name.',
  })
export type RecordedContender = DeepReadonly<z.infer<typeof recordedContenderSchema>>

const ownPrices = z
  .object({
    machine: z
      .object({
        price: number.describe('Price of the machine in US dollars.'),
        lifeYears: number.describe('Years of its life.'),
        idleWatts: number.describe('Power of the idle machine in watts.'),
        wattsPerBusyProcessor: number.describe('Further power of each busy processor in watts.'),
        ...origin,
      })
      .describe('The machine.'),
    electricity: z
      .object({ perKilowattHour: number.describe('US dollars per kilowatt-hour.'), ...origin })
      .describe('Its energy.'),
  })
  .meta({ id: 'RecordedOwnPrices', description: 'What your own machine and its electricity cost.' })
export type RecordedOwnPrices = DeepReadonly<z.infer<typeof ownPrices>>

const target = z
  .object({
    kind: z
      .enum(['embedded', 'discovered', 'address', 'openai', 'provider'])
      .describe(
        'The built-in service, the running one, one at an address, a server of /v1/audio/transcriptions, or a cloud provider in its own protocol.',
      ),
    baseUrl: text.describe('Address without credentials: `http://127.0.0.1:39201`.'),
    health: healthSnapshot
      .nullable()
      .describe(
        'What it reported about itself; null for a server of /v1/audio/transcriptions and a provider.',
      ),
    models: z.array(modelEntry).describe('Models that it listed.'),
  })
  .meta({ id: 'RecordedTarget', description: 'The service that was measured.' })
export type RecordedTarget = DeepReadonly<z.infer<typeof target>>

const severalTargets = z
  .array(
    target
      .extend({
        id: text.describe('As contenders name it.'),
        machine: text.describe('`this machine`, or the name of the host.'),
        roundTripMs: number
          .nullable()
          .describe('Median time to connect to the host, in milliseconds; null where it did not answer.'),
      })
      .meta({ id: 'RecordedTargetOfSeveral', description: 'One of several services that were measured.' }),
  )
  .min(2)

export function findRecordedTarget(
  { target, targets = [] }: Pick<RunRecord, 'target' | 'targets'>,
  contender: Pick<RecordedContender, 'target'>,
): RecordedTarget {
  return targets.find(({ id }) => id === contender.target) ?? target
}

const hostSpeed = z
  .object({
    integerMillionsPerSecond: number.describe('Millions of rounds of an integer hash per second.'),
    floatBillionsPerSecond: number.describe(
      'Billions of floating-point operations per second of a 32-bit matrix product.',
    ),
    memoryBillionsPerSecond: number.describe('Billions of bytes copied in memory per second.'),
  })
  .meta({ id: 'HostSpeed', description: 'Speed of one thread of the host; more is faster.' })
export type HostSpeed = DeepReadonly<z.infer<typeof hostSpeed>>

const host = z
  .object({
    platform: text.describe('Operating system.'),
    release: text.describe('Its release.'),
    architecture: text.describe('Architecture of the processor.'),
    cpuModel: text.describe('Model of the processor.'),
    cpuCount: z.int().describe('Processors that the measuring program may use.'),
    machineCpuCount: z
      .int()
      .optional()
      .describe('All processors of the machine; absent in runs of a version that did not record them.'),
    memoryBytes: number.describe('Memory in bytes.'),
    nodeVersion: text.describe('Version of Node.js.'),
    programVersion: text.describe('Version of transcribench.'),
    speed: hostSpeed.describe('Measured at most ten seconds before the run.'),
    power: z
      .enum(['mains', 'battery'])
      .nullable()
      .describe('Power supply at the start; null where the host does not report it.'),
  })
  .meta({ id: 'RecordedHost', description: 'The machine that measured.' })
export type RecordedHost = DeepReadonly<z.infer<typeof host>>

const mergedHost = z
  .object({
    name: text.describe('As contenders name it.'),
    runIds: z.array(text).describe('Runs that it measured.'),
    machine: host.describe('The machine, in the first of its runs.'),
    clock: z
      .object({
        offsetMs: number.describe('Clock of the queue minus the wall clock of the host, in milliseconds.'),
        uncertaintyMs: number.describe('Half the shortest round trip to the queue, in milliseconds.'),
        startErrorMs: number
          .nullable()
          .describe(
            'Distance from the common start of all hosts, in milliseconds; null without a common start.',
          ),
      })
      .optional()
      .describe('Clock of a host of a fleet, the worst of its blocks; absent in any other run.'),
    further: z
      .array(
        z.object({
          part: count.describe('Part of the plan, from 0.'),
          answeredCount: count.describe('Measured requests that were answered.'),
        }),
      )
      .optional()
      .describe('Parts that this host measured after another copy was complete; they do not count.'),
  })
  .meta({ id: 'MergedHost', description: 'One of the hosts whose runs were merged.' })

const hostFault = z
  .object({
    host: text.describe('Host of the fleet; it may have measured nothing.'),
    part: count.describe('Part of the plan, from 0.'),
    kind: z.enum(['failed', 'silent']).describe('It said that it could not, or its agent fell silent.'),
    reason: text.nullable().describe('In the words of the host; null where it said nothing.'),
  })
  .meta({ id: 'HostFault', description: 'A block of a fleet that a host did not measure to its end.' })

const corpus = z
  .object({
    name: text.describe('Name.'),
    fingerprint: text.describe('Fingerprint of its recordings and references.'),
    utteranceCount: count.describe('Utterances.'),
    sampledFrom: count
      .nullable()
      .optional()
      .describe(
        'Utterances of the whole corpus, where these are a sample; null or absent where all were taken.',
      ),
    audioSeconds: number.describe('Length of all recordings in seconds.'),
    writtenLanguage: text
      .nullable()
      .optional()
      .describe(
        'Language, in ISO 639-1, that references are written in whose manifest names none; null where it is not clear, absent where all have one.',
      ),
    excluded: z.array(text).describe('Ids that were excluded by `--exclude`, in the order of the manifest.'),
  })
  .meta({ id: 'RecordedCorpus', description: 'What was sent.' })

const ending = z
  .object({
    code: text.describe('Code of the error.'),
    message: text.describe('In words.'),
    hint: text.describe('What to do.'),
  })
  .meta({ id: 'RunEnding', description: 'Why a run ended before its plan was complete.' })
export type RunEnding = DeepReadonly<z.infer<typeof ending>>

const givenUpContender = z
  .object({
    id: text.describe('The contender.'),
    phase: z.enum(phases).describe('When it was given up.'),
    reason: text.describe('In the words of the server or the system.'),
    hint: nullableText.describe("The server's advice; null where it gives none."),
  })
  .meta({
    id: 'GivenUpContender',
    description: 'A contender that got no further requests, because none of them could succeed.',
  })
export type GivenUpContender = DeepReadonly<z.infer<typeof givenUpContender>>

export const runCountsSchema = z
  .object({
    planned: count.describe('Planned requests, the sum of the others; without the warm-up.'),
    answered: count.describe('Answered.'),
    failed: count.describe('Failed.'),
    dropped: count.describe('In flight when the run was interrupted for the second time.'),
    notSent: count.describe('Not sent.'),
  })
  .meta({ id: 'RunCounts', description: 'Requests by their outcome.' })
export type RunCounts = DeepReadonly<z.infer<typeof runCountsSchema>>

const replacement = z.object({
  from: text.describe('Text to replace.'),
  to: text.describe('Text to write.'),
  before: text.optional().describe('Text required right before it; a space where absent.'),
  after: text.optional().describe('Text required right after it; a space where absent.'),
})

const rules = z
  .object({
    fillers: z.array(text).describe('Words and phrases that do not count on either side.'),
    replacements: z.array(replacement).describe('Texts that are written otherwise on both sides, in order.'),
    equivalences: z.array(z.array(text)).describe('Ways to write the same.'),
    vocabulary: z.array(text).describe('Spellings that cover every way to break or join them.'),
  })
  .meta({ id: 'RecordedRules', description: "The user's own scoring rules." })
export type RecordedRules = DeepReadonly<z.infer<typeof rules>>

const workload = z.enum(['transcribe', 'post-process'])

const status = z.enum(['started', 'finished', 'interrupted', 'failed'])
export type RunStatus = z.infer<typeof status>

/** Parser of `run.json`. */
export const runRecord = z.object({
  formatVersion: z.int().describe('Version of every file in the run folder.'),
  // Exports use the id in file names, so an id from another person's run must not contain a path.
  id: text
    .refine((id) => !/[/\\]/.test(id), 'is not the name of a folder')
    .describe('Name of the folder: `2026-11-21T07-31-02Z-quick`.'),
  name: text.describe('Name of the run.'),
  status: status.describe('`started` until the program itself ends the run: a run that died keeps it.'),
  resume: text
    .optional()
    .describe('Command that continues the run from the folder where it was started; absent in a merged run.'),
  startedAt: text.describe('Start, ISO 8601, UTC.'),
  endedAt: nullableText.describe('End, ISO 8601, UTC; null while the status is `started`.'),
  pid: z.int().describe('Process that wrote the run. While it does, it holds a lock on `run.lock`.'),
  resumedAt: z
    .array(text)
    .optional()
    .describe('When the run was resumed, each time, ISO 8601, UTC; absent where it never was.'),
  command: z.array(text).describe('Command line, word by word.'),
  config: (z.record(z.string(), z.unknown()) as z.ZodType<Json>).describe(
    'The config as resolved, with every default filled in.',
  ),
  settingSources: z
    .record(z.string(), z.enum(['default', 'file', 'environment', 'flag']))
    .optional()
    .describe('Source of each setting by its key path in a config file; absent where it was not recorded.'),
  workload: workload.optional().describe('What requests ask for; `transcribe` where absent.'),
  seed: z.int().describe('Seed of all random choices.'),
  rounds: z
    .int()
    .describe('Passes of each contender over the corpus; with a trace, the number of its repetitions.'),
  load: loadShape.describe(
    'When requests leave; with the seed and the mean length of the corpus it gives the same arrivals again.',
  ),
  scoringProfile: text.describe('Normalisation profile that the run asks for.'),
  scoringRules: rules
    .optional()
    .describe('What the config adds to the profile; absent where it adds nothing.'),
  noSpeech: z.array(noSpeechRule).describe('Refusals that mean that no speech was heard.'),
  contenders: z.array(recordedContenderSchema).describe('What is compared.'),
  ownPrices: ownPrices
    .optional()
    .describe('Present where a contender has a price: what its cost is compared with.'),
  skipped: z
    .array(z.object({ id: text.describe('The contender.'), reason: text.describe('In words.') }))
    .default([])
    .describe('Contenders that the target did not have, skipped by `--skip-unready`.'),
  target: target.describe('Service; the first one of several.'),
  targets: severalTargets.optional().describe('All of them; absent in a run with one target.'),
  host: host.describe('Host; of a merged run, the first one.'),
  fleetMode: z
    .enum(['replicate', 'shard'])
    .optional()
    .describe(
      '`replicate`: each host measured the whole plan. `shard`: hosts shared it. Absent without a fleet.',
    ),
  hosts: z.array(mergedHost).optional().describe('Hosts of a merged run; absent in any other.'),
  hostFaults: z
    .array(hostFault)
    .optional()
    .describe('Blocks of a fleet that a host did not measure to their end; absent where all were.'),
  corpus: corpus.describe('Corpus.'),
  manifest: text
    .optional()
    .describe(
      'Path of the manifest, relative to this folder; absent for a corpus that its name finds from any folder, and in older records. A config names the corpus as it was typed, in another folder perhaps.',
    ),
  counts: runCountsSchema.nullable().describe('Null while the status is `started`.'),
  ending: ending.nullable().describe('Null where the plan was completed.'),
  givenUp: z
    .array(givenUpContender)
    .optional()
    .describe('Contenders that were given up; absent where none was.'),
})
export interface RunRecord extends DeepReadonly<Omit<z.infer<typeof runRecord>, 'config'>> {
  readonly config: Json
}

/** The corpus of a run, as its config names it; null if it names none. */
export function readCorpusName(record: { readonly config: unknown }): string | null {
  return readConfigText(record, 'corpus')
}

/** The target of a run, as its config names it; null if it names none. */
export function readTargetName(record: { readonly config: unknown }): string | null {
  return readConfigText(record, 'target')
}

function readConfigText({ config }: { readonly config: unknown }, key: string): string | null {
  const value = config !== null && typeof config === 'object' ? Reflect.get(config, key) : null
  return typeof value === 'string' ? value : null
}
