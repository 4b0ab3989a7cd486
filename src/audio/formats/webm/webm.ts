import { damaged, unreadable } from '../../damage.ts'
import { textAt } from '../../read-bytes.ts'
import { type AudioStructure, maxCodecChannels } from '../../structure.ts'
import { opusPacketSamples, opusRateHz } from '../ogg/opus-packet.ts'
import { elements, unsigned } from './ebml.ts'
import { type Block, readBlock } from './webm-blocks.ts'

const ids = {
  timestampScale: 0x2ad7b1,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codec: 0x86,
  channels: 0x9f,
  clusterTimestamp: 0xe7,
  simpleBlock: 0xa3,
  block: 0xa1,
} as const

const soundTrack = 2
const usualScaleNs = 1_000_000

/** A step ends with a block: after so many bytes, or frames of sound. */
const stepBytes = 1 << 14
const stepFrames = 32

/** What an encoder's delay, the last packet and rounded times come to. */
const looseSeconds = 1

/** What is known of the first track of sound, and what its blocks come to. */
interface Track {
  number: number
  type: number
  codec: string
  channelCount: number
}

/** @see RFC 9559 (Matroska) and RFC 8794 (EBML) */
export function readWebm(bytes: Uint8Array): AudioStructure {
  const found = survey(bytes)
  if (found.track === null) damaged('it has no track of sound')
  const { codec } = found.track
  // Packets of Opus say how long they are; of other codecs the times of the blocks do.
  const isOpus = codec === 'A_OPUS'
  const seconds = isOpus ? found.opusSamples / opusRateHz : found.lastSeconds - (found.firstSeconds ?? 0)
  return {
    codec: null,
    seconds: { min: Math.max(0, seconds - looseSeconds), max: seconds + looseSeconds },
    *steps() {
      let from = 0
      for (const end of found.ends) {
        yield bytes.subarray(from, end)
        from = end
      }
      if (from < bytes.length) yield bytes.subarray(from)
    },
  }
}

interface Survey {
  track: Track | null
  opusSamples: number
  firstSeconds: number | null
  lastSeconds: number
  /** Where the steps end. */
  readonly ends: number[]
}

function survey(bytes: Uint8Array): Survey {
  const found: Survey = { track: null, opusSamples: 0, firstSeconds: null, lastSeconds: 0, ends: [] }
  let track: Track = { number: 0, type: 0, codec: '', channelCount: 1 }
  let [scaleNs, clusterTime, from, frames] = [usualScaleNs, 0, 0, 0]
  for (const { id, start, end } of elements(bytes)) {
    if (id === ids.timestampScale) scaleNs = unsigned(bytes, start, end)
    if (id === ids.trackEntry) track = { number: 0, type: 0, codec: '', channelCount: 1 }
    if (id === ids.trackNumber) track.number = unsigned(bytes, start, end)
    if (id === ids.trackType) track.type = unsigned(bytes, start, end)
    if (id === ids.codec) track.codec = textAt(bytes, start, end - start)
    if (id === ids.channels) track.channelCount = unsigned(bytes, start, end)
    if (found.track === null && track.type === soundTrack) found.track = track
    if (id === ids.clusterTimestamp) clusterTime = unsigned(bytes, start, end)
    if (id !== ids.simpleBlock && id !== ids.block) continue
    const block = readBlock(bytes, start, end)
    if (block.track !== found.track?.number) continue
    checkTrack(found.track)
    frames += addBlock(found, block, ((clusterTime + block.time) * scaleNs) / 1e9)
    if (end - from < stepBytes && frames < stepFrames) continue
    found.ends.push(end)
    from = end
    frames = 0
  }
  return found
}

function checkTrack({ channelCount }: Track): void {
  if (channelCount > maxCodecChannels) {
    unreadable(`it has ${channelCount} channels, and ${maxCodecChannels} are the most`)
  }
}

/** @returns how many frames the block has */
function addBlock(found: Survey, { frames }: Block, seconds: number): number {
  found.firstSeconds ??= seconds
  found.lastSeconds = Math.max(found.lastSeconds, seconds)
  if (found.track?.codec === 'A_OPUS') {
    found.opusSamples += frames.reduce((sum, frame) => sum + opusPacketSamples(frame), 0)
  }
  return frames.length
}
