/**
 * Bytes to samples: detects formats, decodes, resamples, measures, writes WAV.
 * Never touches files, and never throws over bad audio: what cannot be used is an outcome with a reason.
 *
 *   const decoded = await decodeAudio(bytes)
 *   if (!decoded.ok) return decoded.failure.reason
 *   const samples = await toMono(decoded.value, 16_000)
 */
export type { ActiveLevel } from './active-level.ts'
export { activeLevel, peakOf, rmsLevel } from './active-level.ts'
export type { AudioFailure, DecodedAudio } from './decoding.ts'
export { decodeAudio } from './decoding.ts'
export { monoStream } from './mono-stream.ts'
export type { PcmPart } from './pcm-stream.ts'
export { pcmStream } from './pcm-stream.ts'
export type { AudioLength, AudioProbe } from './probing.ts'
export { probeAudio, probeAudioHead, statedLength } from './probing.ts'
export { toMono } from './resampling.ts'
export { encodeWav } from './wav-encoding.ts'
