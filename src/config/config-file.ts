import { z } from 'zod'
import { platforms } from '#contract/enums'
import { failureLabels } from '#contract/failures'
import { duration } from '#load/loads/keys'
import { automaticReuse, rateLimitReactions, workloads } from './bench-config.ts'
import { loadParsers } from './configured-load.ts'
import { contenderFile, variableName } from './contender-file.ts'
import { scoringParsers } from './scoring-file.ts'
import { configuredTransports, type FileOf, type FlagTable } from './settings.ts'

const counts = z.array(z.int().min(1).max(1024)).min(1)

/** Parsers of the dimensions of a sweep. */
const matrixParsers = {
  model: z.array(z.string().trim().min(1)).min(1),
  threads: counts,
  concurrency: counts,
  transport: z.array(z.enum(configuredTransports)).min(1),
}

/** The dimensions of a sweep as they stand in a file. */
export type MatrixFile = FileOf<typeof matrixParsers>

export const matrixSettings: FlagTable<MatrixFile> = {
  model: {
    description: 'contenders as --contender takes them, instead of "contenders"',
    expects: 'a list such as [moonshine:moonshine-tiny, deepgram#nova-3]',
    flag: null,
  },
  threads: {
    description: 'threads of each decode of the built-in service',
    expects: 'a list of whole numbers such as [1, 2, 4]',
    flag: null,
  },
  concurrency: {
    description: 'requests kept in flight, of a closed load',
    expects: 'a list of whole numbers such as [1, 4]',
    flag: null,
  },
  transport: {
    description: 'how audio travels',
    expects: 'a list of "auto", "path", "base64" and "multipart"',
    flag: null,
  },
}

/** As `transcribench compare --margin` takes them: rates in points, speeds in percent. */
const marginPattern = /^((wer|cer)=\d+(\.\d+)? ?pp|(speed|latency|rtfx)=\d+(\.\d+)? ?%)$/

const wholeNumber = z.int().max(Number.MAX_SAFE_INTEGER)
const place = z.string().trim().min(1)

const abandoningLabels = [
  ...failureLabels.filter((label) => !['dropped', 'unsendable'].includes(label)),
  ...['connectionLost', 'answerCut', 'answerStalled', String.raw`HTTP_[45]\d\d`],
]

/** Parsers of the keys of a config, in order of importance. Times carry their unit. */
export const configParsers = {
  name: z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u),
  target: place,
  corpus: place,
  workload: z.enum(workloads),
  exclude: z.array(z.string().min(1)),
  sample: wholeNumber.min(1),
  contenders: z.array(contenderFile).min(1),
  matrix: matrixParsers,
  skipUnready: z.boolean(),
  parallel: z.boolean(),
  load: loadParsers,
  rounds: wholeNumber.min(1),
  warmupRequests: wholeNumber.min(0),
  maxWarmupRequests: wholeNumber.min(0),
  timeout: duration,
  retries: {
    codes: z.array(z.string().regex(new RegExp(`^(${abandoningLabels.join('|')})$`))),
    most: wholeNumber.min(1).max(10),
    backOff: duration,
    budget: z.number().min(0).max(1),
  },
  rateLimit: z.enum(rateLimitReactions),
  transport: z.enum(configuredTransports),
  stage: place,
  platform: z.enum(platforms),
  keyFrom: variableName,
  engines: place,
  maxBilledMinutes: z.number().min(0),
  reuse: z.union([z.literal(automaticReuse), duration]),
  scoring: scoringParsers,
  thresholds: z.array(z.string().trim().min(1)),
  margins: z.array(z.string().trim().regex(marginPattern)),
  seed: wholeNumber.min(0).max(4_294_967_295),
  results: place,
}

export type ConfigFile = FileOf<typeof configParsers>
