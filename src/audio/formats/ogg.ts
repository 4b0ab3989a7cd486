import {
  type AudioStructure,
  type DurationRange,
  damaged,
  hasText,
  isPlausibleRate,
  maxCodecChannels,
  maxStepSamples,
  unreadable,
  viewOf,
} from '../structure.ts'
import { readFrameHeader, readStreamInfo } from './flac.ts'
import { opusPacketSamples, opusRateHz, vorbisPacketLength } from './ogg-packets.ts'
import { comparePageCounts, type OggPage, oggPages, type PacketLength, type PageCounts } from './ogg-pages.ts'

export type OggCodec = 'opus' | 'vorbis' | 'flac'

/** First bytes of the first packet of each codec. */
const marks: readonly (readonly [OggCodec, string])[] = [
  ['opus', 'OpusHead'],
  ['vorbis', '\u0001vorbis'],
  ['flac', '\u007fFLAC'],
]

const codecNames = { opus: 'Opus', vorbis: 'Vorbis', flac: 'FLAC' } as const

/** Max number of first pages. All streams of a file, such as a picture or an index, start before any sound. */
const maxFirstPages = 16

/** Tolerance between packets and page counts, for a cut or a pause in a recording. */
const looseSeconds = 1
const stepBytes = 1 << 16

/** One stream of sound; a file may have several in sequence. */
interface Link {
  readonly serial: number
  readonly rateHz: number
  readonly channelCount: number
  /** Opus: number of samples at the start that are not played. */
  readonly preSkip: number
  /** Returns the max number of samples per channel of an audio packet. */
  readonly packetSamples: (packet: Uint8Array) => number
  /** Number of samples that the header declares; 0 for none. */
  readonly declaredSamples: number
  readonly counts: PageCounts
  sequence: number
  /** Number of samples of the audio packets. */
  samples: number
  /** Count of the first page with sound, and the max number of samples up to its end. */
  first: { readonly granule: number; readonly samples: number } | null
  lastGranule: number
}

/** Returns the codec of the first known stream of sound in an Ogg file; null where there is none. */
export function oggCodec(bytes: Uint8Array): OggCodec | null {
  let offset = 0
  for (let page = 0; page < maxFirstPages && hasText(bytes, offset, 'OggS'); page += 1) {
    const segmentCount = bytes[offset + 26] ?? 0
    const start = offset + 27 + segmentCount
    const found = marks.find(([, mark]) => hasText(bytes, start, mark))
    if (found !== undefined) return found[0]
    const segments = bytes.subarray(offset + 27, start)
    offset = start + segments.reduce((sum, length) => sum + length, 0)
  }
  return null
}

/** @see RFC 7845 (Opus), the Vorbis I specification, and RFC 9639 section 10.1 (FLAC) */
export function readOgg(bytes: Uint8Array, codec: OggCodec): AudioStructure {
  const seconds = { min: 0, max: 0 }
  const stated: (number | null)[] = []
  const steps = createSteps(bytes)
  let link: Link | null = null
  let channelCount = 0
  const close = (): void => {
    if (link === null) return
    channelCount = link.channelCount
    const { min, max } = possibleSeconds(link, codec)
    seconds.min += min
    seconds.max += max
    stated.push(statedSecondsOf(link, codec))
    link = null
  }
  for (const page of oggPages(bytes)) {
    if (page.isFirst && isHead(page, codec)) {
      close()
      link = openLink(page, codec)
      steps.add(page, 0)
    } else if (link !== null && page.serial === link.serial) steps.add(page, readAudioPage(link, page))
  }
  close()
  const [statedSeconds = null, ...further] = stated
  return {
    codec: codecNames[codec],
    seconds,
    ...(statedSeconds === null || further.length > 0 ? {} : { statedSeconds, channelCount }),
    steps: steps.all,
  }
}

/** Collects pages of sound, several per step where they are small, without pages of other streams. */
function createSteps(bytes: Uint8Array): {
  add(page: OggPage, samples: number): void
  all(): Generator<Uint8Array>
} {
  const ranges: { from: number; end: number; samples: number }[] = []
  return {
    add({ offset, end }, samples) {
      const last = ranges.at(-1)
      if (last?.end === offset && end - last.from <= stepBytes && last.samples + samples <= maxStepSamples) {
        last.end = end
        last.samples += samples
      } else ranges.push({ from: offset, end, samples })
    },
    *all() {
      for (const { from, end } of ranges) yield bytes.subarray(from, end)
    },
  }
}

function isHead(page: OggPage, codec: OggCodec): boolean {
  const mark = marks.find(([name]) => name === codec)?.[1] ?? ''
  return page.packets[0] !== undefined && hasText(page.packets[0].bytes, 0, mark)
}

