import type decode from 'audio-decode'
import { adtsStart, readAdts } from './formats/aac.ts'
import { readFlac } from './formats/flac.ts'
import { readMp4 } from './formats/mp4.ts'
import { mp3Start, readMp3 } from './formats/mpeg.ts'
import { type OggCodec, oggCodec, readOgg } from './formats/ogg.ts'
import { readAiff, readAu, readCaf, readSphere } from './formats/pcm-files.ts'
import { isWave64, readWav } from './formats/wav.ts'
import { readWebm } from './formats/webm.ts'
import {
  type AudioFailure,
  type AudioStructure,
  hasBytes,
  hasText,
  soundStart,
  withoutEndTags,
} from './structure.ts'

interface FormatFacts {
  /** Name for messages. */
  readonly name: string
  /** Endings of its files, a space between them; empty where another format has them too. */
  readonly endings: string
  readonly mimeType: string
  /** Name of the library's decoder. */
  readonly decoder: Exclude<keyof typeof decode, 'prototype' | keyof CallableFunction>
  /** Reads the structure from headers and packets; throws `UnusableAudio` for a file that is damaged or unsupported. */
  readonly read: (bytes: Uint8Array) => AudioStructure
}

const ogg = (codec: OggCodec) => (bytes: Uint8Array) => readOgg(bytes, codec)

const table = {
  wav: { name: 'WAV', endings: 'wav', mimeType: 'audio/wav', decoder: 'wav', read: readWav },
  wave64: { name: 'Wave64', endings: 'w64', mimeType: 'audio/x-w64', decoder: 'wav', read: readWav },
  flac: { name: 'FLAC', endings: 'flac', mimeType: 'audio/flac', decoder: 'flac', read: readFlac },
  mp3: { name: 'MP3', endings: 'mp3', mimeType: 'audio/mpeg', decoder: 'mp3', read: readMp3 },
  'ogg-vorbis': {
    name: 'Ogg Vorbis',
    endings: 'ogg oga',
    mimeType: 'audio/ogg',
    decoder: 'oga',
    read: ogg('vorbis'),
  },
  'ogg-opus': {
    name: 'Ogg Opus',
    endings: 'opus',
    mimeType: 'audio/ogg',
    decoder: 'opus',
    read: ogg('opus'),
  },
  'ogg-flac': { name: 'Ogg FLAC', endings: '', mimeType: 'audio/ogg', decoder: 'flac', read: ogg('flac') },
  mp4: { name: 'MP4', endings: 'm4a mp4', mimeType: 'audio/mp4', decoder: 'm4a', read: readMp4 },
  adts: { name: 'AAC', endings: 'aac', mimeType: 'audio/aac', decoder: 'aac', read: readAdts },
  webm: { name: 'WebM', endings: 'webm', mimeType: 'audio/webm', decoder: 'webm', read: readWebm },
  aiff: { name: 'AIFF', endings: 'aiff aif', mimeType: 'audio/aiff', decoder: 'caf', read: readAiff },
  au: { name: 'AU', endings: 'au', mimeType: 'audio/basic', decoder: 'caf', read: readAu },
  caf: { name: 'CAF', endings: 'caf', mimeType: 'audio/x-caf', decoder: 'caf', read: readCaf },
  sphere: { name: 'NIST SPHERE', endings: 'sph', mimeType: 'audio/x-nist', decoder: 'caf', read: readSphere },
} satisfies Readonly<Record<string, FormatFacts>>

export type AudioFormat = keyof typeof table
export const formats: Readonly<Record<AudioFormat, FormatFacts>> = table

/** Matches the name of a file that should hold sound. */
export const audioEndings = new RegExp(
  `\\.(?:${Object.values(formats)
    .flatMap(({ endings }) => endings.split(' '))
    .filter((ending) => ending !== '')
    .join('|')})$`,
  'i',
)

/** The MIME type of a file by the ending of its name. */
export function findMimeType(path: string): string {
  const [, ending = ''] = /\.(\w+)$/.exec(path.toLowerCase()) ?? []
  const format = Object.values(formats).find(
    ({ endings }) => endings !== '' && endings.split(' ').includes(ending),
  )
  return format?.mimeType ?? 'application/octet-stream'
}

const supportedFormats =
  'WAV, FLAC, MP3, Ogg (Vorbis, Opus, FLAC), MP4/M4A, AAC, WebM, AIFF, AU, CAF, Wave64 and NIST SPHERE'

