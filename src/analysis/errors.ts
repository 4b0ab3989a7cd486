import { defineErrors, type ErrorTable } from '#prelude'

export type AnalysisErrorCode =
  | 'MARGIN_TOO_FINE'
  | 'NOT_COMPARABLE'
  | 'PILOT_UNUSABLE'
  | 'RUN_INCONSISTENT'
  | 'THRESHOLD_INVALID'

/** What can be wrong with runs and thresholds that are evaluated. */
export const analysisErrors: ErrorTable<AnalysisErrorCode> = defineErrors({
  MARGIN_TOO_FINE: {
    exit: 'badInput',
    meaning:
      'Equal runs differ on every machine, and `transcribench calibrate` has measured by how much on this one. A margin below ' +
      'the smallest difference that so many runs can find would stay "unresolved" for ever. Or, if ' +
      'runs are repeated until one passes, chance decides. More runs, a quieter machine or a wider margin help.',
  },
  NOT_COMPARABLE: {
    exit: 'badInput',
    meaning:
      'Two runs are compared utterance by utterance: the same id must refer to the same audio and the same ' +
      'reference on both sides, and at least one contender and one utterance must be shared. Where that does not ' +
      'hold, a difference of the figures would say nothing about the engines, so none is given. With ' +
      '--only-matching the utterances that do match are compared and the others are counted as omitted.',
  },
  PILOT_UNUSABLE: {
    exit: 'badInput',
    meaning:
      'The size of a corpus follows from how much the difference of two contenders varies between utterances. The pilot run has to ' +
      'have two contenders that answered at least ten utterances, and they have to differ somewhere.',
  },
  RUN_INCONSISTENT: {
    exit: 'badInput',
    meaning:
      'The files of one run contradict each other: the plan names an utterance or a contender that the run does not ' +
      'have, or names one twice. The run cannot be evaluated; it was edited or mixed from two runs.',
  },
  THRESHOLD_INVALID: {
    exit: 'badInput',
    meaning:
      'A threshold reads `<metric> <operator> <number><unit>`, as in `wer <= 8%`, `latency.p95 <= 2s`, ' +
      '`rtfx >= 10`, `wer.regression <= 0.5pp`. Operators: <= < >= >. Error rates and shares need %, latencies ms ' +
      'or s, regressions pp (percentage points). A limit without its unit is refused, because 2 may mean 2 s or 2 ms.',
  },
})
