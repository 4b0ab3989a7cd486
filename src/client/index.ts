/**
 * Speaks the Local Transcription API to a running service: finds it, keeps connections open, sends audio by
 * path or as base64, and reports the answer and its times. Never starts a service, never retries a request that
 * may have been received, never judges an answer's text, never logs.
 *
 *   const target = await resolveTarget('auto', { env: process.env, home: homedir(), platform: process.platform })
 *   if (target.kind === 'embedded') throw new Error('start the service, then resolve its discovery file')
 *   await using connection = await connect(target, { clock: systemClock, connections: 4 })
 */
export { connect } from './connect.ts'
export type {
  AudioInput,
  CallTimes,
  Connection,
  PostProcessCall,
  TimedPostProcess,
  TranscribeCall,
  TranscribeResult,
} from './connection/connection.ts'
export { clientErrors } from './errors.ts'
export { openProviderServer } from './provider-server.ts'
export {
  parseServerAddress,
  readServerKey,
  refuseCredentials,
  type ServerAddress,
} from './server-address.ts'
export type { RunningTarget, Target, TargetWarning } from './target.ts'
export { resolveTarget } from './target.ts'
export { bodyBytesOf } from './transcribe.ts'
export type {
  ListedModel,
  Resent,
  ServerCall,
  ServerResult,
  TranscriptionServer,
} from './transcription-server.ts'
export { openTranscriptionServer } from './transcription-server.ts'
