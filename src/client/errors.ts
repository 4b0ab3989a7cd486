import { defineErrors, type ErrorTable } from '#prelude'

/** What can be wrong with a target before the first request is measured. */
export const clientErrors: ErrorTable<
  | 'TARGET_INVALID'
  | 'TARGET_NOT_FOUND'
  | 'TARGET_AMBIGUOUS'
  | 'TARGET_STALE'
  | 'TARGET_UNREACHABLE'
  | 'TARGET_NOT_THE_API'
  | 'TARGET_TOKEN_MISSING'
  | 'TARGET_TOKEN_REFUSED'
  | 'TARGET_KEY_MISSING'
  | 'TARGET_HAS_NO_MODES'
  | 'DISCOVERY_FILE_UNREADABLE'
> = defineErrors({
  TARGET_INVALID: {
    exit: 'badInput',
    meaning:
      'A target is "embedded", "auto", the path of a discovery file (local-api.json), or an address such as ' +
      'http://127.0.0.1:39201. Behind a forwarded port, "@127.0.0.1:4000" is put after the file or the address: ' +
      'requests go to that port, and name the service as the file does. A token is never part of a target.',
  },
  TARGET_NOT_FOUND: {
    exit: 'targetNotReady',
    meaning:
      "No service was found. The application's API server is off until it is switched on in its settings " +
      '(macOS: Settings → API Server; Windows: Settings → Local API); it then writes its port and token to a ' +
      "file named local-api.json in the application's per-user data folder, and removes it on a clean stop. " +
      'The built-in service (--target embedded) needs neither.',
  },
  TARGET_AMBIGUOUS: {
    exit: 'badInput',
    meaning:
      'More than one running service was found, and measuring the wrong one would go unnoticed. Name the ' +
      'discovery file of the one that is meant.',
  },
  TARGET_STALE: {
    exit: 'targetNotReady',
    meaning:
      'The discovery file is there, but the service that wrote it is not: its process has ended, or its port ' +
      'does not answer. That is what a crash leaves behind. Starting the service again writes a new file.',
  },
  TARGET_UNREACHABLE: {
    exit: 'targetNotReady',
    meaning:
      'Nothing answered GET /health at the address of the target, the one request that needs no token; or what answered ' +
      'there did not give its health, its models or its Modes when it was asked for them: it was switched off meanwhile.',
  },
  TARGET_NOT_THE_API: {
    exit: 'targetNotReady',
    meaning:
      'Something answered at the address of the target, but not as the Local Transcription API does. Usually ' +
      'another program has the port, or the Host header was rejected because the port is a forwarded one.',
  },
  TARGET_TOKEN_MISSING: {
    exit: 'badInput',
    meaning:
      'A service that is named by its address needs its access token from the environment: TRANSCRIBENCH_TOKEN, or ' +
      'TRANSCRIBENCH_TOKEN_FILE with the path of a file that holds it. There is no flag, because the arguments of a ' +
      'process can be read by every other process.',
  },
  TARGET_TOKEN_REFUSED: {
    exit: 'targetNotReady',
    meaning:
      'The service answered 401: the token is not its token. A token generated anew in the settings makes the ' +
      'one before it invalid at once.',
  },
  TARGET_KEY_MISSING: {
    exit: 'badInput',
    meaning:
      'The key of a transcription server (openai:http://…/v1) is read from the environment variable that --key-from ' +
      'names, or "keyFrom" in the config. Without it no key is sent, which local servers do not mind. There is no flag ' +
      'for the key itself, because the arguments of a process can be read by every other process.',
  },
  TARGET_HAS_NO_MODES: {
    exit: 'badInput',
    meaning:
      'A target that begins with openai: is any server with /v1/audio/transcriptions. It has models and no Modes, so ' +
      'there is nothing to clean or to patch on it, and it is not checked against the Local Transcription API. `transcribench ' +
      'run` and `transcribench doctor` take it.',
  },
  DISCOVERY_FILE_UNREADABLE: {
    exit: 'targetNotReady',
    meaning:
      'The discovery file could not be read, or is no JSON object with a "port" (1 to 65535) and a "token".',
  },
})
