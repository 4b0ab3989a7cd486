import {
  damaged,
  isPlausibleRate,
  maxCodecChannels,
  maxPcmChannels,
  maxStepSamples,
  textAt,
  unreadable,
  viewOf,
} from '../structure.ts'
import { readAacConfig, readElementaryStream } from './aac.ts'
import { readFrameHeader } from './flac.ts'
import { type Box, bodyOf, boxIn } from './mp4-boxes.ts'
import { readMpegFrame } from './mpeg.ts'
import { opusPacketSamples, opusRateHz } from './ogg-packets.ts'

/** Coding of a track, and the duration of its samples. */
export interface Mp4Sound {
  /** Name of the codec for messages. */
  readonly codec: string
  /** Returns the duration of a sample; null where only the track's times have it. */
  readonly seconds: ((sample: Uint8Array) => number) | null
  /** Max number of samples that the decoder gets at once. */
  readonly atOnce: number
  /** Whether an edit list or a tag removes the encoder's delay. */
  readonly isTrimmed: boolean
  /** For PCM: bytes of one sample of all channels, and the sample rate. */
  readonly pcm: { readonly frameBytes: number; readonly sampleRateHz: number } | null
}

interface Entry {
  readonly type: string
  readonly channelCount: number
  readonly bits: number
  readonly sampleRateHz: number
  readonly child: (type: string) => Uint8Array
}

/** Bits per sample by type of an uncompressed entry; 0 where the entry has them. */
const pcmBits: Readonly<Record<string, number>> = {
  sowt: 0,
  twos: 0,
  'raw ': 0,
  NONE: 0,
  lpcm: 0,
  in24: 24,
  in32: 32,
  fl32: 32,
  fl64: 64,
  ulaw: 8,
  alaw: 8,
}
/** Other sound that the decoder reads: AMR, AC-3, E-AC-3, DTS, and PCM of ISO/IEC 23003-5. */
const packetTypes = ['samr', 'sawb', 'ac-3', 'ec-3', 'dtsc', 'dtsh', 'dtsl', 'dtse', 'ipcm', 'fpcm']
const mp3ObjectTypes: readonly number[] = [0x69, 0x6b]
const aacObjectTypes: readonly number[] = [0, 0x40, 0x66, 0x67, 0x68]

/** @see ISO/IEC 14496-12 section 12.2.3; QuickTime File Format, Sound Sample Descriptions */
export function readSound(bytes: Uint8Array, descriptions: Box | null): Mp4Sound {
  const entry = readEntry(bytes, descriptions)
  switch (entry.type) {
    case 'mp4a':
      return readMp4a(entry)
    case 'alac':
      return alacSound(readAlacConfig(entry.child('alac')))
    case '.mp3':
      return mp3Sound
    case 'Opus':
      return opusSound(entry)
    case 'fLaC':
      return flacSound
    default:
      if (entry.type in pcmBits) return pcmSound(entry)
      if (!packetTypes.includes(entry.type)) unreadable(`its codec is "${entry.type}"`)
      return { codec: entry.type, seconds: null, atOnce: 8, isTrimmed: false, pcm: null }
  }
}

function readEntry(bytes: Uint8Array, descriptions: Box | null): Entry {
  if (descriptions === null || descriptions.end - descriptions.start < 8 + 36) {
    damaged('it does not say what its sound is')
  }
  const view = viewOf(bytes)
  const start = descriptions.start + 8
  const end = start + view.getUint32(start)
  if (end > descriptions.end) damaged('its table "stsd" is damaged')
  const version = view.getUint16(start + 16)
  // QuickTime extended the description twice.
  const headBytes = version === 1 ? 52 : version === 2 ? 72 : 36
  if (start + headBytes > end) damaged('its table "stsd" is damaged')
  const isLong = version === 2
  return {
    type: textAt(bytes, start + 4, 4),
    channelCount: isLong ? view.getUint32(start + 48) : view.getUint16(start + 24),
    bits: isLong ? view.getUint32(start + 56) : view.getUint16(start + 26),
    sampleRateHz: isLong ? view.getFloat64(start + 40) : view.getUint16(start + 32),
    child: (type) => bodyOf(bytes, findChild(bytes, { start: start + headBytes, end }, type)),
  }
}

/** Finds the configuration, which QuickTime puts into another box. */
function findChild(bytes: Uint8Array, within: Pick<Box, 'start' | 'end'>, type: string): Box | null {
  const wave = boxIn(bytes, within, 'wave')
  return boxIn(bytes, within, type) ?? (wave === null ? null : boxIn(bytes, wave, type))
}