/** @returns null for bytes of no supported format */
export function detectFormat(bytes: Uint8Array): AudioFormat | null {
  if (['RIFF', 'RF64', 'BW64', 'RIFX'].some((tag) => hasText(bytes, 0, tag)) && hasText(bytes, 8, 'WAVE')) {
    return 'wav'
  }
  if (hasText(bytes, 0, 'FORM') && (hasText(bytes, 8, 'AIFF') || hasText(bytes, 8, 'AIFC'))) return 'aiff'
  if (isWave64(bytes)) return 'wave64'
  if (hasText(bytes, 0, '.snd')) return 'au'
  if (hasText(bytes, 0, 'NIST_1A')) return 'sphere'
  if (hasText(bytes, 0, 'caff')) return 'caf'
  if (hasText(bytes, 0, 'OggS')) {
    const codec = oggCodec(bytes)
    return codec === null ? null : `ogg-${codec}`
  }
  if (hasText(bytes, 4, 'ftyp')) return 'mp4'
  if (hasBytes(bytes, 0, [0x1a, 0x45, 0xdf, 0xa3])) return 'webm'
  if (hasText(bytes, 0, 'fLaC')) return 'flac'
  if (isLoas(bytes)) return null
  const [mp3, adts] = [mp3Start(bytes), adtsStart(bytes)]
  if (mp3 === null) return adts === null ? null : 'adts'
  return adts === null || mp3 < adts ? 'mp3' : 'adts'
}

/** Whether bytes begin with a frame of LOAS and end with it, or go on with another: 11 bits of mark, 13 of length. */
function isLoas(bytes: Uint8Array): boolean {
  const at = (offset: number): number => bytes[offset] ?? 0
  const isMark = (offset: number): boolean => at(offset) === 0x56 && at(offset + 1) >= 0xe0
  const end = 3 + ((at(1) & 0x1f) << 8) + at(2)
  return isMark(0) && (end === bytes.length || isMark(end))
}

/** Formats that declare the end of their sound. What follows is ignored, and sound might look like a tag. */
const closedFormats: readonly (AudioFormat | null)[] = ['wav', 'wave64', 'aiff', 'caf']

/**
 * Removes tags of MP3, which any format may have before and after it. They are kept before MP4, which counts its
 * offsets from the start of the file.
 */
export function withoutTags(bytes: Uint8Array): Uint8Array {
  const start = soundStart(bytes)
  const rest = hasText(bytes, start + 4, 'ftyp') ? bytes : bytes.subarray(start)
  return closedFormats.includes(detectFormat(rest)) ? rest : withoutEndTags(rest)
}

/** Formats without a maintained decoder, by their first bytes. */
const foreignKinds: readonly (readonly [name: string, mark: string, offset?: number])[] = [
  ['Ogg Speex', 'Speex   ', 28],
  ['AMR', '#!AMR'],
  ['WMA', '\u0030\u0026\u00b2\u0075\u008e\u0066\u00cf\u0011'],
  ['AC-3', '\u000b\u0077'],
  ['DTS', '\u007f\u00fe\u0080\u0001'],
  ['AVI', 'AVI ', 8],
  ['WavPack', 'wvpk'],
  ["Monkey's Audio", 'MAC '],
  ['True Audio', 'TTA1'],
  ['Musepack', 'MPCK'],
  ['Flash video', 'FLV\u0001'],
  ['RealMedia', '.RMF'],
  ['Creative Voice', 'Creative Voice File'],
]

const lfsPointer = 'version https://git-lfs.github.com/spec/'

/** Describes why bytes are not audio, by what they contain. */
export function describeNonAudio(bytes: Uint8Array): AudioFailure {
  if (bytes.length === 0) return { reason: 'the file is empty (0 bytes)' }
  const [foreign] = isLoas(bytes)
    ? ['AAC in LATM']
    : (foreignKinds.find(([, mark, offset = 0]) => hasText(bytes, offset, mark)) ?? [])
  if (foreign !== undefined) {
    return {
      reason: `this is ${foreign}, which cannot be read (${supportedFormats} can)`,
      isForeign: true,
    }
  }
  if (hasText(bytes, 0, lfsPointer)) {
    return { reason: 'this is a pointer of Git LFS, and the recording is not here yet: git lfs pull' }
  }
  const head = bytes.subarray(0, 512)
  const isText = head.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d)
  if (isText) return { reason: 'this is text, not audio' }
  if (head.every((byte) => byte === 0)) return { reason: 'this holds zeros only, no audio' }
  return { reason: `this is not audio in a format that can be read (${supportedFormats})` }
}
