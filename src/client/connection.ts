import type {
  Answers,
  ModeDraft,
  ModelKindFilter,
  ModePatch,
  PostProcessRequest,
  RequestFailure,
  TranscriptionOptions,
  Transport,
} from '#contract'
import type { Outcome } from '#prelude'

/** The audio of one request, by the way it travels. */
export type AudioInput =
  /** An absolute path that the server itself opens. */
  | { readonly transport: Extract<Transport, 'path'>; readonly path: string }
  /** Read from disk while it is sent; never whole in memory. Multipart is for Linux builds only. */
  | {
      readonly transport: Exclude<Transport, 'path'>
      readonly path: string
      readonly sizeBytes: number
      readonly mimeType: string
    }

export interface TranscribeCall {
  readonly audio: AudioInput
  readonly options: TranscriptionOptions
  readonly timeoutMs: number
  /** Aborting ends the request with the failure `dropped`. */
  readonly signal?: AbortSignal | undefined
}

/** When things happened, in `Clock.nowMs` milliseconds. */
export interface CallTimes {
  /** Just before the request was handed to the socket. */
  readonly sentAtMs: number
  /** The answer's first byte (its head), or null where none came. */
  readonly firstByteAtMs: number | null
  /** The answer's last byte, or the moment the request was given up. */
  readonly endedAtMs: number
  /** What its socket says; left out where it never had one. */
  readonly socket?: SocketTimes | undefined
}

/** When a request had a socket, and what that did with the body. In `Clock.nowMs` milliseconds. */
export interface SocketTimes {
  /** The request's head was written: what lay before was waiting for a free socket, and connecting one. */
  readonly startedAtMs: number
  /** Of that time, what it took to connect (addresses, TCP and TLS); 0 on a socket that was there. */
  readonly connectMs: number
  /** The operating system had taken the last byte of the body; null where it never had. */
  readonly uploadedAtMs: number | null
}

export interface TranscribeResult {
  readonly outcome: Outcome<Answers['transcribe'], RequestFailure>
  readonly times: CallTimes
  readonly bodyBytes: number
}

export interface PostProcessCall {
  readonly request: PostProcessRequest
  readonly timeoutMs: number
  /** Aborting ends the request with the failure `dropped`. */
  readonly signal?: AbortSignal | undefined
}

export interface TimedPostProcess {
  readonly outcome: Outcome<Answers['postProcess'], RequestFailure>
  readonly times: CallTimes
  readonly bodyBytes: number
}

type Answer<Name extends keyof Answers> = Promise<Outcome<Answers[Name], RequestFailure>>

/**
 * A server that was found and spoke the API. All methods resolve to an outcome; none throws for what a
 * server or a network can do.
 */
export interface Connection extends AsyncDisposable {
  readonly baseUrl: string
  health(): Answer<'health'>
  listModels(filter?: {
    readonly kind?: ModelKindFilter
    readonly installedOnly?: boolean
  }): Answer<'listModels'>
  listModes(): Answer<'listModes'>
  getMode(id: string): Answer<'getMode'>
  createMode(draft: ModeDraft): Answer<'createMode'>
  patchMode(id: string, patch: ModePatch): Answer<'patchMode'>
  deleteMode(id: string): Answer<'deleteMode'>
  searchRecordings(query: {
    readonly q?: string
    readonly since?: string
    readonly until?: string
    readonly limit?: number
  }): Answer<'searchRecordings'>
  getRecording(id: string): Answer<'getRecording'>
  toggleRecorder(): Answer<'toggleRecorder'>
  cancelRecorder(): Answer<'cancelRecorder'>
  postProcess(request: PostProcessRequest): Answer<'postProcess'>
  /** The same, with its stamps and a time-out of one's choice. */
  postProcessTimed(call: PostProcessCall): Promise<TimedPostProcess>
  transcribe(call: TranscribeCall): Promise<TranscribeResult>
}
