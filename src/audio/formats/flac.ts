import {
  type AudioStructure,
  cutShort,
  damaged,
  exactly,
  isPlausibleRate,
  maxStepSamples,
  unreadable,
  viewOf,
} from '../structure.ts'

export interface FlacStreamInfo {
  /** 0 where only the frames have it. */
  readonly sampleRateHz: number
  readonly channelCount: number
  readonly sampleBits: number
  /** Max number of samples per channel in a frame. */
  readonly maxBlockSize: number
  /** Number of samples per channel; 0 where the encoder did not know it. */
  readonly frameCount: number
}

const streamInfoBytes = 34
const stepBytes = 1 << 18

/** @see RFC 9639 sections 6 to 9 */
export function readFlac(bytes: Uint8Array): AudioStructure {
  const { info, end } = readMetadata(bytes)
  const survey = surveyFrames(bytes, end, info)
  if (info.frameCount !== 0 && info.frameCount < survey.frameCount) {
    damaged(`its frames hold ${survey.frameCount} samples, its header promises ${info.frameCount}`)
  }
  const seconds = survey.frameCount / survey.sampleRateHz
  return {
    codec: 'FLAC',
    seconds: exactly(seconds),
    statedSeconds: seconds,
    channelCount: info.channelCount,
    steps: () => (survey.isImplicit ? explicitSteps(bytes, end, info) : steps(bytes, end, info)),
  }
}

/** Yields parts of whole frames; the first one starts with the metadata. */
function* steps(bytes: Uint8Array, start: number, info: FlacStreamInfo): Generator<Uint8Array> {
  let [from, to, samples] = [0, start, 0]
  for (const { offset, end, blockSize } of flacFrames(bytes, start, info)) {
    samples += blockSize * info.channelCount
    to = end
    if (samples <= maxStepSamples && offset - from < stepBytes) continue
    if (offset > from) yield bytes.subarray(from, offset)
    from = offset
    samples = blockSize * info.channelCount
  }
  yield bytes.subarray(from, to)
}

/** Yields each frame, with the fields that it leaves to the metadata. */
function* explicitSteps(bytes: Uint8Array, start: number, info: FlacStreamInfo): Generator<Uint8Array> {
  for (const { offset, end } of flacFrames(bytes, start, info)) {
    yield explicitFrame(bytes.subarray(offset, end), info)
  }
}

/** Reads the blocks of metadata, of which STREAMINFO is the first. */
function readMetadata(bytes: Uint8Array): { info: FlacStreamInfo; end: number } {
  const view = viewOf(bytes)
  let offset = 4
  for (;;) {
    if (offset + 4 > bytes.length) damaged('its metadata is incomplete')
    const head = view.getUint32(offset)
    offset += 4 + (head & 0xff_ffff)
    if (head >>> 31 === 1) break
  }
  if (offset > bytes.length) damaged('its metadata is incomplete')
  return { info: readStreamInfo(bytes.subarray(4)), end: offset }
}

/** @param block the block with its header, and what follows */
export function readStreamInfo(block: Uint8Array): FlacStreamInfo {
  const view = viewOf(block)
  if (block.length < 4 + streamInfoBytes || (view.getUint32(0) & 0x7fff_ffff) !== streamInfoBytes) {
    damaged('it does not begin with STREAMINFO')
  }
  const fields = view.getUint32(14)
  const sampleRateHz = fields >>> 12
  if (sampleRateHz !== 0 && !isPlausibleRate(sampleRateHz)) damaged(`its header says ${sampleRateHz} Hz`)
  return {
    sampleRateHz,
    maxBlockSize: view.getUint16(6),
    channelCount: ((fields >>> 9) & 7) + 1,
    sampleBits: ((fields >>> 4) & 31) + 1,
    frameCount: (view.getUint8(17) & 0x0f) * 2 ** 32 + view.getUint32(18),
  }
}

/** Adds up all frames. A gap in their numbers means that sound is missing. */
function surveyFrames(
  bytes: Uint8Array,
  start: number,
  info: FlacStreamInfo,
): { readonly frameCount: number; readonly sampleRateHz: number; readonly isImplicit: boolean } {
  let [frameCount, isImplicit] = [0, false]
  let previous: FlacFrame | null = null
  let sampleRateHz = info.sampleRateHz
  for (const frame of flacFrames(bytes, start, info)) {
    if (sampleRateHz === 0) sampleRateHz = frame.sampleRateHz ?? 0
    if (previous !== null) checkSuccession(previous, frame)
    if (frame.blockSize > info.maxBlockSize) {
      damaged(
        `a frame holds ${frame.blockSize} samples, its header promises ${info.maxBlockSize} at the most`,
      )
    }
    if ((frame.sampleBits ?? info.sampleBits) !== info.sampleBits) {
      damaged(`a frame has samples of ${frame.sampleBits} bits, its header promises ${info.sampleBits}`)
    }
    frameCount += frame.blockSize
    isImplicit ||= frame.isImplicit
    previous = frame
  }
  if (previous !== null && sampleRateHz === 0) unreadable('it says nowhere what its sample rate is')
  return { frameCount, sampleRateHz: Math.max(1, sampleRateHz), isImplicit }
}

