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

/** The answer of what was done, with what it names. */
type Done<Fields = unknown> = { readonly ok: true } & Readonly<Fields>

/** What every answer of an endpoint looks like when it succeeds. */
export interface Answers {
  readonly health: HealthSnapshot
  readonly listModels: Done<{ models: readonly ModelEntry[] }>
  readonly listModes: Done<{ modes: readonly Mode[] }>
  readonly getMode: Done<{ mode: Mode }>
  readonly createMode: Done<{ mode: Mode }>
  readonly patchMode: Done<{ mode: Mode }>
  readonly deleteMode: Done
  /** `total` counts every match, not only those in this answer. */
  readonly searchRecordings: Done<{ total: number; returned: number; recordings: readonly Recording[] }>
  readonly getRecording: Done<{ recording: Recording }>
  readonly toggleRecorder: Done<{ recording: RecorderState }>
  readonly cancelRecorder: Done<{ recording: RecorderState }>
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

/** The conformance table: every endpoint of the Local Transcription API. */
export const endpoints: { readonly [Name in EndpointName]: Endpoint<Name> } = {
  health: { ...row('health', 'GET', '/health', 'none', healthSnapshot), authenticated: false },
  listModels: row('listModels', 'GET', '/models', 'none', done({ models: z.array(modelEntry) })),
  listModes: row('listModes', 'GET', '/modes', 'none', done({ modes: z.array(mode) })),
  getMode: row('getMode', 'GET', '/modes/:id', 'none', done({ mode })),
  createMode: row('createMode', 'POST', '/modes', 'json', done({ mode })),
  patchMode: row('patchMode', 'PATCH', '/modes/:id', 'json', done({ mode })),
  deleteMode: row('deleteMode', 'DELETE', '/modes/:id', 'none', done({})),
  searchRecordings: row(
    'searchRecordings',
    'GET',
    '/recordings/search',
    'none',
    done({ total: z.int(), returned: z.int(), recordings: z.array(recording) }),
  ),
  getRecording: row('getRecording', 'GET', '/recordings/:id', 'none', done({ recording })),
  toggleRecorder: onLinux(
    row('toggleRecorder', 'POST', '/recording/toggle', 'none', done({ recording: recorderState })),
  ),
  cancelRecorder: onLinux(
    row('cancelRecorder', 'POST', '/recording/cancel', 'none', done({ recording: recorderState })),
  ),
  transcribe: row('transcribe', 'POST', '/transcribe', 'audio', transcription),
  postProcess: row('postProcess', 'POST', '/post-process', 'json', postProcessed),
}

/** An endpoint that every build has, and that asks for the token. */
function row<Name extends EndpointName>(
  name: Name,
  method: Endpoint<Name>['method'],
  path: string,
  body: Endpoint<Name>['body'],
  answer: Endpoint<Name>['answer'],
): Endpoint<Name> {
  return { name, method, path, authenticated: true, platforms, body, answer }
}

function onLinux<Name extends EndpointName>(endpoint: Endpoint<Name>): Endpoint<Name> {
  return { ...endpoint, platforms: ['linux'] }
}

function done<Fields extends z.ZodRawShape>(fields: Fields) {
  return z.looseObject({ ok: z.literal(true), ...fields })
}
