import { defineErrors, type ErrorTable } from '#prelude'

/** What can be wrong with a load, and with the data that it is made from. */
export const loadErrors: ErrorTable<'LOAD_TOO_LARGE' | 'TRACE_UNUSABLE'> = defineErrors({
  LOAD_TOO_LARGE: {
    exit: 'badInput',
    meaning:
      'A run is planned as a whole before it begins, so that equal settings send equal requests. This one would never end: its ' +
      'rate, its duration or its number of rounds has a digit too many.',
  },
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
