import {
  type AudioStructure,
  cutShort,
  damaged,
  hasText,
  soundStart,
  unreadable,
  viewOf,
} from '../structure.ts'

/** The header of an MPEG audio frame, layers I to III. */
export interface MpegFrame {
  readonly sizeBytes: number
  /** Number of samples per channel. */
  readonly sampleCount: number
  readonly sampleRateHz: number
  readonly channelCount: number
  readonly hasChecksum: boolean
  /** Such as 1, 2 or 2.5. */
  readonly version: number
  readonly layer: number
}

/** Bit rates in kbit/s by version 1 or 2, then layer. @see ISO/IEC 11172-3 and 13818-3, section 2.4.2.3 */
const bitRates: Readonly<Record<string, readonly number[]>> = {
  '1/1': [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1/2': [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1/3': [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2/1': [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2/2': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2/3': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
const sampleRates: Readonly<Record<number, readonly number[]>> = {
  1: [44_100, 48_000, 32_000],
  2: [22_050, 24_000, 16_000],
  2.5: [11_025, 12_000, 8_000],
}
const versions = [2.5, null, 2, 1] as const

/** Max number of frames per step: 64 × 1152 samples of two channels. */
const framesPerStep = 64

/** Tolerance in frames: the delays of encoder and decoder, padding, and loss at both ends of a cut file. */
const looseFrames = 5

/** Max bytes between frames that a decoder skips; more of them are lost audio. */
const maxLostShare = 0.01
const maxLostBytes = 4_096

/** Number of consecutive valid frames that prove sound, at its start and after other bytes. */
const provingFrames = 4
/** Max number of bytes before the first frame that are searched. */
const maxLeadBytes = 1 << 16

/** Returns the start of frames that are valid beyond chance; null where there are none near the beginning. */
export function mp3Start(bytes: Uint8Array): number | null {
  return startOfFrames<MpegFrame>({
    bytes,
    isStart: (offset) => isFreeFormat(bytes, offset) || isProven(bytes, offset),
    readFrame: (offset) => readMpegFrame(bytes, offset),
    areTwins,
  })
}

/**
 * Returns the first position near the beginning where `isStart` holds; bytes before it are skipped, as in decoders.
 * If one of the first frames is damaged, earlier frames still count: two consecutive twins of the frame at the start.
 */
export function startOfFrames<Frame extends { readonly sizeBytes: number }>(reader: {
  readonly bytes: Uint8Array
  isStart(offset: number): boolean
  readFrame(offset: number): Frame | null
  areTwins(left: Frame, right: Frame): boolean
}): number | null {
  const { bytes, isStart, readFrame, areTwins } = reader
  const find = (isWanted: (offset: number) => boolean, last: number): number | null => {
    for (let offset = bytes.indexOf(0xff); offset !== -1; offset = bytes.indexOf(0xff, offset + 1)) {
      if (offset > last) return null
      if (isWanted(offset)) return offset
    }
    return null
  }
  const start = find(isStart, maxLeadBytes)
  const proven = start === null ? null : readFrame(start)
  if (start === null || proven === null) return start
  const isTwinAt = (offset: number): boolean => {
    const frame = readFrame(offset)
    return frame !== null && areTwins(frame, proven)
  }
  const isPairAt = (offset: number): boolean =>
    isTwinAt(offset) && isTwinAt(offset + (readFrame(offset)?.sizeBytes ?? 0))
  return find((offset) => offset === start || isPairAt(offset), start)
}

/** Recognises free format only at the very start, because the sizes of its frames are not declared. */
function isFreeFormat(bytes: Uint8Array, offset: number): boolean {
  const [first, second = 0, third = 0xff] = bytes.subarray(offset, offset + 3)
  const isFrame = first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x18) !== 0x08 && (second & 6) !== 0
  return offset === 0 && isFrame && third >> 4 === 0 && (third & 0x0c) !== 0x0c
}

function isProven(bytes: Uint8Array, start: number): boolean {
  const first = readMpegFrame(bytes, start)
  let offset = start
  for (let count = 0; count < provingFrames; count += 1) {
    const frame = readMpegFrame(bytes, offset)
    if (first === null || frame === null || !areAlike(frame, first)) return false
    offset += frame.sizeBytes
    if (offset > bytes.length) return false
    if (isEndOrTag(bytes, offset)) return true
  }
  return true
}

function areAlike(left: MpegFrame, right: MpegFrame): boolean {
  return left.sampleRateHz === right.sampleRateHz && left.layer === right.layer
}

/** Compares all fields that do not change from frame to frame. */
function areTwins(left: MpegFrame, right: MpegFrame): boolean {
  return (
    areAlike(left, right) &&
    left.channelCount === right.channelCount &&
    left.hasChecksum === right.hasChecksum
  )
}

/** @see ISO/IEC 11172-3 and 13818-3 */
export function readMp3(bytes: Uint8Array): AudioStructure {
  const start = mp3Start(bytes) ?? 0
  if (isFreeFormat(bytes, start)) unreadable('it is of free format, without a bit rate')
  let [frames, samples, lostBytes, end] = [0, 0, 0, start]
  let first: MpegFrame | null = null
  for (const { offset, frame } of mpegFrames(bytes, start)) {
    first ??= frame
    if (!areAlike(frame, first)) damaged(`at byte ${offset} its sample rate changes`)
    if (frames > 0) lostBytes += offset - end
    frames += 1
    samples += frame.sampleCount
    end = offset + frame.sizeBytes
  }
  if (first === null) damaged('it has no whole frame')
  if (lostBytes > maxLostBytes && lostBytes > (end - start) * maxLostShare) {
    damaged(`${lostBytes} bytes between its frames are none`)
  }
  const tagged = readXingTag(bytes, start, first)
  checkXing(tagged, frames, bytes.length - start)
  const { sampleRateHz, sampleCount } = first
  const seconds = samples / sampleRateHz
  return {
    codec: first.layer === 3 ? 'MP3' : `MPEG layer ${first.layer}`,
    seconds: { min: Math.max(0, seconds - (looseFrames * sampleCount) / sampleRateHz), max: seconds },
    steps: () => stepsOf(bytes, mpegFrames(bytes, start), framesPerStep),
  }
}

/** Yields several frames at a time, without the bytes between them, which a decoder might take for sound. */
export function* stepsOf(
  bytes: Uint8Array,
  frames: Iterable<{ readonly offset: number; readonly frame: { readonly sizeBytes: number } }>,
  framesPerStep: number,
): Generator<Uint8Array> {
  let [from, end, count] = [0, 0, 0]
  for (const { offset, frame } of frames) {
    if (count === framesPerStep || offset !== end) {
      if (count > 0) yield bytes.subarray(from, end)
      from = offset
      count = 0
    }
    end = offset + frame.sizeBytes
    count += 1
  }
  yield bytes.subarray(from, end)
}

/**
 * Yields every frame that another frame, a tag or the file's end follows. Other bytes are skipped, as in decoders,
 * until enough consecutive frames are valid.
 */
function* mpegFrames(
  bytes: Uint8Array,
  start: number,
): Generator<{ readonly offset: number; readonly frame: MpegFrame }> {
  let [offset, expected] = [start, start]
  let last: MpegFrame | null = null
  while (offset + 4 <= bytes.length) {
    const frame = readMpegFrame(bytes, offset)
    const end = offset + (frame?.sizeBytes ?? 0)
    const isWhole = frame !== null && end <= bytes.length && isFrameOrTag(bytes, end)
    const follows = frame !== null && offset === expected && areAlike(frame, last ?? frame)
    if (isWhole && (follows || isProven(bytes, offset))) {
      yield { offset, frame }
      last = frame
      offset = expected = end
    } else if (hasText(bytes, offset, 'ID3')) {
      offset += soundStart(bytes.subarray(offset))
      expected = offset
    } else {
      const next = bytes.indexOf(0xff, offset + 1)
      if (next === -1) return
      offset = next
    }
  }
}

function isFrameOrTag(bytes: Uint8Array, offset: number): boolean {
  // Some files are padded with zeros.
  const isFollowed = isEndOrTag(bytes, offset) || viewOf(bytes).getUint32(offset) === 0
  return isFollowed || readMpegFrame(bytes, offset) !== null
}

function isEndOrTag(bytes: Uint8Array, offset: number): boolean {
  if (offset + 4 > bytes.length) return true
  return ['TAG', 'ID3', 'APETAGEX', 'LYRICSBEGIN'].some((tag) => hasText(bytes, offset, tag))
}

/** @returns null for bytes that are not the header of a frame */
export function readMpegFrame(bytes: Uint8Array, offset: number): MpegFrame | null {
  const at = (index: number): number => bytes[offset + index] ?? 0
  if (at(0) !== 0xff || (at(1) & 0xe0) !== 0xe0) return null
  const version = versions[(at(1) >> 3) & 3] ?? null
  const layer = 4 - ((at(1) >> 1) & 3)
  const sampleRateHz = version === null ? undefined : sampleRates[version]?.[(at(2) >> 2) & 3]
  const rateVersion = version === 1 ? 1 : 2
  const bitRate = bitRates[`${rateVersion}/${layer}`]?.[at(2) >> 4]
  // A bit rate of 0 is free format, in which only the distance between two frames gives their size.
  if (version === null || sampleRateHz === undefined || bitRate === undefined || bitRate === 0) return null
  const padding = (at(2) >> 1) & 1
  const sampleCount = layer === 1 ? 384 : layer === 3 && rateVersion === 2 ? 576 : 1152
  const sizeBytes =
    layer === 1
      ? (Math.floor((12_000 * bitRate) / sampleRateHz) + padding) * 4
      : Math.floor((sampleCount * 125 * bitRate) / sampleRateHz) + padding
  const channelCount = at(3) >> 6 === 3 ? 1 : 2
  const hasChecksum = (at(1) & 1) === 0
  return { sizeBytes, sampleCount, sampleRateHz, channelCount, hasChecksum, version, layer }
}

interface XingTag {
  /** Null where the tag does not have it. */
  readonly frameCount: number | null
  readonly byteCount: number | null
}

/**
 * Reads the tag that encoders write into the first frame, after its side information.
 *
 * @see https://www.codeproject.com/Articles/8295/MPEG-Audio-Frame-Header#XINGHeader
 */
function readXingTag(bytes: Uint8Array, start: number, { version, channelCount }: MpegFrame): XingTag {
  const sideBytes = version === 1 ? (channelCount === 1 ? 17 : 32) : channelCount === 1 ? 9 : 17
  const tag = start + 4 + sideBytes
  if (!hasText(bytes, tag, 'Xing') && !hasText(bytes, tag, 'Info'))
    return { frameCount: null, byteCount: null }
  if (tag + 16 > bytes.length) return { frameCount: null, byteCount: null }
  const view = viewOf(bytes)
  const flags = view.getUint32(tag + 4)
  return {
    frameCount: (flags & 1) === 0 ? null : view.getUint32(tag + 8),
    byteCount: (flags & 2) === 0 ? null : view.getUint32(tag + ((flags & 1) === 0 ? 8 : 12)),
  }
}

/**
 * Rejects fewer frames than the tag declares. Some encoders count the tag's own frame, and 0 comes from encoders that
 * could not seek back. More frames come from joined files, which players play as a whole.
 */
function checkXing({ frameCount, byteCount }: XingTag, frames: number, availableBytes: number): void {
  if (byteCount !== null && byteCount > availableBytes) {
    cutShort(`its header promises ${byteCount} bytes, ${availableBytes} are there`)
  }
  if (frameCount !== null && frameCount - (frames - 1) > looseFrames) {
    cutShort(`its header promises ${frameCount} frames, ${frames - 1} are there`)
  }
}
