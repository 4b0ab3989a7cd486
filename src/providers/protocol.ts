/** A word or segment with its times in seconds from the beginning. */
interface Timed {
  readonly start: number
  readonly end: number
}

/** What a provider says of a recording. */
export interface ProviderTranscript {
  /** As it came, without white space around it; empty where no speech was found. */
  readonly text: string
  /** BCP 47 tag, or null where the provider does not say. */
  readonly language: string | null
  readonly segments?: readonly (Timed & { readonly id: number; readonly text: string })[] | undefined
  readonly words?: readonly (Timed & { readonly word: string })[] | undefined
}

export type Granularity = 'segment' | 'word'

/** What a provider is asked to transcribe. The audio is added by the sender. */
export interface ProviderQuestion {
  readonly model: string
  /** BCP 47 tag, or null to let it find out. */
  readonly language: string | null
  readonly timestamps: readonly Granularity[]
}

/** What a request carries. */
export type ProviderBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  /** The audio itself. */
  | { readonly kind: 'audio' }
  /** A form whose last part, of this name, is the audio. */
  | {
      readonly kind: 'form'
      readonly fields: readonly (readonly [name: string, value: string])[]
      readonly file: string
    }

/** One request of a provider's protocol. */
export interface ProviderStep {
  readonly method: 'GET' | 'POST'
  /** After the base address, with the query. */
  readonly path: string
  readonly body: ProviderBody
  /** What to wait before it is sent: a job is asked for only now and then. */
  readonly waitSeconds: number
  /** @returns what an answer of status 2xx means; null for one that is not of the documented shape */
  read(answer: unknown): ProviderProgress | null
}

export type ProviderProgress =
  | { readonly kind: 'done'; readonly transcript: ProviderTranscript }
  | { readonly kind: 'next'; readonly step: ProviderStep }
  /** The provider took the job and could not do it, in its words. */
  | { readonly kind: 'failed'; readonly message: string }

/**
 * How a provider wants to be asked, and how it answers. Pure: nothing is sent here.
 *
 *   one-shot           start ─► answer ─► done
 *   submit and poll    start ─► answer ─► next ─► … ─► next ─► done or failed
 */
export interface ProviderProtocol {
  readonly timestamps: readonly Granularity[]
  /** Header that carries the key. */
  keyHeader(key: string): readonly [name: string, value: string]
  start(question: ProviderQuestion): ProviderStep
}

/** A request that is sent at once. */
export function post(
  path: string,
  body: ProviderBody,
  read: (answer: unknown) => ProviderProgress | null,
): ProviderStep {
  return { method: 'POST', path, body, waitSeconds: 0, read }
}

export function done(transcript: ProviderTranscript | null): ProviderProgress | null {
  return transcript === null ? null : { kind: 'done', transcript }
}

/**
 * How long to wait before a job is asked for, in seconds: the time of a transcription contains at most this much of
 * waiting for nothing. It grows, because a provider limits how often it is asked.
 */
export function pollSeconds(asked: number): number {
  return Math.min(3, 0.25 * 1.5 ** asked)
}

/** `en-GB` and `en` are `en` for those who take two letters only. */
export function languageOnly(tag: string): string {
  return new Intl.Locale(tag).language
}

/** What a provider says of the language as a BCP 47 tag: `en` for `en` and `eng`; null for words such as `english`. */
export function asTag(language: string | null | undefined): string | null {
  if (language == null || !/^[a-z]{2,3}(-[A-Za-z0-9]+)*$/.test(language)) return null
  return Intl.getCanonicalLocales(language)[0] ?? null
}