function openLink({ serial, sequence, packets }: OggPage, codec: OggCodec): Link {
  const head = packets[0]?.bytes ?? new Uint8Array()
  const facts = { opus: opusFacts, vorbis: vorbisFacts, flac: flacFacts }[codec](head)
  if (facts.channelCount < 1 || facts.channelCount > maxCodecChannels) {
    unreadable(`it has ${facts.channelCount} channels, and ${maxCodecChannels} are the most`)
  }
  if (!isPlausibleRate(facts.rateHz)) damaged(`its header says ${facts.rateHz} Hz`)
  const { packetLength, ...rest } = facts
  const counts = comparePageCounts(packetLength)
  return { ...rest, counts, serial, sequence, samples: 0, first: null, lastGranule: 0 }
}

type Facts = Pick<Link, 'rateHz' | 'channelCount' | 'preSkip' | 'packetSamples' | 'declaredSamples'> & {
  readonly packetLength: PacketLength
}

function opusFacts(head: Uint8Array): Facts {
  if (head.length < 19) damaged('its Opus header is incomplete')
  const packetSamples = (packet: Uint8Array): number =>
    hasText(packet, 0, 'OpusTags') ? 0 : opusPacketSamples(packet)
  return {
    rateHz: opusRateHz,
    channelCount: head[9] ?? 0,
    preSkip: viewOf(head).getUint16(10, true),
    packetSamples,
    packetLength: packetSamples,
    declaredSamples: 0,
  }
}

function vorbisFacts(head: Uint8Array): Facts {
  if (head.length < 30) damaged('its Vorbis header is incomplete')
  const maxBlock = 2 ** ((head[28] ?? 0) >> 4)
  return {
    rateHz: viewOf(head).getUint32(12, true),
    channelCount: head[11] ?? 0,
    preSkip: 0,
    // The first bit marks a header. A packet of sound yields at most half a block.
    packetSamples: (packet) => (((packet[0] ?? 1) & 1) === 1 ? 0 : maxBlock / 2),
    packetLength: vorbisPacketLength(head),
    declaredSamples: 0,
  }
}

function flacFacts(head: Uint8Array): Facts {
  const info = readStreamInfo(head.subarray(13))
  const packetSamples = (packet: Uint8Array): number =>
    packet[0] === 0xff ? (readFrameHeader(packet, 0)?.blockSize ?? 0) : 0
  return {
    rateHz: info.sampleRateHz,
    channelCount: info.channelCount,
    preSkip: 0,
    packetSamples,
    packetLength: packetSamples,
    declaredSamples: info.frameCount,
  }
}

/** @returns max number of samples of all channels that the page yields */
function readAudioPage(link: Link, page: OggPage): number {
  if (page.sequence !== link.sequence + 1) {
    damaged(`its Ogg page ${page.sequence} follows page ${link.sequence}`)
  }
  link.sequence = page.sequence
  link.counts.add(page)
  const begun = page.packets.filter(({ begins }) => begins)
  const samples = begun.reduce((sum, { bytes }) => sum + link.packetSamples(bytes), 0)
  const stepSamples = samples * link.channelCount
  if (stepSamples > maxStepSamples) unreadable('one of its Ogg pages holds more sound than encoders write')
  link.samples += samples
  if (samples === 0 || page.granule < 0) return stepSamples
  link.first ??= { granule: page.granule, samples: link.samples }
  link.lastGranule = Math.max(link.lastGranule, page.granule)
  return stepSamples
}

/** Returns null where only decoding shows the length. */
function statedSecondsOf({ counts, preSkip, samples, rateHz }: Link, codec: OggCodec): number | null {
  const counted = counts.exact()
  // No decoder cuts the end of FLAC.
  if (counted === null || counted <= preSkip || (codec === 'flac' && counted !== samples)) return null
  return (counted - preSkip) / rateHz
}

/** Returns the possible length: packets give the amount of sound, the last page's count the part that is played. */
function possibleSeconds(link: Link, codec: OggCodec): DurationRange {
  const { rateHz, preSkip, samples, first, lastGranule, declaredSamples } = link
  const before = first === null ? 0 : Math.max(0, first.granule - first.samples)
  const counted = (lastGranule - before - preSkip) / rateHz
  // Packets of Vorbis only show their max length.
  const coded = (samples - preSkip) / rateHz
  if (counted > coded + looseSeconds || (codec !== 'vorbis' && counted < coded - looseSeconds)) {
    damaged(`its pages count ${counted.toFixed(1)} s, its packets hold ${coded.toFixed(1)} s`)
  }
  if (declaredSamples !== 0 && declaredSamples !== samples) {
    damaged(`its header promises ${declaredSamples} samples, its packets hold ${samples}`)
  }
  const slack = 0.25
  return {
    min: Math.max(0, counted - slack),
    max: Math.max(counted, coded) + slack,
  }
}
