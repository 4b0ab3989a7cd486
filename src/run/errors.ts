import { defineErrors, type ErrorTable } from '#prelude'

export type RunErrorCode =
  | 'TARGET_MODEL_MISSING'
  | 'TARGET_LOST'
  | 'TARGET_FAILING'
  | 'MODE_UNAVAILABLE'
  | 'AUDIO_TOO_LARGE'
  | 'RUN_NOT_VALID'
  | 'BILLED_MINUTES_EXCEEDED'

/** What can keep a run from starting or from ending well. */
export const runErrors: ErrorTable<RunErrorCode> = defineErrors({
  TARGET_MODEL_MISSING: {
    exit: 'targetNotReady',
    meaning:
      'The target does not have a model that the config names, or has not installed it. Nothing was sent. ' +
      '`transcribench doctor` lists what is there; --skip-unready measures the contenders that are ready.',
  },
  TARGET_LOST: {
    exit: 'runNotValid',
    meaning:
      'The target stopped answering in the middle of the run: a request could not reach it and /health did not ' +
      'answer either. What was measured is kept; the rest was not sent and is counted as such. transcribench run --resume goes ' +
      'on with it.',
  },
  TARGET_FAILING: {
    exit: 'runNotValid',
    meaning:
      'A contender was given up: it was sent nothing more, and the others were measured. In the warm-up the first refusal ' +
      'that any request would meet is enough (the key is refused, the model is gone), or no answer within the time-out, or ' +
      'the same failure of every warm-up request. Later it takes 20 such failures in a row for each request in flight, 5 ' +
      'time-outs, or a rate limit that 5 minutes of waiting do not end. Failures of single recordings ' +
      '(TRANSCRIPTION_FAILED, which is also how silence is answered) and of overload (RATE_LIMITED, TIMEOUT, HTTP 429 and ' +
      '503) never end the measuring of a contender. The rest counts as not sent; transcribench run --resume sends it.',
  },
  MODE_UNAVAILABLE: {
    exit: 'targetNotReady',
    meaning:
      'A Mode could not be created, found or patched on the target, so a contender could not be set up. Modes ' +
      'that the run had already made were removed again.',
  },
  AUDIO_TOO_LARGE: {
    exit: 'badInput',
    meaning:
      'An utterance is larger than any transport carries to this target: 48 MiB by path or as a form (Linux), 50 MiB ' +
      'for a whole request, which is 37.5 MiB of audio in base64, 30,000,000 bytes for a request to older Windows ' +
      'builds. Or a form was asked for (--transport multipart) where the build takes none. Nothing was sent. --stage puts a copy of the recording where the target may read it by path, and ' +
      'removes it after the run; --platform names the build of the target where it cannot be detected. Providers have limits of ' +
      'their own, of bytes or of seconds: docs/providers.md lists them.',
  },
  BILLED_MINUTES_EXCEEDED: {
    exit: 'badInput',
    meaning:
      'The plan would send more audio to providers that ask money for it than --max-billed-minutes allows ' +
      '(default: 60). Nothing was sent. A contender is billed when its model belongs to a provider, or when the config names a ' +
      'price for it; "usdPerMinute: 0" says that it is free. Repeats count as well: what would pass the limit in the ' +
      'middle of a run is not sent.',
  },
  RUN_NOT_VALID: {
    exit: 'runNotValid',
    meaning: 'The run completed, but its figures are not valid; the findings say why.',
  },
})
