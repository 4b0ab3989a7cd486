import { succeeded } from '#prelude'
import type { Handlers } from '../http/call.ts'
import { readId } from '../http/read-id.ts'
import { refused } from '../http/refusal.ts'
import type { RecordingStore } from './recording-store.ts'
import { readSearch } from './search-query.ts'

type RecordingHandlers = Required<Pick<Handlers, 'searchRecordings' | 'getRecording'>>

/** `GET /recordings/search` and `GET /recordings/{id}`. */
export function recordingEndpoints(store: RecordingStore): RecordingHandlers {
  return {
    async searchRecordings({ query }) {
      const search = readSearch(query)
      if (!search.ok) return search
      const { total, recordings } = store.search(search.value)
      return succeeded({ ok: true, total, returned: recordings.length, recordings })
    },

    async getRecording({ id }) {
      const wellFormed = readId(id)
      if (!wellFormed.ok) return wellFormed
      const recording = store.find(wellFormed.value)
      if (recording === null) return refused('MODE_NOT_FOUND', 'There is no recording with this id.')
      return succeeded({ ok: true, recording })
    },
  }
}
