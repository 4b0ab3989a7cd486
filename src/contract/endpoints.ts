import { z } from 'zod'
import { limits, modelKindFilters, type Platform, platforms, tolerant } from './enums.ts'
import { mode, modeDraft, modePatch } from './modes.ts'
import { healthSnapshot, modelEntry, recorderState, recording } from './resources.ts'
import { postProcessed, postProcessRequest, transcription, transcriptionRequest } from './transcription.ts'

/** One row of the conformance table, which both the client and the service follow. */
interface EndpointRow {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path of the endpoint; `:id` stands for a UUID. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly authenticated: boolean
  /** Platforms that serve the endpoint; the others answer 404 after authentication. */
  readonly platforms: readonly Platform[]
  readonly query: readonly (readonly [name: string, schema: z.ZodType, description: string])[]
  readonly body: 'none' | 'json' | 'audio'
  /** Schema name and parser of the request body; null where there is none. */
  readonly request: readonly [name: string, schema: z.ZodType] | null
  /** Tolerant parser of the successful response. */
  readonly answer: z.ZodType
}

/** Defaults that most endpoints share: served by every build, authenticated, no query, no body. */
const usual = { authenticated: true, platforms, query: [], body: 'none', request: null } as const
const { minimum, maximum, default: usualCount } = limits.searchResults

const rows = {
  health: {
    ...usual,
    method: 'GET',
    path: '/health',
    tag: 'Service',
    authenticated: false,
    summary: 'What the service is and has; the only endpoint without a token',
    answer: healthSnapshot,
  },
  listModels: {
    ...usual,
    method: 'GET',
    path: '/models',
    tag: 'Models',
    summary: 'Models, local ones and those of cloud providers',
    query: [
      ['kind', z.enum(modelKindFilters).default('all'), 'Which models'],
      [
        'installed_only',
        z.enum(['true', '1', 'yes']),
        'Leave out what is not installed; any other value does not',
      ],
    ],
    answer: done({ models: z.array(modelEntry) }),
  },
  listModes: {
    ...usual,
    method: 'GET',
    path: '/modes',
    tag: 'Modes',
    summary: 'All Modes, by sortOrder, then by date of creation',
    answer: done({ modes: z.array(mode) }),
  },
  getMode: {
    ...usual,
    method: 'GET',
    path: '/modes/:id',
    tag: 'Modes',
    summary: 'One Mode',
    answer: done({ mode }),
  },
  createMode: {
    ...usual,
    method: 'POST',
    path: '/modes',
    tag: 'Modes',
    summary: 'Create a Mode',
    body: 'json',
    request: ['ModeDraft', modeDraft],
    answer: done({ mode }),
  },
  patchMode: {
    ...usual,
    method: 'PATCH',
    path: '/modes/:id',
    tag: 'Modes',
    summary: 'Change the fields that the body names',
    body: 'json',
    request: ['ModePatch', modePatch],
    answer: done({ mode }),
  },
  deleteMode: {
    ...usual,
    method: 'DELETE',
    path: '/modes/:id',
    tag: 'Modes',
    summary: 'Delete a Mode; the last one stays',
    answer: done({}),
  },
  searchRecordings: {
    ...usual,
    method: 'GET',
    path: '/recordings/search',
    tag: 'Recordings',
    summary: 'Past transcripts, newest first',
    query: [
      ['q', z.string(), 'Looked for in the three texts, without regard to case or diacritics'],
      ['since', z.string(), 'ISO 8601 or epoch seconds, inclusive'],
      ['until', z.string(), 'ISO 8601 or epoch seconds, inclusive'],
      ['limit', z.int().min(minimum).max(maximum).default(usualCount), 'How many at most'],
    ],
    // `total` counts all matches, not only those in this response.
    answer: done({ total: z.int(), returned: z.int(), recordings: z.array(recording) }),
  },
  getRecording: {
    ...usual,
    method: 'GET',
    path: '/recordings/:id',
    tag: 'Recordings',
    summary: 'One past transcript',
    answer: done({ recording }),
  },
  toggleRecorder: {
    ...usual,
    method: 'POST',
    path: '/recording/toggle',
    tag: 'Recorder',
    platforms: ['linux'],
    summary: 'Start the microphone, or stop it and wait for the transcript',
    answer: done({ recording: recorderState }),
  },
  cancelRecorder: {
    ...usual,
    method: 'POST',
    path: '/recording/cancel',
    tag: 'Recorder',
    platforms: ['linux'],
    summary: 'Stop the microphone; no transcript is written',
    answer: done({ recording: recorderState }),
  },
  transcribe: {
    ...usual,
    method: 'POST',
    path: '/transcribe',
    tag: 'Transcription',
    summary: 'Audio to text',
    body: 'audio',
    request: ['TranscriptionRequest', transcriptionRequest],
    answer: transcription,
  },
  postProcess: {
    ...usual,
    method: 'POST',
    path: '/post-process',
    tag: 'Post-processing',
    summary: 'Text to better text, by a language model',
    body: 'json',
    request: ['PostProcessRequest', postProcessRequest],
    answer: postProcessed,
  },
} as const satisfies Readonly<Record<string, EndpointRow>>

export type EndpointName = keyof typeof rows

/** The successful response of each endpoint. */
export type Answers = { readonly [Name in EndpointName]: z.infer<(typeof rows)[Name]['answer']> }

export interface Endpoint<Name extends EndpointName> extends EndpointRow {
  readonly name: Name
  readonly answer: z.ZodType<Answers[Name]>
}

/** The conformance table: every endpoint of the Local Transcription API. */
export const endpoints = Object.fromEntries(
  Object.entries(rows).map(([name, row]) => [name, { name, ...row }]),
) as unknown as { readonly [Name in EndpointName]: Endpoint<Name> }

/** Parser of a successful response: `ok: true` and the given fields. */
function done<Fields extends z.ZodRawShape>(fields: Fields) {
  return tolerant({ ok: z.literal(true), ...fields })
}
