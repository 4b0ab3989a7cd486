import { z } from 'zod'
import { defaultNoSpeechRules, failureMeanings, platforms } from '#contract'
import { traceSpeeds } from '#load'
import { configuredTransports, rateLimitReactions, workloads } from './bench-config.ts'
import type { ConfigFile, RetriesFile } from './config-file.ts'
import { contenderFile } from './contender-file.ts'
import { durationPattern, parseDuration } from './duration.ts'
import { flagTable, type Setting } from './flag-table.ts'
import {
  type LoadDefaults,
  type LoadFile,
  loadDefaults,
  loadKindNames,
  parseIntervals,
  parseStep,
} from './load-file.ts'
import { parseRate, ratePattern } from './rate.ts'
import { automaticProfile, type ScoringFile, scoringParsers } from './scoring-file.ts'

/** A shape in which nothing is left out. */
type Complete<Shape> = { readonly [Key in keyof Shape]-?: Exclude<Shape[Key], undefined> }

/** Everything is said but the time-out, which then follows the length of the audio, and what is found out by itself. */
type CompleteFile = Complete<
  Omit<
    ConfigFile,
    'sample' | 'timeout' | 'engines' | 'stage' | 'platform' | 'keyFrom' | 'load' | 'scoring' | 'retries'
  >
> & {
  readonly retries: Complete<RetriesFile>
  readonly load: LoadDefaults
  readonly scoring: Complete<ScoringFile>
}

/** The quick run: what is measured when nobody says otherwise. */
export const defaults: CompleteFile = {
  name: 'quick',
  target: 'embedded',
  corpus: 'quick',
  workload: 'transcribe',
  exclude: [],
  contenders: [
    { engine: 'moonshine', model: 'moonshine-tiny', language: 'en' },
    { engine: 'moonshine', model: 'moonshine-base', language: 'en' },
  ],
  skipUnready: false,
  load: loadDefaults,
  rounds: 8,
  warmupRequests: 2,
  retries: { codes: [], most: 2, backOff: '1s', budget: 0.1 },
  rateLimit: 'auto',
  transport: 'auto',
  maxBilledMinutes: 60,
  scoring: {
    profile: automaticProfile,
    fillers: [],
    replacements: [],
    equivalences: [],
    vocabulary: [],
    noSpeech: defaultNoSpeechRules,
  },
  failIf: [],
  margins: [],
  seed: 1,
  results: 'results',
}

/** As `transcribench compare --margin` takes them: rates in points, speeds in percent. */
const marginPattern = /^((wer|cer)=\d+(\.\d+)? ?pp|(latency|rtfx)=\d+(\.\d+)? ?%)$/

const wholeNumber = z.int().max(Number.MAX_SAFE_INTEGER)
const place = z.string().trim().min(1)

function described<Value>(
  parser: z.ZodType<Value>,
  setting: Setting,
  standard?: Value,
): z.ZodType<Value | undefined> {
  return parser.optional().meta({
    description: setting.description,
    ...(standard === undefined ? {} : { default: standard }),
  })
}

/** Strict: unknown keys are problems. Contenders and thresholds have further rules, which are checked apart. */
export const configFile: z.ZodType<ConfigFile> = z.strictObject({
  name: described(z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u), flagTable.name, defaults.name),
  target: described(place, flagTable.target, defaults.target),
  corpus: described(place, flagTable.corpus, defaults.corpus),
  workload: described(z.enum(workloads), flagTable.workload, defaults.workload),
  exclude: described(z.array(z.string().min(1)), flagTable.exclude, defaults.exclude),
  sample: described(wholeNumber.min(1), flagTable.sample),
  contenders: described(z.array(contenderFile).min(1), flagTable.contenders, defaults.contenders),
  skipUnready: described(z.boolean(), flagTable.skipUnready, defaults.skipUnready),
  load: loadFile().optional().meta({ description: 'when requests are sent' }),
  rounds: described(wholeNumber.min(1), flagTable.rounds, defaults.rounds),
  warmupRequests: described(wholeNumber.min(0), flagTable.warmupRequests, defaults.warmupRequests),
  timeout: described(duration(), flagTable.timeout),
  retries: retriesFile().optional().meta({ description: 'which failed requests are sent again' }),
  rateLimit: described(z.enum(rateLimitReactions), flagTable.rateLimit, defaults.rateLimit),
  transport: described(z.enum(configuredTransports), flagTable.transport, defaults.transport),
  stage: described(place, flagTable.stage),
  platform: described(z.enum(platforms), flagTable.platform),
  keyFrom: described(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), flagTable.keyFrom),
  engines: described(place, flagTable.engines),
  maxBilledMinutes: described(z.number().min(0), flagTable.maxBilledMinutes, defaults.maxBilledMinutes),
  scoring: scoringFile().optional().meta({ description: 'how transcripts are compared with references' }),
  failIf: described(z.array(z.string().trim().min(1)), flagTable.failIf, defaults.failIf),
  margins: described(z.array(z.string().trim().regex(marginPattern)), flagTable.margins, defaults.margins),
  seed: described(wholeNumber.min(0).max(4_294_967_295), flagTable.seed, defaults.seed),
  results: described(place, flagTable.results, defaults.results),
})