function readMp4a({ child }: Entry): Mp4Sound {
  const { objectType, config } = readElementaryStream(child('esds'))
  if (mp3ObjectTypes.includes(objectType)) return mp3Sound
  if (!aacObjectTypes.includes(objectType)) unreadable(`it holds sound of type 0x${objectType.toString(16)}`)
  if (config === null) damaged('it has no AAC configuration')
  const { sampleRateHz, frameSamples } = readAacConfig(config)
  const frameSeconds = frameSamples / sampleRateHz
  return { codec: 'AAC', seconds: () => frameSeconds, atOnce: 32, isTrimmed: true, pcm: null }
}

function alacSound(config: AlacConfig): Mp4Sound {
  return {
    codec: 'ALAC',
    seconds: (sample) => alacFrameSamples(sample, config) / config.sampleRateHz,
    atOnce: 16,
    isTrimmed: true,
    pcm: null,
  }
}

const mp3Sound: Mp4Sound = {
  codec: 'MP3',
  seconds(sample) {
    const frame = readMpegFrame(sample, 0)
    if (frame === null) damaged('one of its MP3 frames is damaged')
    return frame.sampleCount / frame.sampleRateHz
  },
  atOnce: 64,
  isTrimmed: true,
  pcm: null,
}

function opusSound({ child }: Entry): Mp4Sound {
  const channelCount = child('dOps')[1] ?? 0
  if (channelCount < 1 || channelCount > maxCodecChannels) unreadable(`it has ${channelCount} channels`)
  return {
    codec: 'Opus',
    seconds: (sample) => opusPacketSamples(sample) / opusRateHz,
    atOnce: 64,
    isTrimmed: true,
    pcm: null,
  }
}

const flacSound: Mp4Sound = {
  codec: 'FLAC',
  seconds(sample) {
    const frame = readFrameHeader(sample, 0)
    if (frame === null || frame.sampleRateHz === null) damaged('one of its FLAC frames is damaged')
    return frame.blockSize / frame.sampleRateHz
  },
  // A frame may have up to 65,536 samples of eight channels.
  atOnce: maxStepSamples / 2 ** 19,
  isTrimmed: false,
  pcm: null,
}

function pcmSound({ type, channelCount, bits, sampleRateHz }: Entry): Mp4Sound {
  const sampleBits = (pcmBits[type] ?? 0) || bits
  if (channelCount < 1 || channelCount > maxPcmChannels || sampleBits < 8 || sampleRateHz < 1) {
    damaged(`its header says ${channelCount} channels, ${sampleRateHz} Hz, ${sampleBits} bits`)
  }
  const frameBytes = Math.floor(sampleBits / 8) * channelCount
  return { codec: type, seconds: null, atOnce: 1, isTrimmed: false, pcm: { frameBytes, sampleRateHz } }
}

/** Parameters of an ALAC track. */
interface AlacConfig {
  readonly sampleRateHz: number
  readonly channelCount: number
  /** Number of samples per channel in every frame but the last. */
  readonly frameSamples: number
}

const configBytes = 28
const maxFrameSamples = 2 ** 16

/**
 * Reads the body of an `alac` box. The decoder allocates memory by it, and reads its last 24 bytes.
 *
 * @see https://github.com/macosforge/alac, ALACMagicCookieDescription.txt
 */
function readAlacConfig(body: Uint8Array): AlacConfig {
  if (body.length !== configBytes) unreadable('its ALAC has a custom channel layout')
  const view = viewOf(body)
  const [frameSamples, bits] = [view.getUint32(4), view.getUint8(9)]
  const [channelCount, sampleRateHz] = [view.getUint8(13), view.getUint32(24)]
  const isPlausible = frameSamples > 0 && frameSamples <= maxFrameSamples && [16, 20, 24, 32].includes(bits)
  if (!isPlausible || !isPlausibleRate(sampleRateHz)) {
    damaged(`its ALAC has ${frameSamples} samples in a frame, of ${bits} bits, at ${sampleRateHz} Hz`)
  }
  if (channelCount < 1 || channelCount > 2)
    unreadable(`its ALAC has ${channelCount} channels, and 2 are the most`)
  return { sampleRateHz, channelCount, frameSamples }
}

/**
 * Returns the number of samples per channel that a frame declares, for which the decoder allocates memory unchecked.
 *
 *   | element 3 bits | instance 4 | unused 12 | has a count 1 | shift 2 | is raw 1 | count 32 |
 */
function alacFrameSamples(frame: Uint8Array, { channelCount, frameSamples }: AlacConfig): number {
  const head = new Uint8Array(8)
  head.set(frame.subarray(0, 7))
  const bits = viewOf(head).getBigUint64(0)
  const element = Number(bits >> 61n)
  // One channel and a pair of channels are one element each, so no other element with another count follows.
  if (element !== channelCount - 1) damaged('one of its ALAC frames is of other channels')
  const hasCount = ((bits >> 44n) & 1n) === 1n
  const count = hasCount ? Number((bits >> 9n) & 0xffff_ffffn) : frameSamples
  if (count === 0 || count > frameSamples) damaged(`one of its ALAC frames says that it has ${count} samples`)
  return count
}
