/**
 * Bytes to samples: detects formats, decodes, resamples, measures, writes WAV.
 * Never touches files, and never throws over bad audio: what cannot be used is an outcome with a reason.
 *
 *   const decoded = await decodeSound(bytes)
 *   if (!decoded.ok) return decoded.failure.reason
 *   const samples = await resample(decoded.value, 16_000)
 */
export { type ActiveLevel, activeLevel, activeLevelMeter, peakOf, rmsLevel } from './active-level.ts'
export { type DecodedAudio, decodeParts } from './decoding.ts'
export {
  type AudioLength,
  type AudioProbe,
  probeAudio,
  probeAudioHead,
  startsInverted,
  statedLength,
} from './probing.ts'
export { resample } from './resampling.ts'
export { decodeSound, encodeWav, monoStream, pcmStream, soundStream } from './sound-stream.ts'
export { type AudioFailure, maxFileBytes } from './structure.ts'
