import type { RunFinding } from '../run-facts.ts'

export const noSpeechAnswers = {
  code: 'NO_SPEECH_ANSWERS',
  severity: 'note',
  meaning:
    'Some services answer silence with the error TRANSCRIPTION_FAILED and a message such as "No speech detected". ' +
    'Such an answer is an empty transcript: all deletions on speech, correct on silence. Which refusals mean so ' +
    'is in scoring.noSpeech of the config; score --rules takes another list.',
  detect: ({ contenders }) =>
    contenders
      .filter(({ noSpeechCount }) => noSpeechCount > 0)
      .map(({ contender: { id }, noSpeechCount, counts: { answered } }) => ({
        message:
          `${noSpeechCount} of ${answered} answers of ${id} said that there was no speech: ` +
          'scored as empty transcripts',
      })),
} satisfies RunFinding
