import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { limits } from '#contract/enums'
import type { Recording } from '#contract/resources'
import { syncFolder } from '#installation/files'
import { type Outcome, succeeded } from '#prelude'
import { inFreeingTransaction, inTransaction } from '../folder/database.ts'
import { writePrivateFile } from '../folder/private-folder.ts'
import { type Handlers, type Refusal, readId, refused } from '../http/call.ts'

/** The audio of a recording, as stored in the database. */
export interface StoredSound {
  readonly id: string
  readonly position: number
  readonly dateMs: number
  readonly fileName: string
}

/** Search condition: the date is in the range, and a text contains the key, regardless of case and diacritics. */
const matches = `
  FROM recordings
  WHERE date_ms BETWEEN :sinceMs AND :untilMs
    AND (instr(text_key, :key) > 0 OR instr(post_processed_key, :key) > 0 OR instr(transcribed_key, :key) > 0)`

export type RecordingStore = ReturnType<typeof createRecordingStore>

/** The past transcripts on disk. Writes are complete when a method returns. */
export function createRecordingStore(database: DatabaseSync, sounds: SoundFolder) {
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
    // The cast is safe, because only this module writes the column.
    const recording = JSON.parse(String(row['document'])) as Recording
    if (recording.audioFilePath === '') return recording
    // The path is rebuilt, because the data folder may have been moved or restored from a backup.
    return { ...recording, audioFilePath: sounds.pathOf(basename(recording.audioFilePath)) }
  }

  return {
    /** Adds a recording, and claims its audio, if any, in the same transaction. */
    add(recording: Recording, sound: { readonly fileName: string } | null) {
      const { id, date, text, postProcessedText, transcribedText } = recording
      const keys = [text, postProcessedText, transcribedText].map(searchKey)
      inTransaction(database, () => {
        insert.run(id, Date.parse(date), ...keys, JSON.stringify(recording))
        if (sound !== null) sounds.claim(sound)
      })
    },
    find(id: string): Recording | null {
      const row = selectById.get(id)
      return row === undefined ? null : read(row)
    },
    /** Recordings from the newest on; `total` also counts those beyond `limit`. */
    search({ text, sinceMs, untilMs, limit }: RecordingSearch) {
      const wanted = { key: searchKey(text), sinceMs, untilMs }
      const total = Number(count.get(wanted)?.['total'])
      return { total, recordings: select.all({ ...wanted, limit }).map(read) }
    },
    /** The next page of recordings with audio after `last`, newest first; empty at the end. */
    soundsAfter(last: StoredSound | null): readonly StoredSound[] {
      const { dateMs, position } = last ?? { dateMs: Number.MAX_VALUE, position: 0 }
      return selectSounds.all({ dateMs, position }).map((row) => ({
        id: String(row['id']),
        position: Number(row['position']),
        dateMs: Number(row['date_ms']),
        fileName: basename(String(row['path'])),
      }))
    },
    /** Removes the audio from the recording, which stays. */
    forgetSound: (id: string) => void removeSound.run(id),
  }
}

/** Search criteria; times are in milliseconds since 1970, inclusive. */
interface RecordingSearch {
  /** Text to find; an empty one matches everything. */
  readonly text: string
  readonly sinceMs: number
  readonly untilMs: number
  readonly limit: number
}

/** Reads the query of `GET /recordings/search`; a refusal names all invalid parameters. */
function readSearch(query: URLSearchParams): Outcome<RecordingSearch, Refusal> {
  const { minimum, maximum, default: usual } = limits.searchResults
  const limitText = query.get('limit') ?? String(usual)
  const limit = /^\d{1,9}$/.test(limitText) ? Number(limitText) : 0
  const since = readMoment(query.get('since'), { first: Number.NEGATIVE_INFINITY, last: 0 })
  const until = readMoment(query.get('until'), { first: 0, last: Number.POSITIVE_INFINITY })
  const problems = [
    ...(limit < minimum || limit > maximum ? [`limit is a whole number from ${minimum} to ${maximum}.`] : []),
    ...(since === null ? ['since is an ISO 8601 date or seconds since 1970.'] : []),
    ...(until === null ? ['until is an ISO 8601 date or seconds since 1970.'] : []),
  ]
  if (since === null || until === null || problems.length > 0) {
    return refused('INVALID_REQUEST', problems.join(' '))
  }
  return succeeded({ text: query.get('q') ?? '', sinceMs: since.first, untilMs: until.last, limit })
}

/** First and last millisecond of a given time: `2026-06-02` is a whole day, `13:57:46` a whole second. */
interface Moment {
  readonly first: number
  readonly last: number
}

