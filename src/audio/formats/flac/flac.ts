import { damaged, unreadable } from '../../damage.ts'
import { soundStart, viewOf } from '../../read-bytes.ts'
import { type AudioStructure, exactly, isPlausibleRate, maxStepSamples } from '../../structure.ts'
import { explicitFrame } from './flac-explicit.ts'
import { type FlacFrame, readFrameHeader } from './flac-frames.ts'

/** What STREAMINFO says. */
export interface FlacStreamInfo {
  /** 0 where only the frames say it. */
  readonly sampleRateHz: number
  readonly channelCount: number
  readonly sampleBits: number
  /** Samples of each channel; 0 where the encoder could not know. */
  readonly frameCount: number
}

const streamInfoBytes = 34
const stepBytes = 1 << 18

/** @see RFC 9639 sections 6 to 9 */
export function readFlac(bytes: Uint8Array): AudioStructure {
  const start = soundStart(bytes)
  const { info, end } = readMetadata(bytes, start)
  const survey = surveyFrames(bytes, end, info)
  if (info.frameCount > survey.frameCount) {
    damaged(`its header promises ${info.frameCount} samples, its frames hold ${survey.frameCount}`)
  }
  if (info.frameCount !== 0 && info.frameCount < survey.frameCount) {
    damaged(`its frames hold ${survey.frameCount} samples, its header promises ${info.frameCount}`)
  }
  const seconds = survey.frameCount / survey.sampleRateHz
  return {
    codec: 'FLAC',
    seconds: exactly(seconds),
    statedSeconds: seconds,
    steps: () => (survey.isImplicit ? explicitSteps(bytes, end, info) : steps(bytes, start, end, info)),
  }
}

/** Stretches of whole frames; the first one begins with the metadata. */
function* steps(bytes: Uint8Array, start: number, end: number, info: FlacStreamInfo): Generator<Uint8Array> {
  let [from, samples] = [start, 0]
  for (const { offset, blockSize } of flacFrames(bytes, end, info)) {
    samples += blockSize * info.channelCount
    if (samples <= maxStepSamples && offset - from < stepBytes) continue
    if (offset > from) yield bytes.subarray(from, offset)
    from = offset
    samples = blockSize * info.channelCount
  }
  yield bytes.subarray(from)
}

/** Frame after frame, each with what it leaves to the metadata. */
function* explicitSteps(bytes: Uint8Array, end: number, info: FlacStreamInfo): Generator<Uint8Array> {
  let previous: number | null = null
  for (const { offset } of flacFrames(bytes, end, info)) {
    if (previous !== null) yield explicitFrame(bytes.subarray(previous, offset), info)
    previous = offset
  }
  if (previous !== null) yield explicitFrame(bytes.subarray(previous), info)
}

/** Blocks of metadata: STREAMINFO is the first of them. */
function readMetadata(bytes: Uint8Array, start: number): { info: FlacStreamInfo; end: number } {
  const view = viewOf(bytes)
  let offset = start + 4
  for (;;) {
    if (offset + 4 > bytes.length) damaged('its metadata is incomplete')
    const head = view.getUint32(offset)
    offset += 4 + (head & 0xff_ffff)
    if (head >>> 31 === 1) break
  }
  if (offset > bytes.length) damaged('its metadata is incomplete')
  return { info: readStreamInfo(bytes.subarray(start + 4)), end: offset }
}

/** @param block the block's own head, and what follows */
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
    channelCount: ((fields >>> 9) & 7) + 1,
    sampleBits: ((fields >>> 4) & 31) + 1,
    frameCount: (view.getUint8(17) & 0x0f) * 2 ** 32 + view.getUint32(18),
  }
}

/** Adds up all frames. A gap in their numbers is sound that is missing. */
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
 * The frames of a stream by their headers: a sync code, fields that agree with STREAMINFO, and a checksum. Between
 * two frames the same bytes come up by chance once in a gigabyte.
 */
function* flacFrames(
  bytes: Uint8Array,
  start: number,
  { channelCount, sampleRateHz }: FlacStreamInfo,
): Generator<FlacFrame> {
  for (let offset = bytes.indexOf(0xff, start); offset !== -1; offset = bytes.indexOf(0xff, offset + 1)) {
    const frame = readFrameHeader(bytes, offset)
    if (frame === null || frame.channelCount !== channelCount) continue
    if (frame.sampleRateHz !== null && sampleRateHz !== 0 && frame.sampleRateHz !== sampleRateHz) continue
    yield frame
  }
}
