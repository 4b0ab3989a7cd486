/**
 * Speaks the Local Transcription API to a running service: finds it, keeps connections open, sends audio by
 * path or as base64, and reports the answer and its times. Never starts a service, never retries a request that
 * may have been received, never judges an answer's text, never logs.
 *
 *   const target = await resolveTarget('auto', { env: process.env, home: homedir(), platform: process.platform })
 *   if (target.kind === 'embedded') throw new Error('start the service, then resolve its discovery file')
 *   await using connection = await connect(target, { clock: systemClock, connections: 4 })
 */

export {
  type AudioInput,
  bodyBytesOf,
  type Connection,
  type PostProcessCall,
  type TimedPostProcess,
  type TranscribeCall,
  type TranscribeResult,
} from './connection.ts'
export { clientErrors } from './errors.ts'
export {
  parseServerAddress,
  readServerKey,
  refuseCredentials,
  type ServerAddress,
} from './location.ts'
export { openProviderServer } from './provider-server.ts'
export type { CallTimes } from './reply.ts'
export { connect, type RunningTarget, resolveTarget, type Target, type TargetWarning } from './target.ts'
export {
  type ListedModel,
  openTranscriptionServer,
  type Resent,
  type ServerCall,
  type ServerResult,
  type TranscriptionServer,
} from './transcription-server.ts'
