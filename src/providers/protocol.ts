import type { z } from 'zod'
import { unspacedCharacter } from '#prelude'
import type { LanguageTable } from './languages.ts'
import type { OptionValues } from './options.ts'

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
  /** Codes of languages, where the provider has others than its protocol. */
  readonly languages?: LanguageTable | undefined
  readonly timestamps: readonly Granularity[]
  /** Settings of the API, by their names there. */
  readonly options: OptionValues
}

/** One recording on its way, for protocols that put it into a storage. */
export interface ProviderJob {
  /** Of letters, digits and hyphens; no two jobs have the same. */
  readonly id: string
  /** Where recordings are put; null where the protocol needs no storage. */
  readonly storage: ProviderStorage | null
}

export interface ProviderStorage {
  /** Of a container or bucket; a query that grants access comes with it. */
  readonly url: string
  /** Name of the bucket, where requests name it. */
  readonly bucket: string | null
}

/** How requests say who sends them: a header with the key, or a signature. */
type AccessKind =
  | { readonly kind: 'key'; header(key: string): readonly [name: string, value: string] }
  /** The same, for a provider whose address is that of the account, and its storage where it needs one. */
  | {
      readonly kind: 'account'
      readonly hasStorage: boolean
      header(key: string): readonly [name: string, value: string]
    }
  | { readonly kind: 'signature' }

/** What a request carries. */
export type ProviderBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown; readonly contentType?: string }
  /** A JSON text with the audio as base64 between its two parts. */
  | { readonly kind: 'base64'; readonly head: string; readonly tail: string }
  /** The audio itself, under its type where the provider documents no other. */
  | { readonly kind: 'audio'; readonly contentType?: string }
  /** A form whose last part, of this name, is the audio. */
  | {
      readonly kind: 'form'
      readonly fields: readonly (readonly [name: string, value: string])[]
      readonly file: string
    }

export interface ProviderStep {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Default: the provider's API. An address that an answer named is asked without a key. */
  readonly at?: 'storage' | 'address'
  /** After the base address, with the query; an `address` as a whole. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: ProviderBody
  /** What to wait before it is sent: a job is asked for only now and then. */
  readonly waitSeconds: number
  /** @returns what an answer of status 2xx means; null for one that is not of the documented shape */
  read(answer: unknown): ProviderProgress | null
  /** Removes what the step has left at the provider: sent when the job is over, however it ended, and in no time of it. */
  readonly undo?: ProviderStep
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
  /** Codes of languages, where a provider has no others. */
  readonly languages: LanguageTable
  readonly access: AccessKind
  start(question: ProviderQuestion, job: ProviderJob): ProviderStep
}

/** The address of a path below a base address, whose query stays where the path has none. */
export function addressBelow(base: string, path: string): URL {
  const url = new URL(base)
  const [pathname = '', query] = path.split('?')
  url.pathname = url.pathname.replace(/\/+$/, '') + pathname
  if (query !== undefined) url.search = query
  return url
}

/** A request that is sent at once. */
export function post(
  path: string,
  body: ProviderBody,
  read: (answer: unknown) => ProviderProgress | null,
): ProviderStep {
  return { method: 'POST', path, body, waitSeconds: 0, read }
}

/** A request for what is there; at once, where `more` does not say what to wait before it. */
export function get(
  path: string,
  read: (answer: unknown) => ProviderProgress | null,
  more: Partial<ProviderStep> = {},
): ProviderStep {
  return { method: 'GET', path, body: { kind: 'none' }, waitSeconds: 0, read, ...more }
}

/** What an answer of this shape means; null for one of another shape. */
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
 * The end of a job: its transcript, with the times that were asked for.
 *
 * @param language as the provider names the one that it heard; where it names none, it was the one that was asked for
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

/** A request whose answer says nothing: it removes something. */
export function remove(path: string, more: Partial<ProviderStep> = {}): ProviderStep {
  return { method: 'DELETE', path, body: { kind: 'none' }, waitSeconds: 0, read: () => null, ...more }
}

/**
 * How long to wait before a job is asked for, in seconds: the time of a transcription contains at most this much of
 * waiting for nothing. It grows, because a provider limits how often it is asked.
 */
export function pollSeconds(asked: number): number {
  return Math.min(3, 0.25 * 1.5 ** asked)
}

const beginsUnspaced = new RegExp(`^${unspacedCharacter}`, 'u')
const endsUnspaced = new RegExp(`${unspacedCharacter}$`, 'u')

/** One text of those of consecutive parts of a recording; scripts that have no spaces between words get none. */
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
 * What a provider says of the language as a BCP 47 tag: `en` for `en` and `eng`; null for words such as `english` and
 * `not-available`. `Intl` writes Tagalog as Filipino, which a corpus does not.
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