function checkSuccession(previous: FlacFrame, { number, offset }: FlacFrame): void {
  const next = previous.number + (previous.isVariable ? previous.blockSize : 1)
  if (number !== next) damaged(`at byte ${offset} frame ${number} comes, where ${next} should`)
}

/**
 * Yields the frames of a stream. No field has the end of a frame. The next header has a sync code, fields that agree
 * with STREAMINFO and an 8-bit checksum, which occur by chance in noise of 100 MB. The frame before it therefore also
 * needs a valid 16-bit checksum. Other data may follow the last sample that STREAMINFO declares.
 */
function* flacFrames(
  bytes: Uint8Array,
  start: number,
  info: FlacStreamInfo,
): Generator<FlacFrame & { readonly end: number }> {
  const headerAt = (offset: number): FlacFrame | null => {
    const frame = bytes[offset] === 0xff ? readFrameHeader(bytes, offset) : null
    if (frame === null || frame.channelCount !== info.channelCount) return null
    const isOther = frame.sampleRateHz !== null && info.sampleRateHz !== 0
    return isOther && frame.sampleRateHz !== info.sampleRateHz ? null : frame
  }
  let sampleCount = 0
  for (let frame = headerAt(start); frame !== null; ) {
    sampleCount += frame.blockSize
    const isLast = sampleCount === info.frameCount
    const { end, next } = endOfFrame(bytes, frame, headerAt)
    if (end === null || (next === null && !isLast && end < bytes.length)) {
      const number = frame.number + (frame.isVariable ? frame.blockSize : 1)
      if (hasFrame(bytes, frame.offset + 1, headerAt, number)) {
        damaged(`at byte ${frame.offset} the checksum of its frame ${frame.number} is wrong`)
      }
      if (info.frameCount === 0) cutShort('its last frame is incomplete')
      sampleCount -= frame.blockSize
      break
    }
    yield { ...frame, end }
    frame = next
  }
  if (sampleCount < info.frameCount) {
    cutShort(`its header promises ${info.frameCount} samples, its frames hold ${sampleCount}`)
  }
}

/** Returns where the checksum is valid and a frame or the file's end follows, else where it is last valid. */
function endOfFrame(
  bytes: Uint8Array,
  { offset, headerBytes }: FlacFrame,
  headerAt: (offset: number) => FlacFrame | null,
): { readonly end: number | null; readonly next: FlacFrame | null } {
  let sum = 0
  let end: number | null = null
  for (let at = offset; at < bytes.length; at += 1) {
    if (sum === 0 && at > offset + headerBytes) {
      const next = headerAt(at)
      if (next !== null) return { end: at, next }
      end = at
    }
    sum = crc16Step(sum, bytes[at] as number)
  }
  return { end: sum === 0 ? bytes.length : end, next: null }
}

/** Whether a frame with this number occurs anywhere later. */
function hasFrame(
  bytes: Uint8Array,
  start: number,
  headerAt: (offset: number) => FlacFrame | null,
  number: number,
): boolean {
  for (let at = bytes.indexOf(0xff, start); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    if (headerAt(at)?.number === number) return true
  }
  return false
}

/** Bits per sample by code; null where STREAMINFO has them, and for the code without a meaning. */
const sampleSizes: readonly (number | null)[] = [null, 8, 12, null, 16, 20, 24, 32]

/**
 * Writes into a frame the fields that it leaves to STREAMINFO: sample rate and bits per sample. The decoder gets only
 * frames.
 *
 * @param frame a whole frame, up to the next one
 * @see RFC 9639 sections 9.1.2, 9.1.4 and 9.3
 */
function explicitFrame(
  frame: Uint8Array,
  { sampleRateHz, sampleBits }: { readonly sampleRateHz: number; readonly sampleBits: number },
): Uint8Array {
  const header = readFrameHeader(frame, 0)
  if (header === null) damaged('one of its frames is damaged')
  const [third = 0, fourth = 0] = frame.subarray(2, 4)
  const rate = (third & 15) === 0 ? codedRate(sampleRateHz) : { code: third & 15, extra: [] }
  const sizeCode = header.sampleBits === null ? sampleSizes.indexOf(sampleBits) : (fourth >> 1) & 7
  if (sizeCode === -1) unreadable(`its samples are of ${sampleBits} bits`)
  const head = Buffer.from([
    ...frame.subarray(0, 2),
    (third & 0xf0) | rate.code,
    (fourth & 0xf0) | (sizeCode << 1),
    ...frame.subarray(4, header.headerBytes - 1),
    ...rate.extra,
  ])
  const body = Buffer.concat([head, Buffer.from([crc8(head)]), frame.subarray(header.headerBytes, -2)])
  const checksum = Buffer.alloc(2)
  checksum.writeUInt16BE(body.reduce(crc16Step, 0))
  return Buffer.concat([body, checksum])
}

