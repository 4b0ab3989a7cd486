import type { FailureCode } from './errors.ts'
import type { RequestFailure } from './failures.ts'

/** What a failure is counted by: the server's code, or the kind where it gave none. */
export type FailureLabel = FailureCode | Exclude<RequestFailure['kind'], 'refused'>

/** What each way to fail means, and what can be done, for `transcribench explain`. */
export const failureMeanings: Readonly<Record<FailureLabel, string>> = {
  MODEL_NOT_INSTALLED:
    'The server knows the model and does not have it: install it in the application, or with transcribench models install.',
  MODEL_NOT_FOUND: 'The server knows no such model. transcribench doctor <target> lists those that it has.',
  ENGINE_UNAVAILABLE: 'The server knows no such engine, or it cannot run on that machine.',
  MISSING_API_KEY: 'A cloud engine has no key, or its provider refuses it.',
  FILE_NOT_FOUND:
    'The recording is not where the request says, as the server sees its disk: send bytes with --transport base64.',
  FILE_ACCESS_DENIED: 'The server may not read the recording: send bytes with --transport base64.',
  FILE_NOT_ALLOWED:
    'The recording is outside of the folders that the server reads from: send bytes with --transport base64, or copy it there.',
  AUDIO_DECODE_FAILED:
    'The server could not decode the recording: damaged, empty, or a format that it does not read.',
  TRANSCRIPTION_FAILED:
    'The engine failed, or found no speech: a message that says "no speech" counts as an answer without words.',
  MODE_NOT_FOUND: 'The Mode of the request was deleted meanwhile.',
  MODE_NAME_TAKEN: 'Another Mode has the name already.',
  INVALID_REQUEST: 'The server did not accept the form of the request.',
  RATE_LIMITED: 'The provider behind the server wants fewer requests: lower --concurrency, or wait.',
  TIMEOUT: 'The server gave the engine up after its own time-out. Another one than timedOut, which is ours.',
  timedOut: 'No complete answer came within the time that the run allows a request: --timeout.',
  unreachable: 'No connection could be made, or it broke: the server was stopped, or crashed.',
  malformed:
    'What came back is not of this API: another program on that port, a proxy, or an answer cut off.',
  unsendable:
    'The recording could not be read, or changed, while it was sent. Says nothing about the server.',
  dropped: 'Ended by ourselves, because the run was interrupted a second time. Neither answered nor failed.',
}