/** The scoring section, which may stand in a file of its own. */
export function scoringFile(): z.ZodType<ScoringFile> {
  const { scoring } = flagTable
  const standard = defaults.scoring
  return z.strictObject({
    profile: described(scoringParsers.profile, scoring.profile, standard.profile),
    fillers: described(scoringParsers.fillers, scoring.fillers, standard.fillers),
    replacements: described(scoringParsers.replacements, scoring.replacements, standard.replacements),
    equivalences: described(scoringParsers.equivalences, scoring.equivalences, standard.equivalences),
    vocabulary: described(scoringParsers.vocabulary, scoring.vocabulary, standard.vocabulary),
    noSpeech: described(scoringParsers.noSpeech, scoring.noSpeech, standard.noSpeech),
  })
}

/** Which of the keys belong together is checked apart. */
function loadFile(): z.ZodType<LoadFile> {
  const { load } = flagTable
  return z.strictObject({
    kind: described(z.enum(loadKindNames), load.kind, loadDefaults.kind),
    concurrency: described(wholeNumber.min(1), load.concurrency, loadDefaults.concurrency),
    rate: described(rate(), load.rate),
    duration: described(duration(), load.duration),
    burstiness: described(z.number().positive(), load.burstiness),
    from: described(rate(), load.from),
    to: described(rate(), load.to),
    steps: described(z.array(step()).min(1), load.steps),
    intervals: described(intervals(), load.intervals, loadDefaults.intervals),
    trace: described(place, load.trace),
    speed: described(
      z.number().min(traceSpeeds.slowest).max(traceSpeeds.fastest),
      load.speed,
      loadDefaults.speed,
    ),
    speakers: described(wholeNumber.min(1), load.speakers),
    pause: described(duration(), load.pause, loadDefaults.pause),
  })
}

function retriesFile(): z.ZodType<RetriesFile> {
  const { retries } = flagTable
  const standard = defaults.retries
  const ownLabels = Object.keys(failureMeanings).filter((label) => !['dropped', 'unsendable'].includes(label))
  const labels = [...ownLabels, 'connectionLost', 'answerCut', 'answerStalled', String.raw`HTTP_[45]\d\d`]
  return z.strictObject({
    codes: described(
      z.array(z.string().regex(new RegExp(`^(${labels.join('|')})$`))),
      retries.codes,
      standard.codes,
    ),
    most: described(wholeNumber.min(1).max(10), retries.most, standard.most),
    backOff: described(duration(), retries.backOff, standard.backOff),
    budget: described(z.number().min(0).max(1), retries.budget, standard.budget),
  })
}

function rate(): z.ZodType<string> {
  return z
    .string()
    .refine((text) => parseRate(text) !== null)
    .meta({ pattern: ratePattern, examples: ['5/s', '300/min', '4x'] })
}

function intervals(): z.ZodType<string> {
  return z
    .string()
    .refine((text) => parseIntervals(text) !== null)
    .meta({ pattern: String.raw`^(even|exponential|gamma:\d+(\.\d+)?)$` })
}

function step(): z.ZodType<string> {
  return z
    .string()
    .refine((text) => parseStep(text) !== null)
    .meta({ examples: ['2/s for 60s', '4x for 2min'] })
}

function duration(): z.ZodType<string> {
  return z
    .string()
    .refine((text) => parseDuration(text) !== null)
    .meta({ pattern: durationPattern, examples: ['90s', '1500ms', '2min'] })
}