/** Encodes a sample rate for a frame's header: a code, for some with a number after the header. */
function codedRate(sampleRateHz: number): { readonly code: number; readonly extra: readonly number[] } {
  if (sampleRateHz % 1_000 === 0 && sampleRateHz <= 255_000)
    return { code: 12, extra: [sampleRateHz / 1_000] }
  if (sampleRateHz <= 0xffff) return { code: 13, extra: [sampleRateHz >> 8, sampleRateHz & 0xff] }
  const tens = sampleRateHz / 10
  if (!Number.isInteger(tens)) unreadable(`its sample rate is ${sampleRateHz} Hz`)
  return { code: 14, extra: [tens >> 8, tens & 0xff] }
}

/** The header of a frame. @see RFC 9639 section 9.1 */
interface FlacFrame {
  readonly offset: number
  /** Number of samples per channel. */
  readonly blockSize: number
  readonly channelCount: number
  /** Null where STREAMINFO has it. */
  readonly sampleRateHz: number | null
  /** Null where STREAMINFO has them. */
  readonly sampleBits: number | null
  /** Number of the frame where all blocks have the same size, otherwise number of its first sample. */
  readonly number: number
  readonly isVariable: boolean
  readonly headerBytes: number
  /** Whether the sample rate or the bits per sample are left to STREAMINFO. */
  readonly isImplicit: boolean
}

const codedRates = [
  null,
  88_200,
  176_400,
  192_000,
  8_000,
  16_000,
  22_050,
  24_000,
  32_000,
  44_100,
  48_000,
  96_000,
] as const

/** @returns null for bytes that are not the header of a frame */
export function readFrameHeader(bytes: Uint8Array, offset: number): FlacFrame | null {
  const at = (index: number): number => bytes[offset + index] ?? 0
  if (at(0) !== 0xff || (at(1) & 0xfe) !== 0xf8 || (at(3) & 1) !== 0) return null
  const [sizeCode, rateCode, channelCode] = [at(2) >> 4, at(2) & 15, at(3) >> 4]
  if (sizeCode === 0 || rateCode === 15 || channelCode > 10) return null
  const numberBytes = codedNumberBytes(at(4))
  if (numberBytes === 0) return null
  let end = 4 + numberBytes
  let blockSize = sizeCode === 1 ? 192 : sizeCode <= 5 ? 576 << (sizeCode - 2) : 256 << (sizeCode - 8)
  if (sizeCode === 6) blockSize = at(end) + 1
  if (sizeCode === 7) blockSize = (at(end) << 8) + at(end + 1) + 1
  end += sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0
  let sampleRateHz = codedRates[rateCode] ?? null
  if (rateCode === 12) sampleRateHz = at(end) * 1000
  if (rateCode > 12) sampleRateHz = ((at(end) << 8) + at(end + 1)) * (rateCode === 13 ? 1 : 10)
  end += rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0
  if (offset + end >= bytes.length || crc8(bytes.subarray(offset, offset + end)) !== at(end)) return null
  return {
    offset,
    blockSize,
    channelCount: channelCode < 8 ? channelCode + 1 : 2,
    sampleRateHz,
    sampleBits: sampleSizes[(at(3) >> 1) & 7] ?? null,
    number: codedNumber(bytes, offset + 4, numberBytes),
    isVariable: (at(1) & 1) === 1,
    headerBytes: end + 1,
    isImplicit: rateCode === 0 || ((at(3) >> 1) & 7) === 0,
  }
}

/** Length of a number that is coded like a character in UTF-8, in up to seven bytes. @returns 0 for an invalid byte */
function codedNumberBytes(first: number): number {
  if (first < 0x80) return 1
  const ones = Math.clz32(~(first << 24))
  return ones >= 2 && ones <= 7 ? ones : 0
}

function codedNumber(bytes: Uint8Array, offset: number, count: number): number {
  const first = bytes[offset] ?? 0
  if (count === 1) return first
  let number = first & (0x7f >> count)
  for (let index = 1; index < count; index += 1) number = number * 64 + ((bytes[offset + index] ?? 0) & 0x3f)
  return number
}

/** CRC-8 with the polynomial x^8 + x^2 + x + 1. */
function crc8(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) sum = checksums[sum ^ byte] as number
  return sum
}

const checksums: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit += 1) sum = (sum & 0x80) === 0 ? sum << 1 : ((sum << 1) ^ 7) & 0xff
  return sum
})

const checksums16: Uint16Array = Uint16Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 8
  for (let bit = 0; bit < 8; bit += 1) sum = (sum & 0x8000) === 0 ? sum << 1 : (sum << 1) ^ 0x8005
  return sum & 0xffff
})

/** Updates a CRC-16 with the polynomial x^16 + x^15 + x^2 + 1; it is 0 over a frame with its own checksum. */
function crc16Step(sum: number, byte: number): number {
  return ((sum << 8) & 0xffff) ^ (checksums16[(sum >> 8) ^ byte] as number)
}
