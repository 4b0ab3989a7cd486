import { z } from 'zod'
import type { Platform } from './enums.ts'
import { platforms } from './enums.ts'
import { type Mode, mode } from './modes.ts'
import {
  type HealthSnapshot,
  healthSnapshot,
  type ModelEntry,
  modelEntry,
  type RecorderState,
  type Recording,
  recorderState,
  recording,
} from './resources.ts'
import { type PostProcessed, postProcessed, type Transcription, transcription } from './transcription.ts'

export interface ModelsAnswer {
  readonly ok: true
  readonly models: readonly ModelEntry[]
}
export interface ModesAnswer {
  readonly ok: true
  readonly modes: readonly Mode[]
}
export interface ModeAnswer {
  readonly ok: true
  readonly mode: Mode
}
export interface DoneAnswer {
  readonly ok: true
}
export interface RecordingsAnswer {
  readonly ok: true
  /** Every match, not only those in this answer. */
  readonly total: number
  readonly returned: number
  readonly recordings: readonly Recording[]
}
export interface RecordingAnswer {
  readonly ok: true
  readonly recording: Recording
}
export interface RecorderAnswer {
  readonly ok: true
  readonly recording: RecorderState
}

/** What every answer of an endpoint looks like when it succeeds. */
export interface Answers {
  readonly health: HealthSnapshot
  readonly listModels: ModelsAnswer
  readonly listModes: ModesAnswer
  readonly getMode: ModeAnswer
  readonly createMode: ModeAnswer
  readonly patchMode: ModeAnswer
  readonly deleteMode: DoneAnswer
  readonly searchRecordings: RecordingsAnswer
  readonly getRecording: RecordingAnswer
  readonly toggleRecorder: RecorderAnswer
  readonly cancelRecorder: RecorderAnswer
  readonly transcribe: Transcription
  readonly postProcess: PostProcessed
}

export type EndpointName = keyof Answers

/** One row of the conformance table: what both the client and the service go by. */
export interface Endpoint<Name extends EndpointName> {
  readonly name: Name
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** `:id` is a uuid. */
  readonly path: string
  readonly authenticated: boolean
  /** The platforms that serve it; elsewhere it is a 404 after authentication. */
  readonly platforms: readonly Platform[]
  readonly body: 'none' | 'json' | 'audio'
  /** Tolerant parser of the successful answer. */
  readonly answer: z.ZodType<Answers[Name]>
}

const ok = z.literal(true)

/** The conformance table: every endpoint of the Local Transcription API. */
export const endpoints: { readonly [Name in EndpointName]: Endpoint<Name> } = {
  health: {
    name: 'health',
    method: 'GET',
    path: '/health',
    authenticated: false,
    platforms,
    body: 'none',
    answer: healthSnapshot,
  },
  listModels: {
    name: 'listModels',
    method: 'GET',
    path: '/models',
    authenticated: true,
    platforms,
    body: 'none',
    answer: z.looseObject({ ok, models: z.array(modelEntry) }),
  },
  listModes: {
    name: 'listModes',
    method: 'GET',
    path: '/modes',
    authenticated: true,
    platforms,
    body: 'none',
    answer: z.looseObject({ ok, modes: z.array(mode) }),
  },
  getMode: {
    name: 'getMode',
    method: 'GET',
    path: '/modes/:id',
    authenticated: true,
    platforms,
    body: 'none',
    answer: z.looseObject({ ok, mode }),
  },
  createMode: {
    name: 'createMode',
    method: 'POST',
    path: '/modes',
    authenticated: true,
    platforms,
    body: 'json',
    answer: z.looseObject({ ok, mode }),
  },
  patchMode: {
    name: 'patchMode',
    method: 'PATCH',
    path: '/modes/:id',
    authenticated: true,
    platforms,
    body: 'json',
    answer: z.looseObject({ ok, mode }),
  },
  deleteMode: {
    name: 'deleteMode',
    method: 'DELETE',
    path: '/modes/:id',
    authenticated: true,
    platforms,
    body: 'none',
    answer: z.looseObject({ ok }),
  },
  searchRecordings: {
    name: 'searchRecordings',
    method: 'GET',
    path: '/recordings/search',
    authenticated: true,
    platforms,
    body: 'none',
    answer: z.looseObject({ ok, total: z.int(), returned: z.int(), recordings: z.array(recording) }),
  },
  getRecording: {
    name: 'getRecording',
    method: 'GET',
    path: '/recordings/:id',
    authenticated: true,
    platforms,
    body: 'none',
    answer: z.looseObject({ ok, recording }),
  },
  toggleRecorder: {
    name: 'toggleRecorder',
    method: 'POST',
    path: '/recording/toggle',
    authenticated: true,
    platforms: ['linux'],
    body: 'none',
    answer: z.looseObject({ ok, recording: recorderState }),
  },
  cancelRecorder: {
    name: 'cancelRecorder',
    method: 'POST',
    path: '/recording/cancel',
    authenticated: true,
    platforms: ['linux'],
    body: 'none',
    answer: z.looseObject({ ok, recording: recorderState }),
  },
  transcribe: {
    name: 'transcribe',
    method: 'POST',
    path: '/transcribe',
    authenticated: true,
    platforms,
    body: 'audio',
    answer: transcription,
  },
  postProcess: {
    name: 'postProcess',
    method: 'POST',
    path: '/post-process',
    authenticated: true,
    platforms,
    body: 'json',
    answer: postProcessed,
  },
}
