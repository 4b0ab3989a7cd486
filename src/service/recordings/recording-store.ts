import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Recording } from '#contract'
import { inTransaction } from '../folder/database.ts'
import { searchKey } from './search-key.ts'
import type { RecordingSearch } from './search-query.ts'
import type { KeptSound, SoundFolder } from './sound-folder.ts'

/** The past transcripts on disk. A method that returns has written. */
export interface RecordingStore {
  /** Adds a recording; its sound, where it has one, becomes its own in the same write. */
  add(recording: Recording, sound: KeptSound | null): void
  find(id: string): Recording | null
  /** Newest first. `total` counts what `limit` leaves out as well. */
  search(search: RecordingSearch): { readonly total: number; readonly recordings: readonly Recording[] }
  /** The next recordings with a sound, newest first, after that one. A few hundred; none when there are no more. */
  soundsAfter(last: StoredSound | null): readonly StoredSound[]
  /** The recording stays, without its sound. */
  forgetSound(id: string): void
}

/** A recording's sound, as the database knows it. */
export interface StoredSound {
  readonly id: string
  readonly position: number
  readonly dateMs: number
  readonly fileName: string
}

/** A recording matches by its content, without regard to case or diacritics. */
const matches = `
  FROM recordings
  WHERE date_ms BETWEEN :sinceMs AND :untilMs
    AND (instr(text_key, :key) > 0 OR instr(post_processed_key, :key) > 0 OR instr(transcribed_key, :key) > 0)`

export function createRecordingStore(database: DatabaseSync, sounds: SoundFolder): RecordingStore {
  const insert = database.prepare(
    `INSERT INTO recordings (id, date_ms, text_key, post_processed_key, transcribed_key, document)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const selectById = database.prepare('SELECT document FROM recordings WHERE id = ?')
  const count = database.prepare(`SELECT count(*) AS total ${matches}`)
  const select = database.prepare(
    `SELECT document ${matches} ORDER BY date_ms DESC, position DESC LIMIT :limit`,
  )
  const selectSounds = database.prepare(
    `SELECT id, position, date_ms, json_extract(document, '$.audioFilePath') AS path FROM recordings
     WHERE json_extract(document, '$.audioFilePath') <> '' AND (date_ms, position) < (:dateMs, :position)
     ORDER BY date_ms DESC, position DESC LIMIT 500`,
  )
  const removeSound = database.prepare(
    `UPDATE recordings SET document = json_set(document, '$.audioFilePath', '') WHERE id = ?`,
  )
  const read = (row: Readonly<Record<string, unknown>>): Recording => {
    // Only this module writes the column.
    const recording = JSON.parse(String(row['document'])) as Recording
    if (recording.audioFilePath === '') return recording
    // The data folder may be elsewhere now than it was then: moved, or restored from a backup.
    return { ...recording, audioFilePath: sounds.pathOf(basename(recording.audioFilePath)) }
  }

  return {
    add(recording, sound) {
      const { id, date, text, postProcessedText, transcribedText } = recording
      const keys = [text, postProcessedText, transcribedText].map(searchKey)
      inTransaction(database, () => {
        insert.run(id, Date.parse(date), ...keys, JSON.stringify(recording))
        if (sound !== null) sounds.claim(sound)
      })
    },
    find(id) {
      const row = selectById.get(id)
      return row === undefined ? null : read(row)
    },
    search({ text, sinceMs, untilMs, limit }) {
      const wanted = { key: searchKey(text), sinceMs, untilMs }
      const total = Number(count.get(wanted)?.['total'])
      return { total, recordings: select.all({ ...wanted, limit }).map(read) }
    },
    soundsAfter(last) {
      const { dateMs, position } = last ?? { dateMs: Number.MAX_VALUE, position: 0 }
      return selectSounds.all({ dateMs, position }).map((row) => ({
        id: String(row['id']),
        position: Number(row['position']),
        dateMs: Number(row['date_ms']),
        fileName: basename(String(row['path'])),
      }))
    },
    forgetSound: (id) => void removeSound.run(id),
  }
}
