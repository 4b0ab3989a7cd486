import type {
  HealthSnapshot,
  Mode,
  ModelEntry,
  ModePatch,
  NoSpeechRule,
  RequestFailure,
  Transport,
} from '#contract'
import type { LoadShape, PlannedSend } from '#load'

/** Version of every file in a run folder. A reader refuses a newer one and says so. */
export const runFormatVersion = 2

/** JSON as it stands in a file. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** `started` until the program itself ended the run: a run that died keeps it. */
export type RunStatus = 'started' | 'finished' | 'interrupted' | 'failed'

export type Workload = 'transcribe' | 'post-process'

/** What is under test: an engine, a model and their options, under one short name. */
export interface RecordedContender {
  readonly id: string
  readonly engine: string | null
  readonly model: string | null
  readonly language: string | null
  /** The name of a Mode that the config names and that is patched, or null for a temporary Mode. */
  readonly patchedMode: string | null
  /** What a minute of audio costs, where the config says. */
  readonly usdPerMinute?: number | null | undefined
  /** Where that stands, and when it was read there; no cost is claimed without. */
  readonly priceSource?: string | null | undefined
  readonly priceDate?: string | null | undefined
  /** How the provider rounds the length of a recording before it bills it; absent where that is not known. */
  readonly billing?:
    | {
        readonly stepSeconds: number | null
        readonly rounding: 'up' | 'nearest'
        readonly minimumSeconds: number
      }
    | undefined
}

/** What a machine of one's own and its electricity cost, in US dollars, with where each figure is from. */
export interface RecordedOwnPrices {
  readonly machine: {
    readonly price: number
    readonly lifeYears: number
    readonly idleWatts: number
    readonly wattsPerBusyProcessor: number
    readonly source: string
    readonly date: string
  }
  readonly electricity: { readonly perKilowattHour: number; readonly source: string; readonly date: string }
}

export interface RecordedTarget {
  readonly kind: 'embedded' | 'discovered' | 'address' | 'openai'
  /** Without credentials: `http://127.0.0.1:39201`. */
  readonly baseUrl: string
  /** Null for a target that has no such thing: a server of `/v1/audio/transcriptions`. */
  readonly health: HealthSnapshot | null
  readonly models: readonly ModelEntry[]
}

/** How fast a machine is, one thread of it, in three ways. More is faster. */
export interface HostSpeed {
  /** Millions of rounds of an integer hash a second. */
  readonly integerMillionsPerSecond: number
  /** Billions of floating-point operations a second, of a 32-bit matrix product. */
  readonly floatBillionsPerSecond: number
  /** Billions of bytes a second that are copied in memory. */
  readonly memoryBillionsPerSecond: number
  /** Speed of each processor while all are busy, as a share of one alone. Written by older versions only. */
  readonly allAtOnce?: number | undefined
}

export interface RecordedHost {
  readonly platform: string
  readonly release: string
  readonly architecture: string
  readonly cpuModel: string
  readonly cpuCount: number
  readonly memoryBytes: number
  readonly nodeVersion: string
  readonly programVersion: string
  /** Measured before the run, with nothing sent yet; absent in older runs. */
  readonly speed?: HostSpeed | undefined
  /** What the machine ran on when the run began; null where it does not tell, absent in older runs. */
  readonly power?: 'mains' | 'battery' | null | undefined
}

export interface RecordedCorpus {
  readonly name: string
  readonly fingerprint: string
  readonly utteranceCount: number
  /** How many there were to draw from, where these are a sample; null or absent where all were taken. */
  readonly sampledFrom?: number | null | undefined
  readonly audioSeconds: number
  /** Ids left out by `--exclude`, in manifest order. */
  readonly excluded: readonly string[]
}

/** Why a run ended before its plan was through. */
export interface RunEnding {
  readonly code: string
  readonly message: string
  readonly hint: string
}

/** A contender that was sent nothing more, because nothing that it was sent could succeed. */
export interface GivenUpContender {
  readonly id: string
  /** Where it was found out. */
  readonly phase: Phase
  /** In the words of the server or the system. */
  readonly reason: string
  /** What the server advises; null where it advises nothing. */
  readonly hint: string | null
}

/** Attempts by what became of them. `planned` is their sum; warm-up is not among them. */
export interface RunCounts {
  readonly planned: number
  readonly answered: number
  readonly failed: number
  /** In flight when the run was interrupted for the second time. */
  readonly dropped: number
  readonly notSent: number
}

/** A person's own rules of scoring, as in the scoring section of a config. */
export interface RecordedRules {
  readonly fillers: readonly string[]
  readonly replacements: readonly {
    readonly from: string
    readonly to: string
    readonly before?: string | undefined
    readonly after?: string | undefined
  }[]
  readonly equivalences: readonly (readonly string[])[]
  readonly vocabulary: readonly string[]
}

/** What a setting was taken from. */
type SettingSource = 'default' | 'file' | 'environment' | 'flag'

