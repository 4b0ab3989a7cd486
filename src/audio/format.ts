import type decode from 'audio-decode'

/** What kind of audio bytes are, told from the bytes. */
export type AudioFormat =
  | 'wav'
  | 'flac'
  | 'mp3'
  | 'ogg-vorbis'
  | 'ogg-opus'
  | 'mp4'
  | 'adts'
  | 'webm'
  | 'aiff'

interface FormatFacts {
  /** For a person. */
  readonly name: string
  readonly mimeType: string
  /** The library's decoder for it. */
  readonly decoder: Exclude<keyof typeof decode, 'prototype' | keyof CallableFunction>
  /** Null where the container carries several. */
  readonly codec: string | null
}

export const formats: Readonly<Record<AudioFormat, FormatFacts>> = {
  wav: { name: 'WAV', mimeType: 'audio/wav', decoder: 'wav', codec: null },
  flac: { name: 'FLAC', mimeType: 'audio/flac', decoder: 'flac', codec: 'FLAC' },
  mp3: { name: 'MP3', mimeType: 'audio/mpeg', decoder: 'mp3', codec: 'MP3' },
  'ogg-vorbis': { name: 'Ogg Vorbis', mimeType: 'audio/ogg', decoder: 'oga', codec: 'Vorbis' },
  'ogg-opus': { name: 'Ogg Opus', mimeType: 'audio/ogg', decoder: 'opus', codec: 'Opus' },
  mp4: { name: 'MP4', mimeType: 'audio/mp4', decoder: 'm4a', codec: null },
  adts: { name: 'AAC', mimeType: 'audio/aac', decoder: 'aac', codec: 'AAC' },
  webm: { name: 'WebM', mimeType: 'audio/webm', decoder: 'webm', codec: null },
  aiff: { name: 'AIFF', mimeType: 'audio/aiff', decoder: 'aiff', codec: 'PCM' },
}

const supportedFormats = 'WAV, FLAC, MP3, Ogg (Vorbis, Opus), MP4/M4A, AAC, WebM and AIFF'

/** From slow telemetry to the fastest converters; outside of it a header is damaged. */
export function isPlausibleRate(sampleRateHz: number): boolean {
  return sampleRateHz >= 1_000 && sampleRateHz <= 768_000
}

/** Where the audio starts: after an ID3v2 tag, which may precede MP3, AAC and FLAC. */
export function audioStart(bytes: Uint8Array): number {
  if (!hasText(bytes, 0, 'ID3') || bytes.length < 10) return 0
  const at = (offset: number): number => (bytes[offset] ?? 0) & 0x7f
  const size = (at(6) << 21) | (at(7) << 14) | (at(8) << 7) | at(9)
  const footer = ((bytes[5] ?? 0) & 0x10) === 0 ? 0 : 10
  return 10 + size + footer
}

/** @returns null when the bytes are none of the supported formats */
export function detectFormat(bytes: Uint8Array): AudioFormat | null {
  if (['RIFF', 'RF64', 'BW64', 'RIFX'].some((tag) => hasText(bytes, 0, tag)) && hasText(bytes, 8, 'WAVE')) {
    return 'wav'
  }
  if (hasText(bytes, 0, 'FORM') && (hasText(bytes, 8, 'AIFF') || hasText(bytes, 8, 'AIFC'))) return 'aiff'
  if (hasText(bytes, 0, 'OggS')) return detectOgg(bytes)
  if (hasText(bytes, 4, 'ftyp')) return 'mp4'
  if (hasBytes(bytes, 0, [0x1a, 0x45, 0xdf, 0xa3])) return 'webm'
  const start = audioStart(bytes)
  if (hasText(bytes, start, 'fLaC')) return 'flac'
  return detectMpeg(bytes, start)
}

function detectOgg(bytes: Uint8Array): AudioFormat | null {
  // The first page holds one short packet, so its segment table has one entry and the packet is at 28.
  if (hasText(bytes, 28, 'OpusHead')) return 'ogg-opus'
  if (hasText(bytes, 28, '\u0001vorbis')) return 'ogg-vorbis'
  return null
}

/** Twelve set bits are not enough: the fields behind them must have a meaning too. */
function detectMpeg(bytes: Uint8Array, start: number): AudioFormat | null {
  const [first, second, third] = bytes.subarray(start, start + 3)
  if (first !== 0xff || second === undefined || third === undefined) return null
  if ((second & 0xf6) === 0xf0 && ((third >> 2) & 0x0f) < 13) return 'adts'
  const isFrame = (second & 0xe0) === 0xe0 && (second & 0x18) !== 0x08 && (second & 0x06) !== 0
  return isFrame && third >> 4 !== 0x0f && (third & 0x0c) !== 0x0c ? 'mp3' : null
}

export function hasText(bytes: Uint8Array, offset: number, text: string): boolean {
  return hasBytes(
    bytes,
    offset,
    Array.from(text, (character) => character.charCodeAt(0)),
  )
}

function hasBytes(bytes: Uint8Array, offset: number, expected: readonly number[]): boolean {
  return expected.every((byte, index) => bytes[offset + index] === byte)
}

/** Why bytes that are no audio are none, as far as they tell. */
export function describeNonAudio(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'the file is empty (0 bytes)'
  const head = bytes.subarray(0, 512)
  const isText = head.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d)
  if (isText) return 'this is text, not audio'
  if (head.every((byte) => byte === 0)) return 'this holds zeros only, no audio'
  return `this is not audio in a format that can be read (${supportedFormats})`
}
