import type { z } from 'zod'
import type { TimestampGranularity } from '#contract/enums'
import { unspacedCharacter } from '#prelude'
import type { LanguageTable } from './languages.ts'
import type { OptionValues } from './options.ts'

/** Times of a word or segment, in seconds from the beginning of the recording. */
interface Timed {
  readonly start: number
  readonly end: number
}

/** A provider's transcript of a recording. */
export interface ProviderTranscript {
  /** Transcript as received, trimmed; empty where no speech was found. */
  readonly text: string
  /** BCP 47 tag; null where the provider does not report the language. */
  readonly language: string | null
  readonly segments?: readonly (Timed & { readonly id: number; readonly text: string })[] | undefined
  readonly words?: readonly (Timed & { readonly word: string })[] | undefined
}

/** A request for transcription; the sender adds the audio. */
export interface ProviderQuestion {
  readonly model: string
  /** BCP 47 tag; null lets the provider detect the language. */
  readonly language: string | null
  /** Language codes of the provider, where they differ from those of its protocol. */
  readonly languages?: LanguageTable | undefined
  readonly timestamps: readonly TimestampGranularity[]
  /** Options of the API, by the API's names. */
  readonly options: OptionValues
}

/** The job of one recording, for protocols that upload it to a storage. */
export interface ProviderJob {
  /** Unique id of letters, digits and hyphens. */
  readonly id: string
  /** Storage for recordings; null where the protocol needs none. */
  readonly storage: ProviderStorage | null
}

export interface ProviderStorage {
  /** Address of the container or bucket, with the query that grants access if it has one. */
  readonly url: string
  /** Name of the bucket; null where requests do not need it. */
  readonly bucket: string | null
}

/** Authorisation of requests: a header with the key, or a signature. */
type AccessKind =
  | { readonly kind: 'key'; header(key: string): readonly [name: string, value: string] }
  /** A header with the key, for a provider with an address per account and, if needed, a storage of the account. */
  | {
      readonly kind: 'account'
      readonly hasStorage: boolean
      header(key: string): readonly [name: string, value: string]
    }
  | { readonly kind: 'signature' }

/** The body of a request. */
export type ProviderBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown; readonly contentType?: string }
  /** A JSON text that has the audio as base64 between `head` and `tail`. */
  | { readonly kind: 'base64'; readonly head: string; readonly tail: string }
  /** The audio itself; its own media type unless the provider documents another. */
  | { readonly kind: 'audio'; readonly contentType?: string }
  /** A form whose last part, named `file`, is the audio. */
  | {
      readonly kind: 'form'
      readonly fields: readonly (readonly [name: string, value: string])[]
      readonly file: string
    }

export interface ProviderStep {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Default: the provider's API. The key is never sent to an `address`, which a response named. */
  readonly at?: 'storage' | 'address'
  /** Path and query after the base address; the whole URL for `address`. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: ProviderBody
  /** Delay before the request in seconds, so that a job is polled only now and then. */
  readonly waitSeconds: number
  /** @returns the meaning of a 2xx response; null where it does not have the documented shape */
  read(answer: unknown): ProviderProgress | null
  /** Removes what the step left at the provider. It is sent after the job, whatever its outcome, and is not timed. */
  readonly undo?: ProviderStep
}

export type ProviderProgress =
  | { readonly kind: 'done'; readonly transcript: ProviderTranscript }
  | { readonly kind: 'next'; readonly step: ProviderStep }
  /** The provider accepted the job but could not do it; `message` is the provider's. */
  | { readonly kind: 'failed'; readonly message: string }

/**
 * The requests and responses of a provider's API. Pure: the sender performs the requests.
 *
 *   one-shot           start ─► answer ─► done
 *   submit and poll    start ─► answer ─► next ─► … ─► next ─► done or failed
 */
export interface ProviderProtocol {
  readonly timestamps: readonly TimestampGranularity[]
  /** Language codes, for providers without a table of their own. */
  readonly languages: LanguageTable
  readonly access: AccessKind
  start(question: ProviderQuestion, job: ProviderJob): ProviderStep
}

/** Appends a path to a base address, whose query is kept where the path has none. */
export function addressBelow(base: string, path: string): URL {
  const url = new URL(base)
  const [pathname = '', query] = path.split('?')
  url.pathname = url.pathname.replace(/\/+$/, '') + pathname
  if (query !== undefined) url.search = query
  return url
}

/** A POST request without delay. */
export function post(
  path: string,
  body: ProviderBody,
  read: (answer: unknown) => ProviderProgress | null,
): ProviderStep {
  return { method: 'POST', path, body, waitSeconds: 0, read }
}

