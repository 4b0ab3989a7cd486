import type { Platform } from '#contract'
import type { Catalogue } from './models/catalogue.ts'
import type { LoggedEvent } from './service-event.ts'

/** How to run a reference service. Everything has a default. */
export interface ServiceOptions {
  /** Which build's behaviour to show. Default: the one of the platform that the service runs on. */
  readonly profile?: Platform | undefined
  /** Port on 127.0.0.1. Default: 0, a free one. */
  readonly port?: number | undefined
  /** Folder of Modes, token, discovery file and recordings. Default: `defaultDataDir(process.env)`. */
  readonly dataDir?: string | undefined
  /** Folder of installed models, which services may share. Default: `models` in the data folder. */
  readonly modelsDir?: string | undefined
  /** Folders, in addition to the recordings folder, whose files a request may name in `file`. Default: none. */
  readonly allowDirs?: readonly string[] | undefined
  /** Decodes at the same time on each loaded model. Default: one per processor. */
  readonly concurrency?: number | undefined
  /** Threads of one decode. Default: 1; more decodes at once give more throughput than more threads each. */
  readonly threads?: number | undefined
  /** Copies of each model in memory, each with as many decodes at once. Default: 1, which most machines can fill. */
  readonly instances?: number | undefined
  /** Models that are loaded before the service answers; a model that cannot be loaded is reported in the log. Default: none. */
  readonly warmUp?: readonly string[] | undefined
  /** A model without a request for this long is freed, until the next request. Default: never. */
  readonly idleUnloadSeconds?: number | undefined
  /** A YAML file that names programs and servers as engines, see docs/engines.md. Default: none. */
  readonly enginesFile?: string | undefined
  /**
   * Requests that may wait for a model; one more is answered RATE_LIMITED. Infinity lets all of them wait, as long as
   * `requestTimeoutSeconds`. Default: 256.
   */
  readonly maxQueue?: number | undefined
  /**
   * Memory for what requests bring and what is decoded of it; models are not counted. More of it lets more long recordings
   * be transcribed at the same time. Default: 384 MiB, and 112 MiB for each of `concurrency`, four at least.
   */
  readonly memoryBytes?: number | undefined
  /** A transcription that takes longer is answered TIMEOUT. Default: 600. */
  readonly requestTimeoutSeconds?: number | undefined
  /**
   * Whether a model is asked for languages that it cannot do, and answers in its own. Default: false, such a request is
   * refused.
   */
  readonly anyLanguage?: boolean | undefined
  /**
   * Whether the transcripts of `POST /transcribe` become recordings, which nothing in the API deletes. Those of
   * the recorder always do. Default: false.
   */
  readonly record?: boolean | undefined
  /** Whether such a recording keeps its sound as well, in the recordings folder. Implies `record`. Default: false. */
  readonly recordAudio?: boolean | undefined
  /** Recorded sounds that are older are removed; the texts stay. Default: none is removed for its age. */
  readonly keepAudioSeconds?: number | undefined
  /** Of more recorded sounds than that, the oldest are removed; the texts stay. Default: no limit. */
  readonly maxAudioBytes?: number | undefined
  /** Port on 127.0.0.1 for `GET /metrics` in Prometheus' text format, without a token; 0 for a free one. Default: none. */
  readonly metricsPort?: number | undefined
  /** An audio file that the recorder (Linux profile) is given as its microphone. Default: no microphone. */
  readonly microphoneFile?: string | undefined
  /**
   * Where addresses and keys of providers are read from, such as `OPENAI_API_KEY` and `OLLAMA_BASE_URL`.
   * Default: `process.env`.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /**
   * Whether a request of `/health` checks the providers that have their key. Default:
   * false, so that nothing leaves the machine that no request asked for.
   */
  readonly askProviders?: boolean | undefined
  /** Engines and models to offer. Default: `defaultCatalogue`. Tests pass `scriptedCatalogue(…)`. */
  readonly catalogue?: Catalogue | undefined
  /** Whether `log` is given the texts of transcripts. Default: false. */
  readonly logTexts?: boolean | undefined
  /** Receives events. They never hold a token; `ServiceEvent` says what else they hold. Default: events are dropped. */
  readonly log?: ((event: LoggedEvent) => void) | undefined
}

/** How patiently a service stops. */
export interface StopOptions {
  /** Requests under way may take this long to finish. Default: 0, they are ended at once. */
  readonly finishWithinSeconds?: number | undefined
  /** Ends them when it is aborted. */
  readonly hurry?: AbortSignal | undefined
}

/** A service that answers. Stop it, or use it with `await using`. */
export interface RunningService extends AsyncDisposable {
  /** `http://127.0.0.1:39201` */
  readonly baseUrl: string
  readonly port: number
  readonly pid: number
  readonly profile: Platform
  readonly dataDir: string
  /** Absolute path of `local-api.json`, which holds the port and the token. */
  readonly discoveryPath: string
  /** The bearer token as it is now. Not enumerable, so that printing or serialising a service does not show it. */
  readonly token: string
  /**
   * Removes the discovery file, takes no new connections, ends the requests under way and unloads the models.
   * Calling it again waits for the same end.
   */
  stop(options?: StopOptions): Promise<void>
}
