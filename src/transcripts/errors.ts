import { defineErrors, type ErrorTable } from '#prelude'

/** What can be wrong with files of transcripts. */
export const transcriptErrors: ErrorTable<'TRANSCRIPTS_UNREADABLE'> = defineErrors({
  TRANSCRIPTS_UNREADABLE: {
    exit: 'badInput',
    meaning:
      'Files of transcripts cannot be read or paired without losing something: a line without a partner, an id that is ' +
      'missing on one side or used twice, a line that is not what its format requires, is not UTF-8, or is longer than ' +
      '16 MiB. Plain text is paired by line, where a blank line is an empty transcript; the words of a ctm by the ' +
      'segments of an stm, as sclite does; subtitles and the JSON of Whisper are one transcript a file; all other files ' +
      'are paired by id. Nothing is dropped silently, and nothing is scored until everything can be.',
  },
})
