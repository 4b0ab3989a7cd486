import { defineErrors, type ErrorTable } from '#prelude'

/** What can be wrong with the data that a load is made from. */
export const loadErrors: ErrorTable<'TRACE_UNUSABLE'> = defineErrors({
  TRACE_UNUSABLE: {
    exit: 'badInput',
    meaning:
      'A trace cannot be replayed. It is a CSV file with a header line and two columns: "ended_at", the moment ' +
      'a user had finished speaking, as an ISO 8601 time or as seconds from any start, and "audio_seconds", how ' +
      'long they had spoken. Other columns are ignored, and the lines may be in any order. Nothing is replayed ' +
      'with lines left out, because the load would no longer be the one that was recorded. Every problem is listed ' +
      'with its line.',
  },
})
