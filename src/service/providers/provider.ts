import type { FormData } from 'undici'
import type { TimestampGranularity } from '#contract'
import type { Spoken } from '../engines/engine.ts'

/** What a provider is asked to transcribe. */
export interface ProviderQuestion {
  /** A WAV file, 16 bit, mono, 16 kHz. */
  readonly audio: Uint8Array<ArrayBuffer>
  readonly model: string
  /** BCP-47 tag, or null to let it find out. */
  readonly language: string | null
  readonly timestamps: readonly TimestampGranularity[]
  /** Null for a server that wants none. */
  readonly key: string | null
  /** Without a slash at its end. */
  readonly baseUrl: string
}

/** One request over HTTP. */
interface ProviderRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: FormData | Uint8Array<ArrayBuffer>
}

/** How one provider wants to be asked, and how it answers. Pure: nothing is sent here. */
export interface ProviderProtocol {
  readonly timestamps: readonly TimestampGranularity[]
  request(question: ProviderQuestion): ProviderRequest
  /** @returns null for an answer that is not of the documented shape */
  read(answer: unknown, question: ProviderQuestion): Spoken | null
}

/** The audio as a file of a form. */
export function audioFile(audio: Uint8Array<ArrayBuffer>): File {
  return new File([audio], 'audio.wav', { type: 'audio/wav' })
}

/** `en-GB` and `en` are `en` for those who take two letters only. */
export function languageOnly(tag: string): string {
  return new Intl.Locale(tag).language
}

/** What a provider says of the language as a BCP-47 tag: `en` for `en` and `eng`; null for words such as `english`. */
export function asTag(language: string | null | undefined): string | null {
  if (language == null || !/^[a-z]{2,3}(-[A-Za-z0-9]+)*$/.test(language)) return null
  return Intl.getCanonicalLocales(language)[0] ?? null
}