/** A GET request; without delay, unless `more` sets `waitSeconds`. */
export function get(
  path: string,
  read: (answer: unknown) => ProviderProgress | null,
  more: Partial<ProviderStep> = {},
): ProviderStep {
  return { method: 'GET', path, body: { kind: 'none' }, waitSeconds: 0, read, ...more }
}

/** Reads a response of the given shape; null for one of another shape. */
export function reads<Answer>(
  shape: z.ZodType<Answer>,
  meaning: (answer: Answer) => ProviderProgress | null,
): ProviderStep['read'] {
  return (answer) => {
    const parsed = shape.safeParse(answer)
    return parsed.success ? meaning(parsed.data) : null
  }
}

/**
 * The end of a job: its transcript, with the requested times only.
 *
 * @param language the provider's name for the language; where it gives none, the requested language is taken
 */
export function done(
  question: Pick<ProviderQuestion, 'language' | 'timestamps'>,
  { text, language, segments, words }: Spoken,
): ProviderProgress {
  const { timestamps } = question
  return {
    kind: 'done',
    transcript: {
      text,
      language: asTag(language) ?? question.language,
      segments: timestamps.includes('segment') ? segments : undefined,
      words: timestamps.includes('word') ? words : undefined,
    },
  }
}

interface Spoken extends Omit<ProviderTranscript, 'language'> {
  readonly language: string | null | undefined
}

/** A DELETE request, whose response is ignored. */
export function remove(path: string, more: Partial<ProviderStep> = {}): ProviderStep {
  return { method: 'DELETE', path, body: { kind: 'none' }, waitSeconds: 0, read: () => null, ...more }
}

/**
 * Seconds to wait before polling a job again, which bounds the idle wait within a measured time. The delay
 * grows, because providers limit the rate of polling.
 */
export function pollSeconds(pollCount: number): number {
  return Math.min(3, 0.25 * 1.5 ** pollCount)
}

/** Rate limit, request time-out, internal error, bad gateway, service unavailable, gateway time-out. */
export const passingStatuses: ReadonlySet<number> = new Set([429, 408, 500, 502, 503, 504])

/** Delay in seconds after a failed poll without a `Retry-After`, or with one of 0. */
const pausedPollSeconds = 2

/**
 * Time limit of a step in milliseconds. A poll without a response must leave time for others, so it gets a tenth of the
 * job's time: at least two seconds, more than a provider takes for it, and at most thirty.
 */
export function limitStep(step: ProviderStep, leftMs: number, jobMs: number): number {
  if (pollAgain(step, null) === null) return leftMs
  return Math.min(leftMs, Math.max(2_000, Math.min(jobMs / 10, 30_000)))
}

/**
 * The question about a job that failed, to be sent again later: the provider goes on with the job, which is
 * paid for.
 *
 * @returns null for a step that asks for no job
 */
export function pollAgain(step: ProviderStep, retryAfterSeconds: number | null): ProviderStep | null {
  // Amazon is asked by POST, and only a step that asks for the state of a job waits before it is sent.
  if (step.method !== 'GET' && step.waitSeconds === 0) return null
  return { ...step, waitSeconds: retryAfterSeconds || pausedPollSeconds }
}

const beginsUnspaced = new RegExp(`^${unspacedCharacter}`, 'u')
const endsUnspaced = new RegExp(`${unspacedCharacter}$`, 'u')

/** Joins texts of consecutive portions of a recording; between unspaced scripts no space is added. */
export function joinPortions(portions: readonly string[]): string {
  return portions
    .map((portion) => portion.trim())
    .filter((portion) => portion !== '')
    .reduce((joined, portion) => {
      const isUnspaced = endsUnspaced.test(joined) && beginsUnspaced.test(portion)
      return joined === '' ? portion : `${joined}${isUnspaced ? '' : ' '}${portion}`
    }, '')
}

/**
 * The language that a provider reports, as a BCP 47 tag: `en` for `en` and `eng`; null for words such as
 * `english` and `not-available`. `Intl` turns Tagalog into Filipino, so this is undone: corpora write `tl`.
 */
export function asTag(language: string | null | undefined): string | null {
  if (language == null || !/^[a-z]{2,3}(-[A-Za-z0-9]+)*$/.test(language)) return null
  try {
    const [tag = null] = Intl.getCanonicalLocales(language)
    return /^(tl|tgl)\b/.test(language) ? (tag?.replace('fil', 'tl') ?? null) : tag
  } catch {
    return null
  }
}
