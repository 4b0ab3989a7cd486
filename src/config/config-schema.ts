import { z } from 'zod'
import { platforms } from '#contract/enums'
import { defaultNoSpeechRules } from '#contract/failures'
import { adviseDuration } from '#load/loads/keys'
import { profileNames } from '#scoring/profiles/index'
import { rateLimitReactions, workloads } from './bench-config.ts'
import { type ConfigFile, configParsers, matrixSettings } from './config-file.ts'
import { type LoadFile, loadDefaults, loadSettings } from './configured-load.ts'
import { targetExpects } from './contender-file.ts'
import { automaticProfile, type ScoringFile, scoringParsers } from './scoring-file.ts'
import { configuredTransports, type FlagTable, fileObject } from './settings.ts'

const wholeFrom = (minimum: number): string => `a whole number, ${minimum} or more`

/** The keys of a config in order of importance. */
export const flagTable: FlagTable<ConfigFile> = {
  name: {
    description:
      'name of the run and end of its folder; without it the name of the config file or of the corpus',
    expects: 'a name of letters, digits, ".", "_" and "-", 64 at most',
    flag: { syntax: '--name <name>', reads: 'text' },
  },
  target: {
    description:
      'where the requests go: embedded (the built-in service), auto (the desktop application or `serve` running here), ' +
      'a local-api.json, an address, or ' +
      'openai:http://…/v1 (any server with /v1/audio/transcriptions), or a provider such as deepgram',
    expects: targetExpects,
    flag: { syntax: '--target <target>', reads: 'text' },
  },
  corpus: {
    description: 'what is transcribed: the name of a corpus, or the path of a manifest; - for standard input',
    expects: 'the name of a corpus, the path of a manifest, or -',
    flag: { syntax: '--corpus <corpus>', reads: 'text', fileEnding: '.jsonl' },
  },
  workload: {
    description:
      'what is measured: "transcribe" sends audio; "post-process" sends texts, from lines with "text" and "reference"',
    expects: oneOf(workloads),
    flag: { syntax: '--workload <workload>', reads: 'text' },
  },
  exclude: {
    description: 'ids of utterances to leave out; recorded in the run',
    expects: 'a list of utterance ids',
    flag: { syntax: '--exclude <ids>', reads: 'list' },
  },
  sample: {
    description:
      'utterances to draw, balanced by length, instead of the whole corpus: for a first look, and where answers are ' +
      'billed; the same seed draws the same ones',
    expects: wholeFrom(1),
    flag: { syntax: '--sample <count>', reads: 'number' },
  },
  contenders: {
    description:
      'what is compared: engines with their models, or Modes (settings stored on the target); a separate target goes before a #, ' +
      'as in openai:http://127.0.0.1:8000/v1#whisper-1 or auto#moonshine:moonshine-tiny',
    expects: 'a list of contenders, at least one',
    flag: { syntax: '--contender <[target#]engine:model>', reads: 'contenders' },
  },
  matrix: matrixSettings,
  skipUnready: {
    description:
      'leave out contenders that the target does not have, instead of stopping; recorded in the run',
    expects: 'true or false',
    flag: { syntax: '--skip-unready', reads: 'switch' },
  },
  parallel: {
    description:
      'measure contenders on different machines at the same time; those that share a machine still take turns',
    expects: 'true or false',
    flag: { syntax: '--parallel', reads: 'switch' },
  },
  load: loadSettings,
  rounds: {
    description: 'passes of each contender over the corpus (1 with a sample, a ramp, steps or a trace)',
    expects: wholeFrom(1),
    flag: { syntax: '--rounds <count>', reads: 'number' },
  },
  warmupRequests: {
    description: 'requests sent to each contender before anything is measured',
    expects: wholeFrom(0),
    flag: { syntax: '--warmup <count>', reads: 'number' },
  },
  maxWarmupRequests: {
    description:
      'max requests of a warm-up, for each in flight; it goes on until latencies settle; 0 for no more than --warmup',
    expects: wholeFrom(0),
    flag: { syntax: '--max-warmup <count>', reads: 'number' },
  },
  timeout: {
    description:
      'how long an answer may take, with its unit as in "90s" or "2min"; without it 60 s plus twice the audio',
    expects: 'a time with its unit',
    flag: { syntax: '--timeout <time>', reads: 'text' },
    advise: adviseDuration,
  },
  retries: {
    codes: {
      description:
        'failures after which a request is sent again, such as [RATE_LIMITED, TIMEOUT]; other failures are final',
      expects: 'a list of failures such as RATE_LIMITED, TIMEOUT, HTTP_503 or connectionLost',
      flag: { syntax: '--retry <failures>', reads: 'list' },
    },
    most: {
      description: 'how often one request may be sent again',
      expects: 'a whole number from 1 to 10',
      flag: null,
    },
    backOff: {
      description:
        'how long to wait before it is; twice as long each further time, at random between half of it and all; after ' +
        'what Retry-After asks for, where the server sends one',
      expects: 'a time with its unit',
      flag: null,
      advise: adviseDuration,
    },
    budget: {
      description: 'share of all measured requests that may be sent again in the whole run',
      expects: 'a number from 0 to 1',
      flag: null,
    },
  },
  rateLimit: {
    description:
      'how to treat HTTP 429 and RATE_LIMITED: "wait" waits as long as Retry-After says, outside of any latency, and sends ' +
      'again; "fail" counts a failure; "auto" waits if the target is on another machine and the load is closed',
    expects: oneOf(rateLimitReactions),
    flag: { syntax: '--rate-limit <reaction>', reads: 'text' },
  },
  transport: {
    description:
      'how audio travels: path (the server opens the file), base64 (in the request), multipart (a form; the Local ' +
      'Transcription API takes it on Linux only), ' +
      'auto (path where the server may read the file, otherwise what carries it)',
    expects: oneOf(configuredTransports),
    flag: { syntax: '--transport <transport>', reads: 'text' },
  },
  stage: {
    description:
      'copy recordings that cannot be sent to where the target may read them, and remove the copies ' +
      'afterwards: "auto" (its recordings folder) or a folder',
    expects: '"auto" or the path of a folder',
    flag: { syntax: '--stage [folder]', reads: 'textOrAuto' },
  },
  platform: {
    description:
      'operating system of the target, which decides its limits; without it that of this machine, for a target here',
    expects: oneOf(platforms),
    flag: { syntax: '--platform <platform>', reads: 'text' },
  },
  keyFrom: {
    description:
      'environment variable that holds the key of a transcription server (target openai:http://…/v1) or a provider',
    expects: 'the name of an environment variable',
    flag: { syntax: '--key-from <variable>', reads: 'text' },
  },
  engines: {
    description:
      'programs and servers that the built-in service offers as engines, as `transcribench serve --engines` does: docs/engines.md',
    expects: 'the path of an engines file',
    flag: { syntax: '--engines <file>', reads: 'text', fileEnding: '.yaml' },
  },
  maxBilledMinutes: {
    description: 'minutes of audio that may go to providers that bill it, in all and with the warm-up',
    expects: 'a number of minutes, 0 or more',
    flag: { syntax: '--max-billed-minutes <minutes>', reads: 'number' },
  },
  reuse: {
    description:
      'score answers of earlier runs again instead of paying for them once more: same recording, provider, model and ' +
      'settings, not older than this (default: 30 days); for accuracy alone, never for speed',
    expects: '"auto" (30 days) or a time with its unit, such as "7d"',
    flag: { syntax: '--reuse [age]', reads: 'textOrAuto' },
    advise: adviseDuration,
  },
  scoring: {
    profile: {
      description:
        'rules by which texts are made comparable before words are counted; auto is that of the language (such as english, german or chinese), by-language for several, unspaced for other scripts without spaces, else basic',
      expects: oneOf([automaticProfile, ...profileNames]),
      flag: { syntax: '--profile <profile>', reads: 'text' },
    },
    fillers: {
      description: 'words and phrases that only fill a pause: they do not count on either side',
      expects: 'a list of words and phrases',
      flag: null,
    },
    replacements: {
      description: 'texts that are written otherwise on both sides, in the order in which they are tried',
      expects: 'a list of { from, to }, with before and after where the context matters',
      flag: null,
    },
    equivalences: {
      description: 'ways to write the same, such as [okay, OK]; the first of each list is what all become',
      expects: 'a list of lists of at least two texts',
      flag: null,
    },
    vocabulary: {
      description: 'spellings that cover every way to break or join them: WiFi for "wi fi" and "wi-fi"',
      expects: 'a list of words',
      flag: null,
    },
    noSpeech: {
      description:
        'refusals that mean "no speech found": they count as answers without words; [] where none does',
      expects: 'a list of { code }, with message where the code alone does not say it',
      flag: null,
    },
  },
  thresholds: {
    description: 'what must hold, such as "wer <= 8%" or "latency.p95 <= 2s"; otherwise exit code 3',
    expects: 'a list of thresholds such as "wer <= 8%"',
    flag: { syntax: '--threshold <threshold>', reads: 'repeated' },
  },
  margins: {
    description:
      'differences up to these are equivalent where runs are compared: wer=0.2pp, cer=0.2pp, speed=5%',
    expects: 'a list of margins such as "latency=5%"',
    flag: null,
  },
  seed: {
    description: 'seed of every random choice: the same seed gives the same order of requests',
    expects: 'a whole number from 0 to 4294967295',
    flag: { syntax: '--seed <number>', reads: 'number' },
  },
  results: {
    description: 'folder that run folders are written to',
    expects: 'the path of a folder',
    flag: { syntax: '--results <folder>', reads: 'text' },
  },
}