/** `run.json`. */
export interface RunRecord {
  readonly formatVersion: number
  /** The folder's name: `2026-11-21T07-31-02Z-quick`. */
  readonly id: string
  readonly name: string
  readonly status: RunStatus
  /** The command that goes on with the run from where it was started; absent in older runs. */
  readonly resume?: string | undefined
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly endedAt: string | null
  /** Process that wrote the run, so that a reader can tell whether it still lives. */
  readonly pid: number
  /** When that process began, as a mark to compare: another process may get the same number later. */
  readonly processStartedAt?: string | null | undefined
  /** When the run was resumed, each time, ISO 8601, UTC; absent where it never was. */
  readonly resumedAt?: readonly string[] | undefined
  readonly command: readonly string[]
  /** The config as resolved, every default filled in. */
  readonly config: Json
  /** Where each setting came from, by its key path as a config file writes it; absent where nobody recorded it. */
  readonly settingSources?: Readonly<Record<string, SettingSource>> | undefined
  /** What requests ask for; `transcribe` where it is absent. */
  readonly workload?: Workload | undefined
  readonly seed: number
  /** Passes of each contender over the corpus; of a trace, how often it was repeated. */
  readonly rounds: number
  /** With the seed and the corpus's mean length it gives the same arrivals again. */
  readonly load: LoadShape
  /** Id of the profile that the run asks to be scored with. */
  readonly scoringProfile: string
  /** What the config adds to the profile; left out where it adds nothing. */
  readonly scoringRules?: RecordedRules | undefined
  /** Which refusals mean that no speech was heard; absent in runs that are older than the choice. */
  readonly noSpeech?: readonly NoSpeechRule[] | undefined
  readonly contenders: readonly RecordedContender[]
  /** Present where a contender has a price: what it is held against. */
  readonly ownPrices?: RecordedOwnPrices | undefined
  /** Contenders that the target did not have, left out by --skip-unready. */
  readonly skipped: readonly { readonly id: string; readonly reason: string }[]
  readonly target: RecordedTarget
  readonly host: RecordedHost
  readonly corpus: RecordedCorpus
  readonly counts: RunCounts | null
  readonly ending: RunEnding | null
  /** Contenders that were given up; absent where none was. */
  readonly givenUp?: readonly GivenUpContender[] | undefined
}

/**
 * `measure` is what a run is judged by. `sweep` is a closed load of a capacity measurement: it shows what the server can do.
 * Capacity runs of older versions recorded their sweeps as `warmup`.
 */
export type Phase = (typeof phases)[number]

export const phases: readonly ['warmup', 'measure', 'sweep'] = ['warmup', 'measure', 'sweep']

/** `plan.jsonl`, first part: one line per utterance, so that a run can be scored without its corpus. */
export interface PlannedUtterance {
  readonly kind: 'utterance'
  readonly id: string
  readonly reference: string
  /** Further texts that are as right as the reference; left out where there is none. */
  readonly alternatives?: readonly string[] | undefined
  /** The reference holds choices as NIST writes them: `{ a / b }`, `(uh)`. Left out where it does not. */
  readonly hasChoices?: boolean | undefined
  /** Words and phrases of the reference that matter most; left out where there are none. */
  readonly keywords?: readonly string[] | undefined
  readonly durationSeconds: number
  readonly sha256: string
  readonly language: string | null
  readonly speaker: string | null
  readonly tags: readonly string[]
  readonly source: string | null
  /** Path of the audio relative to the corpus, for a person who wants to listen. */
  readonly audio: string
}

/** `plan.jsonl`, second part: one line per request, in the order of sending. */
export interface PlannedRequest {
  readonly kind: 'request'
  /** Position in the plan, from 0. Attempts refer to it. */
  readonly index: number
  readonly phase: Phase
  /** Pass over the corpus, from 1; 0 in the warm-up. */
  readonly round: number
  /**
   * Position of the contender's block in the run, from 0; -1 in the warm-up. A block is what one contender is sent in
   * one go: one round, or several where the load needs more requests to become steady.
   */
  readonly block: number
  readonly contenderId: string
  readonly utteranceId: string
  /** What was known of its sending before the clock started, from the start of the block; null in older runs. */
  readonly send: PlannedSend | null
}

export type PlanLine = PlannedUtterance | PlannedRequest

/** What the server answered, as far as later programs need it. Times in milliseconds. */
export interface AttemptAnswer {
  readonly text: string
  readonly rawText: string | null
  readonly engine: string
  readonly model: string
  readonly language: string | null
  readonly serverLoadMs: number | null
  readonly serverDecodeMs: number | null
  readonly serverLatencyMs: number | null
  /** Where the server cut the recording and joined the texts; absent where it reports no cut. */
  readonly cutsSeconds?: readonly number[] | undefined
  /** False where a provider failed and the text came back unchanged; absent but in post-processing. */
  readonly isPostProcessed?: boolean | undefined
}

/** How the audio of an attempt travelled. `staged`: by path, as a copy that was put where the server may read. */
export type AudioTransport = Transport | 'staged'

/** `text`: no audio at all, in a request for post-processing. */
export type UsedTransport = AudioTransport | 'text'

