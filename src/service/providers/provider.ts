import { randomUUID } from 'node:crypto'
import { formFrame, type TimestampGranularity } from '#contract'
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
export interface ProviderRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Parts that follow each other. */
  readonly body: readonly Uint8Array[]
}

/** How one provider wants to be asked, and how it answers. Pure: nothing is sent here. */
export interface ProviderProtocol {
  readonly timestamps: readonly TimestampGranularity[]
  request(question: ProviderQuestion): ProviderRequest
  /** @returns null for an answer that is not of the documented shape */
  read(answer: unknown, question: ProviderQuestion): Spoken | null
}

/** A form with the audio as its last part, and the header that announces it. */
export function audioForm(
  fields: readonly (readonly [name: string, value: string])[],
  audio: Uint8Array,
): { readonly contentType: string; readonly body: readonly Uint8Array[] } {
  const file = { name: 'file', fileName: 'audio.wav', mimeType: 'audio/wav' }
  const { contentType, head, tail } = formFrame(`transcribench-${randomUUID()}`, fields, file)
  return { contentType, body: [Buffer.from(head), audio, Buffer.from(tail)] }
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
