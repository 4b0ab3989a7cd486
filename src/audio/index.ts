/**
 * Bytes to samples: detects formats, decodes, resamples, measures, writes WAV.
 * Never touches files, and never throws over bad audio: what cannot be used is an outcome with a reason.
 *
 *   const decoded = await decodeSound(bytes)
 *   if (!decoded.ok) return decoded.failure.reason
 *   const samples = await resample(decoded.value, 16_000)
 */
export type { ActiveLevel } from './active-level.ts'
export { activeLevel, activeLevelMeter, peakOf, rmsLevel } from './active-level.ts'
export type { DecodedAudio } from './decoding.ts'
export { decodeParts } from './decoding.ts'
export type { AudioLength, AudioProbe } from './probing.ts'
export { probeAudio, probeAudioHead, startsInverted, statedLength } from './probing.ts'
export { resample } from './resampling.ts'
export { decodeSound, monoStream, pcmStream, soundStream } from './sound-stream.ts'
export type { AudioFailure } from './structure.ts'
export { maxFileBytes } from './structure.ts'
export { encodeWav } from './wav-encoding.ts'