/**
 * When an attempt had a socket, and when its body was out. Times as in `AttemptLine`:
 *
 *   sentAtMs ──queue, connectMs──► startedAtMs ──► uploadedAtMs ──► firstByteAtMs
 */
export interface AttemptSocket {
  /** The head was written. */
  readonly startedAtMs: number
  /** Of the time before, what connecting took; 0 on a socket that was there. A duration. */
  readonly connectMs: number
  /** The operating system had taken the whole body; null where it never had. */
  readonly uploadedAtMs: number | null
}

/**
 * `journal.jsonl`: one line per attempt, written before the attempt counts as done. The times are
 * milliseconds since the run's clock started, monotonic. While a run lay dead its clock stood still: a resumed run
 * goes on from the last moment that it had written down.
 *
 *   dueAtMs ──send lag──► sentAtMs ──► firstByteAtMs ──► endedAtMs
 *   └─────── response time ──────────────────────────────────┘
 *                         └──────── service time ────────────┘
 */
export interface AttemptLine {
  /** `index` of the planned request. */
  readonly index: number
  /** 1 for the first sending of this request. */
  readonly attempt: number
  /** How often the run had been resumed before; absent for 0. No window reaches from one sitting into the next. */
  readonly sitting?: number | undefined
  readonly phase: Phase
  readonly round: number
  readonly block: number
  readonly contenderId: string
  readonly utteranceId: string
  readonly modeId: string | null
  readonly transport: UsedTransport
  /** The transport that the server refused just before, so that this one was used instead. */
  readonly refusedTransport?: UsedTransport | undefined
  /**
   * How long it was held back before it was due, because the server had asked for a pause; absent where it was not. This
   * waiting belongs to no latency.
   */
  readonly pacedMs?: number | undefined
  readonly audioSeconds: number
  readonly bodyBytes: number
  readonly dueAtMs: number
  readonly sentAtMs: number
  /** Null where no answer began. */
  readonly firstByteAtMs: number | null
  readonly endedAtMs: number
  /** What its socket said; absent in older runs, and where a request never had one. */
  readonly socket?: AttemptSocket | undefined
  readonly outcome:
    | { readonly ok: true; readonly answer: AttemptAnswer }
    | { readonly ok: false; readonly failure: RequestFailure }
}

/**
 * `modes.jsonl`: what a run does to the server's Modes, each line written before the API is asked
 * (`creating`, `patching`) or after it has answered (`created`, `released`, …). The last line of a lease
 * says whether anything is left to undo.
 */
export type ModeLine =
  | { readonly kind: 'creating'; readonly lease: string; readonly name: string }
  | { readonly kind: 'created'; readonly lease: string; readonly mode: Mode }
  | { readonly kind: 'patching'; readonly lease: string; readonly before: Mode; readonly patch: ModePatch }
  | { readonly kind: 'patched'; readonly lease: string; readonly after: Mode }
  /** Deleted or restored; `note` says when there was nothing to do. */
  | { readonly kind: 'released'; readonly lease: string; readonly note: string | null }
  /** Left as it is, with the reason: somebody else changed it, or the server refused. */
  | { readonly kind: 'left'; readonly lease: string; readonly reason: string }

/** `staged.jsonl`: a folder of copies that a run makes where the server may read; each line before it is done. */
export interface StagingLine {
  readonly kind: 'staging' | 'removed'
  /** Absolute path of a folder that holds nothing but this run's copies. */
  readonly folder: string
}

/** `telemetry.jsonl`: what the host and the server process were using. Absent is null, never 0. */
export interface TelemetryLine {
  readonly atMs: number
  /** As in an attempt: the counters below may begin anew in each. */
  readonly sitting?: number | undefined
  readonly serverCpuSeconds: number | null
  readonly serverResidentBytes: number | null
  /** Sum of what the server's processes each held at their own most. */
  readonly serverPeakResidentBytes?: number | null | undefined
  readonly serverThreadCount?: number | null | undefined
  /** The server's process and its children. */
  readonly serverProcessCount?: number | null | undefined
  /** Of the measuring process itself. */
  readonly ownCpuSeconds: number | null
  /** The longest time since the last sample that the measuring process answered to nothing. */
  readonly ownLoopDelayMs?: number | null | undefined
  /** The wall clock at the same moment, in milliseconds since 1970: a step of it shows against `atMs`. */
  readonly wallAtMs?: number | null | undefined
  /** Time that all processors of this machine were busy, since it started. */
  readonly hostCpuSeconds: number | null
  /** Mean length of the run queue over the last minute: lags behind, and is kept for people. */
  readonly hostLoad1: number | null
  /** Time since the machine started in which some task waited for a processor, for memory, for a disk. */
  readonly hostCpuStalledSeconds?: number | null | undefined
  readonly hostMemoryStalledSeconds?: number | null | undefined
  readonly hostIoStalledSeconds?: number | null | undefined
  /** Pages written to or read from swap since the machine started. */
  readonly hostSwappedPages?: number | null | undefined
  /** Of all graphics processors together: share of time busy, 0..1, and memory in use. */
  readonly gpuBusyRate?: number | null | undefined
  readonly gpuMemoryBytes?: number | null | undefined
}