const epochSeconds = /^[+-]?\d+(\.\d+)?$/
const isoDate =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[T ](?<minute>\d\d:\d\d)(?<second>:\d\d)?(?<fraction>[.,]\d+)?(?<zone>Z|[+-]\d\d:?\d\d)?)?$/i

const secondMs = 1_000
const minuteMs = 60 * secondMs
const dayMs = 1_440 * minuteMs

function readMoment(text: string | null, absent: Moment): Moment | null {
  // An unescaped `+` of a time zone has been decoded as a space.
  const timestamp = text?.trim().replace(/ (?=\d\d:?\d\d$)(?<=:\d\d(?:[.,]\d+)? )/, '+') ?? ''
  if (timestamp === '') return absent
  if (epochSeconds.test(timestamp))
    return spanFrom(Number(timestamp) * 1000, timestamp.includes('.') ? 1 : secondMs)
  const parts = isoDate.exec(timestamp)?.groups
  if (parts === undefined) return null
  const { date, minute = '00:00', second = '', fraction = '', zone = 'Z' } = parts
  const firstMs = Date.parse(`${date}T${minute}${second}${fraction.replace(',', '.')}${zone}`.toUpperCase())
  if (Number.isNaN(firstMs) || !isOnCalendar(date)) return null
  if (parts['minute'] === undefined) return spanFrom(firstMs, dayMs)
  if (second === '') return spanFrom(firstMs, minuteMs)
  return spanFrom(firstMs, fraction === '' ? secondMs : 1)
}

/** Rejects dates such as 30 February, which JavaScript parses as 2 March. */
function isOnCalendar(date: string | undefined): boolean {
  return date === undefined || new Date(`${date}T00:00Z`).toISOString().startsWith(date)
}

function spanFrom(firstMs: number, lengthMs: number): Moment {
  return { first: firstMs, last: firstMs + lengthMs - 1 }
}

/** Accents, points and similar marks, but not the vowel signs of scripts that write vowels with marks. */
const diacritics = /(?=\p{M})[\p{Script=Inherited}\p{Diacritic}]/gu

/** Key that ignores case and diacritics. It is composed, so that half of a Hangul syllable does not match. */
function searchKey(text: string): string {
  const bare = text.normalize('NFD').replaceAll(diacritics, '')
  // Upper case comes first, because it merges what lower case keeps apart: `ß` and `SS`, both sigmas.
  return bare.toUpperCase().toLowerCase().normalize('NFC')
}

export type SoundFolder = Awaited<ReturnType<typeof openSoundFolder>>

/**
 * Opens the folder of recorded audio, and deletes unfinished files of an earlier service. Each name is noted
 * before its file is written, and deleted in the transaction that adds the recording, so that the next start
 * finds orphaned files:
 *
 *   note name ─► write file ─► add recording and delete the note in one transaction
 */
export async function openSoundFolder(database: DatabaseSync, folder: string) {
  const note = database.prepare('INSERT INTO unfinished_sounds (file_name) VALUES (?)')
  const crossOut = database.prepare('DELETE FROM unfinished_sounds WHERE file_name = ?')
  const remove = async (fileName: string): Promise<void> => {
    await rm(join(folder, fileName), { force: true })
    await rm(join(folder, `${fileName}${unfinished}`), { force: true })
    inFreeingTransaction(database, () => crossOut.run(fileName))
  }
  for (const { file_name } of database.prepare('SELECT file_name FROM unfinished_sounds').all()) {
    await remove(String(file_name))
  }

  return {
    /** Writes audio that belongs to no recording yet. @param extension such as `wav` */
    async keep(id: string, bytes: Uint8Array, extension: string) {
      const fileName = `${id}.${extension}`
      const path = join(folder, fileName)
      note.run(fileName)
      try {
        await writePrivateFile(path, bytes, `${path}${unfinished}`)
        await syncFolder(folder)
      } catch (error) {
        await remove(fileName)
        throw error
      }
      return { fileName, path, discard: () => remove(fileName) }
    },
    /** Must be called in the transaction that adds the recording. */
    claim: ({ fileName }: { readonly fileName: string }) => void crossOut.run(fileName),
    /**
     * Deletes a recording's audio. The transaction that removes it from the recording notes the name, and the
     * note is deleted after the file.
     */
    async expire(fileName: string, forget: () => void) {
      inFreeingTransaction(database, () => {
        note.run(fileName)
        forget()
      })
      await remove(fileName)
    },
    /** Absolute path of the file, which may not exist. */
    pathOf: (fileName: string) => join(folder, fileName),
  }
}

const unfinished = '.unfinished'

/** `GET /recordings/search` and `GET /recordings/{id}`. */
export function recordingEndpoints(store: RecordingStore) {
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
  } satisfies Handlers
}
