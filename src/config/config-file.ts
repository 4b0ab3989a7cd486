import { z } from 'zod'
import { platforms } from '#contract/enums'
import { failureLabels } from '#contract/failures'
import { adviseDuration, duration } from '#load/loads/keys'
import { automaticReuse, rateLimitReactions, workloads } from './bench-config.ts'
import { configuredLoadKeys } from './configured-load.ts'
import { contenderFile, contenderKeys, targetExpects, variableName } from './contender-file.ts'
import { scoringKeys } from './scoring-file.ts'
import {
  aText,
  configuredTransports,
  type FileOf,
  fileObject,
  type Group,
  group,
  listStandards,
  oneOf,
  type Setting,
  type StandardsOf,
} from './settings.ts'

const counts = z.array(z.int().min(1).max(1024)).min(1)
const countEntry = { expects: 'a whole number, 1 or more', description: '' }

/** The dimensions of a sweep. */
const matrixKeys = {
  model: {
    parser: z.array(z.string().trim().min(1)).min(1),
    description: 'contenders as --contender takes them, instead of "contenders"',
    expects: 'a list such as [moonshine:moonshine-tiny, deepgram#nova-3]',
    flag: null,
    each: { ...aText, description: 'such as moonshine:moonshine-tiny' },
  },
  threads: {
    parser: counts,
    description: 'threads of each decode of the built-in service',
    expects: 'a list of whole numbers such as [1, 2, 4]',
    flag: null,
    each: countEntry,
  },
  concurrency: {
    parser: counts,
    description: 'requests kept in flight, of a closed load',
    expects: 'a list of whole numbers such as [1, 4]',
    flag: null,
    each: countEntry,
  },
  transport: {
    parser: z.array(z.enum(configuredTransports)).min(1),
    description: 'how audio travels',
    expects: 'a list of "auto", "path", "base64" and "multipart"',
    flag: null,
    each: { expects: oneOf(configuredTransports), description: '' },
  },
} satisfies Readonly<Record<string, Setting>>

export type MatrixFile = FileOf<typeof matrixKeys>

/** Margins in the syntax of `transcribench compare --margin`: rates in percentage points, speeds in percent. */
const marginPattern = /^((wer|cer)=\d+(\.\d+)? ?pp|(speed|latency|rtfx)=\d+(\.\d+)? ?%)$/

const wholeNumber = z.int().max(Number.MAX_SAFE_INTEGER)
const place = z.string().trim().min(1)
const wholeFrom = (minimum: number): string => `a whole number, ${minimum} or more`

const retryableLabels = [
  ...failureLabels.filter((label) => !['dropped', 'unsendable'].includes(label)),
  ...['connectionLost', 'answerCut', 'answerStalled', String.raw`HTTP_[45]\d\d`],
]