function oneOf(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`)
  const last = quoted.pop() ?? ''
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`
}

/** A shape in which nothing is left out. */
type Complete<Shape> = { readonly [Key in keyof Shape]-?: Exclude<Shape[Key], undefined> }

/** Everything is said but the time-out, which then follows the length of the audio, and what is found out by itself. */
type CompleteFile = Complete<
  Omit<
    ConfigFile,
    | 'sample'
    | 'matrix'
    | 'reuse'
    | 'timeout'
    | 'engines'
    | 'stage'
    | 'platform'
    | 'keyFrom'
    | 'load'
    | 'scoring'
    | 'retries'
  >
> & {
  readonly retries: Complete<NonNullable<ConfigFile['retries']>>
  readonly load: LoadFile
  readonly scoring: Complete<ScoringFile>
}

/** The quick run: what is measured by default. */
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
  parallel: false,
  load: loadDefaults,
  rounds: 8,
  warmupRequests: 2,
  maxWarmupRequests: 30,
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
  thresholds: [],
  margins: [],
  seed: 1,
  results: 'results',
}

/** Contenders and thresholds have further rules, which are checked apart, as is which keys of a load belong together. */
export const configFile: z.ZodType<ConfigFile> = fileObject(configParsers, {
  keys: flagTable,
  defaults,
  groups: {
    load: 'when requests are sent',
    matrix: 'dimensions of a sweep: each combination of their values is a contender',
    retries: 'which failed requests are sent again',
    scoring: 'how transcripts are compared with references',
  },
})

/** The scoring section, which may also be a separate file. */
export const scoringFile: z.ZodType<ScoringFile> = fileObject(scoringParsers, {
  keys: flagTable.scoring,
  defaults: defaults.scoring,
})

/**
 * The JSON Schema of a config file, by which editors complete and explain: draft 7, which the YAML extensions
 * of editors understand. What only `readConfig` checks (that a contender has an engine and a model, that thresholds
 * can be read) is not in it.
 */
export function configJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, properties, ...rest } = z.toJSONSchema(configFile, { io: 'input', target: 'draft-7' })
  return {
    $schema,
    title: 'transcribench config',
    description:
      'A benchmark of speech transcription. Every key may be left out; an empty object is the quick run.',
    ...rest,
    properties: { $schema: { type: 'string', description: 'this schema, for editors' }, ...properties },
  }
}
