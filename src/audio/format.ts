import type decode from 'audio-decode'
import { readAdts } from './formats/adts.ts'
import { readAiff } from './formats/aiff.ts'
import { readAu } from './formats/au.ts'
import { readCaf } from './formats/caf.ts'
import { readFlac } from './formats/flac/flac.ts'
import { readMp4 } from './formats/mp4/mp4.ts'
import { readMp3 } from './formats/mpeg.ts'
import { type OggCodec, oggCodec, readOgg } from './formats/ogg/ogg.ts'
import { readWav } from './formats/riff/riff.ts'
import { isWave64 } from './formats/riff/wave64.ts'
import { readSphere } from './formats/sphere.ts'
import { readWebm } from './formats/webm/webm.ts'
import { hasBytes, hasText, soundStart } from './read-bytes.ts'
import type { AudioStructure } from './structure.ts'

/** The format of audio, detected from its bytes. */
export type AudioFormat =
  | 'wav'
  | 'flac'
  | 'mp3'
  | 'ogg-vorbis'
  | 'ogg-opus'
  | 'ogg-flac'
  | 'mp4'
  | 'adts'
  | 'webm'
  | 'aiff'
  | 'au'
  | 'caf'
  | 'wave64'
  | 'sphere'

interface FormatFacts {
  /** For a person. */
  readonly name: string
  readonly mimeType: string
  /** The library's decoder for it. */
  readonly decoder: Exclude<keyof typeof decode, 'prototype' | keyof CallableFunction>
  /** What its headers and packets say; throws `UnusableAudio` over a file that cannot be right. */
  readonly read: (bytes: Uint8Array) => AudioStructure
}

const ogg = (codec: OggCodec) => (bytes: Uint8Array) => readOgg(bytes, codec)

export const formats: Readonly<Record<AudioFormat, FormatFacts>> = {
  wav: { name: 'WAV', mimeType: 'audio/wav', decoder: 'wav', read: readWav },
  wave64: { name: 'Wave64', mimeType: 'audio/x-w64', decoder: 'wav', read: readWav },
  flac: { name: 'FLAC', mimeType: 'audio/flac', decoder: 'flac', read: readFlac },
  mp3: { name: 'MP3', mimeType: 'audio/mpeg', decoder: 'mp3', read: readMp3 },
  'ogg-vorbis': { name: 'Ogg Vorbis', mimeType: 'audio/ogg', decoder: 'oga', read: ogg('vorbis') },
  'ogg-opus': { name: 'Ogg Opus', mimeType: 'audio/ogg', decoder: 'opus', read: ogg('opus') },
  'ogg-flac': { name: 'Ogg FLAC', mimeType: 'audio/ogg', decoder: 'flac', read: ogg('flac') },
  mp4: { name: 'MP4', mimeType: 'audio/mp4', decoder: 'm4a', read: readMp4 },
  adts: { name: 'AAC', mimeType: 'audio/aac', decoder: 'aac', read: readAdts },
  webm: { name: 'WebM', mimeType: 'audio/webm', decoder: 'webm', read: readWebm },
  aiff: { name: 'AIFF', mimeType: 'audio/aiff', decoder: 'caf', read: readAiff },
  au: { name: 'AU', mimeType: 'audio/basic', decoder: 'caf', read: readAu },
  caf: { name: 'CAF', mimeType: 'audio/x-caf', decoder: 'caf', read: readCaf },
  sphere: { name: 'NIST SPHERE', mimeType: 'audio/x-nist', decoder: 'caf', read: readSphere },
}

const supportedFormats =
  'WAV, FLAC, MP3, Ogg (Vorbis, Opus, FLAC), MP4/M4A, AAC, WebM, AIFF, AU, CAF, Wave64 and NIST SPHERE'

/** @returns null when the bytes are none of the supported formats */
export function detectFormat(bytes: Uint8Array): AudioFormat | null {
  if (['RIFF', 'RF64', 'BW64', 'RIFX'].some((tag) => hasText(bytes, 0, tag)) && hasText(bytes, 8, 'WAVE')) {
    return 'wav'
  }
  if (hasText(bytes, 0, 'FORM') && (hasText(bytes, 8, 'AIFF') || hasText(bytes, 8, 'AIFC'))) return 'aiff'
  if (isWave64(bytes)) return 'wave64'
  if (hasText(bytes, 0, '.snd')) return 'au'
  if (hasText(bytes, 0, 'NIST_1A')) return 'sphere'
  if (hasText(bytes, 0, 'caff')) return 'caf'
  if (hasText(bytes, 0, 'OggS')) return detectOgg(bytes)
  if (hasText(bytes, 4, 'ftyp')) return 'mp4'
  if (hasBytes(bytes, 0, [0x1a, 0x45, 0xdf, 0xa3])) return 'webm'
  const start = soundStart(bytes)
  if (hasText(bytes, start, 'fLaC')) return 'flac'
  return detectMpeg(bytes, start)
}

function detectOgg(bytes: Uint8Array): AudioFormat | null {
  const codec = oggCodec(bytes)
  return codec === null ? null : `ogg-${codec}`
}

/** Twelve set bits are not enough: the fields behind them must have a meaning too. */
function detectMpeg(bytes: Uint8Array, start: number): AudioFormat | null {
  const [first, second, third] = bytes.subarray(start, start + 3)
  if (first !== 0xff || second === undefined || third === undefined) return null
  if ((second & 0xf6) === 0xf0 && ((third >> 2) & 0x0f) < 13) return 'adts'
  const isFrame = (second & 0xe0) === 0xe0 && (second & 0x18) !== 0x08 && (second & 0x06) !== 0
  return isFrame && third >> 4 !== 0x0f && (third & 0x0c) !== 0x0c ? 'mp3' : null
}

/** Sound in formats for which there is no decoder that is kept up. */
const knownKinds = [
  { name: 'Ogg Speex', offset: 28, mark: 'Speex   ' },
  { name: 'AMR', offset: 0, mark: '#!AMR' },
  { name: 'WMA', offset: 0, mark: '\u0030\u0026\u00b2\u0075\u008e\u0066\u00cf\u0011' },
] as const

/** Why bytes are not audio, as far as they show it. */
export function describeNonAudio(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'the file is empty (0 bytes)'
  const known = knownKinds.find(({ offset, mark }) => hasText(bytes, offset, mark))
  if (known !== undefined) return `this is ${known.name}, which cannot be read (${supportedFormats} can)`
  const head = bytes.subarray(0, 512)
  const isText = head.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d)
  if (isText) return 'this is text, not audio'
  if (head.every((byte) => byte === 0)) return 'this holds zeros only, no audio'
  return `this is not audio in a format that can be read (${supportedFormats})`
}