/** The keys of a config in order of importance. Times include a unit. The defaults are the quick run. */
export const configKeys = {
  name: {
    parser: z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u),
    description:
      'name of the run and end of its folder; without it the name of the config file or of the corpus',
    expects: 'a name of letters, digits, ".", "_" and "-", 64 at most',
    flag: { syntax: '--name <name>', reads: 'text' },
    standard: 'quick',
  },
  target: {
    parser: place,
    description:
      'where the requests go: embedded (the built-in service), auto (the desktop application or `serve` running here), ' +
      'a local-api.json, an address, or ' +
      'openai:http://…/v1 (any server with /v1/audio/transcriptions), or a provider such as deepgram',
    expects: targetExpects,
    flag: { syntax: '--target <target>', reads: 'text' },
    standard: 'embedded',
  },
  corpus: {
    parser: place,
    description: 'what is transcribed: the name of a corpus, or the path of a manifest; - for standard input',
    expects: 'the name of a corpus, the path of a manifest, or -',
    flag: { syntax: '--corpus <corpus>', reads: 'text', fileEnding: '.jsonl' },
    standard: 'quick',
  },
  workload: {
    parser: z.enum(workloads),
    description:
      'what is measured: "transcribe" sends audio; "post-process" sends texts, from lines with "text" and "reference"',
    expects: oneOf(workloads),
    flag: { syntax: '--workload <workload>', reads: 'text' },
    standard: 'transcribe',
  },
  exclude: {
    parser: z.array(z.string().min(1)),
    description: 'ids of utterances to leave out; recorded in the run',
    expects: 'a list of utterance ids',
    flag: { syntax: '--exclude <ids>', reads: 'list' },
    standard: [],
    each: { expects: 'the id of an utterance', description: 'quote an id that looks like a number' },
  },
  sample: {
    parser: wholeNumber.min(1),
    description:
      'utterances to draw, balanced by length, instead of the whole corpus: for a first look, and where answers are ' +
      'billed; the same seed draws the same ones',
    expects: wholeFrom(1),
    flag: { syntax: '--sample <count>', reads: 'number' },
  },
  contenders: {
    parser: z.array(contenderFile).min(1),
    description:
      'what is compared: engines with their models, or Modes (settings stored on the target); a separate target goes before a #, ' +
      'as in openai:http://127.0.0.1:8000/v1#whisper-1 or auto#moonshine:moonshine-tiny',
    expects: 'a list of contenders, at least one',
    flag: { syntax: '--contender <[target#]engine:model>', reads: 'contenders' },
    standard: [
      { engine: 'moonshine', model: 'moonshine-tiny', language: 'en' },
      { engine: 'moonshine', model: 'moonshine-base', language: 'en' },
    ],
    each: {
      expects: 'an object',
      description: 'such as { engine: moonshine, model: moonshine-tiny }',
      keys: contenderKeys,
    },
  },
  matrix: group(
    'dimensions of a sweep: each combination of their values is a contender',
    '{ threads: [1, 2, 4], concurrency: [1, 2] }',
    matrixKeys,
  ),
  skipUnready: {
    parser: z.boolean(),
    description:
      'leave out contenders that the target does not have, instead of stopping; recorded in the run',
    expects: 'true or false',
    flag: { syntax: '--skip-unready', reads: 'switch' },
    standard: false,
  },
  parallel: {
    parser: z.boolean(),
    description:
      'measure contenders on different machines at the same time; those that share a machine still take turns',
    expects: 'true or false',
    flag: { syntax: '--parallel', reads: 'switch' },
    standard: false,
  },
  load: group(
    'when requests are sent',
    '{ concurrency: 4 }, { rate: 5/s } or { users: 20 }',
    configuredLoadKeys,
  ),
  rounds: {
    parser: wholeNumber.min(1),
    description: 'passes of each contender over the corpus (1 with a sample, a ramp, steps or a trace)',
    expects: wholeFrom(1),
    flag: { syntax: '--rounds <count>', reads: 'number' },
    standard: 8,
  },
  warmupRequests: {
    parser: wholeNumber.min(0),
    description: 'requests sent to each contender before anything is measured',
    expects: wholeFrom(0),
    flag: { syntax: '--warmup <count>', reads: 'number' },
    standard: 2,
  },
  maxWarmupRequests: {
    parser: wholeNumber.min(0),
    description:
      'max requests of a warm-up, for each in flight; it goes on until latencies settle; 0 for no more than --warmup',
    expects: wholeFrom(0),
    flag: { syntax: '--max-warmup <count>', reads: 'number' },
    standard: 30,
  },
  timeout: {
    parser: duration,
    description:
      'how long an answer may take, with its unit as in "90s" or "2min"; without it 60 s plus twice the audio',
    expects: 'a time with its unit',
    flag: { syntax: '--timeout <time>', reads: 'text' },
    advise: adviseDuration,
  },
  retries: group('which failed requests are sent again', '{ codes: [RATE_LIMITED, TIMEOUT] }', {
    codes: {
      parser: z.array(z.string().regex(new RegExp(`^(${retryableLabels.join('|')})$`))),
      description:
        'failures after which a request is sent again, such as [RATE_LIMITED, TIMEOUT]; other failures are final',
      expects: 'a list of failures such as RATE_LIMITED, TIMEOUT, HTTP_503 or connectionLost',
      flag: { syntax: '--retry <failures>', reads: 'list' },
      standard: [],
      each: {
        expects: 'a failure such as RATE_LIMITED, TIMEOUT, HTTP_503 or connectionLost',
        description: 'transcribench explain lists them',
      },
    },
    most: {
      parser: wholeNumber.min(1).max(10),
      description: 'how often one request may be sent again',
      expects: 'a whole number from 1 to 10',
      flag: null,
      standard: 2,
    },
    backOff: {
      parser: duration,
      description:
        'how long to wait before it is; twice as long each further time, at random between half of it and all; after ' +
        'what Retry-After asks for, where the server sends one',
      expects: 'a time with its unit',
      flag: null,
      advise: adviseDuration,
      standard: '1s',
    },
    budget: {
      parser: z.number().min(0).max(1),
      description:
        'share of all measured requests that may be sent again in the whole run; above 0 at least one request may',
      expects: 'a number from 0 to 1',
      flag: null,
      standard: 0.1,
    },
  }),
  rateLimit: {
    parser: z.enum(rateLimitReactions),
    description:
      'how to treat HTTP 429 and RATE_LIMITED: "wait" waits as long as Retry-After says, outside of any latency, and sends ' +
      'again; "fail" counts a failure; "auto" waits if the target is on another machine and the load is closed',
    expects: oneOf(rateLimitReactions),
    flag: { syntax: '--rate-limit <reaction>', reads: 'text' },
    standard: 'auto',
  },
  transport: {
    parser: z.enum(configuredTransports),
    description:
      'how audio travels: path (the server opens the file), base64 (in the request), multipart (a form; the Local ' +
      'Transcription API takes it on Linux only), ' +
      'auto (path where the server may read the file, otherwise what carries it)',
    expects: oneOf(configuredTransports),
    flag: { syntax: '--transport <transport>', reads: 'text' },
    standard: 'auto',
  },
  stage: {
    parser: place,
    description:
      'copy recordings that cannot be sent to where the target may read them, and remove the copies ' +
      'afterwards: "auto" (its recordings folder) or a folder',
    expects: '"auto" or the path of a folder',
    flag: { syntax: '--stage [folder]', reads: 'textOrAuto' },
  },
  platform: {
    parser: z.enum(platforms),
    description:
      'operating system of the target, which decides its limits; without it that of this machine, for a target here',
    expects: oneOf(platforms),
    flag: { syntax: '--platform <platform>', reads: 'text' },
  },
  keyFrom: {
    parser: variableName,
    description:
      'environment variable that holds the key of a transcription server (target openai:http://…/v1) or a provider',
    expects: 'the name of an environment variable',
    flag: { syntax: '--key-from <variable>', reads: 'text' },
  },
  engines: {
    parser: place,
    description:
      'programs and servers that the built-in service offers as engines, as `transcribench serve --engines` does: docs/engines.md',
    expects: 'the path of an engines file',
    flag: { syntax: '--engines <file>', reads: 'text', fileEnding: '.yaml' },
  },
  maxBilledMinutes: {
    parser: z.number().min(0),
    description: 'minutes of audio that may go to providers that bill it, in all and with the warm-up',
    expects: 'a number of minutes, 0 or more',
    flag: { syntax: '--max-billed-minutes <minutes>', reads: 'number' },
    standard: 60,
  },
  reuse: {
    parser: z.union([z.literal(automaticReuse), duration]),
    description:
      'score answers of earlier runs again instead of paying for them once more: same recording, provider, model and ' +
      'settings, not older than this (default: 30 days); for accuracy alone, never for speed',
    expects: '"auto" (30 days) or a time with its unit, such as "7d"',
    flag: { syntax: '--reuse [age]', reads: 'textOrAuto' },
    advise: adviseDuration,
  },
  scoring: group('how transcripts are compared with references', '{ profile: english }', scoringKeys),
  thresholds: {
    parser: z.array(z.string().trim().min(1)),
    description: 'what must hold, such as "wer <= 8%" or "latency.p95 <= 2s"; otherwise exit code 3',
    expects: 'a list of thresholds such as "wer <= 8%"',
    flag: { syntax: '--threshold <threshold>', reads: 'repeated' },
    standard: [],
    each: { expects: 'a threshold such as "wer <= 8%"', description: 'quote it' },
  },
  margins: {
    parser: z.array(z.string().trim().regex(marginPattern)),
    description:
      'differences up to these are equivalent where runs are compared: wer=0.2pp, cer=0.2pp, speed=5%',
    expects: 'a list of margins such as "latency=5%"',
    flag: null,
    standard: [],
    each: {
      expects: 'a margin such as "speed=5%" or "wer=0.2pp"',
      description: 'wer and cer in pp, speed in %',
    },
  },
  seed: {
    parser: wholeNumber.min(0).max(4_294_967_295),
    description: 'seed of every random choice: the same seed gives the same order of requests',
    expects: 'a whole number from 0 to 4294967295',
    flag: { syntax: '--seed <number>', reads: 'number' },
    standard: 1,
  },
  results: {
    parser: place,
    description: 'folder that run folders are written to',
    expects: 'the path of a folder',
    flag: { syntax: '--results <folder>', reads: 'text' },
    standard: 'results',
  },
} satisfies Readonly<Record<string, Setting | Group>>

export type ConfigFile = FileOf<typeof configKeys>

/** Default values, which describe the quick run. */
export const defaults: StandardsOf<typeof configKeys> & {
  readonly [Key in 'load' | 'retries' | 'scoring']: StandardsOf<(typeof configKeys)[Key]['keys']>
} = {
  ...listStandards(configKeys),
  load: listStandards(configuredLoadKeys),
  retries: listStandards(configKeys.retries.keys),
  scoring: listStandards(scoringKeys),
}

/** Parser of a config file. Contenders, thresholds and combinations of load keys are checked separately. */
export const configFile: z.ZodType<ConfigFile> = fileObject(configKeys)
