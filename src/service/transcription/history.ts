import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import type { Recording } from '#contract/resources'
import { isOfTheSystem } from '../errors.ts'
import { isStoreFull } from '../folder/database.ts'
import type { ServiceEvent } from '../service-event.ts'
import type { Settings } from '../settings.ts'
import type { RecordingStore, SoundFolder, StoredSound } from './recording-store.ts'

/** The facts about a recording that its transcription determines. */
type RecordingFacts = Omit<Recording, 'id' | 'date' | 'audioFilePath'>

export type History = ReturnType<typeof createHistory>
/** A recording in progress; exactly one of `complete` and `discard` has to be called. */
type HistoryEntry = Awaited<ReturnType<History['begin']>>

/** Saves transcripts as recordings. */
export function createHistory(
  store: RecordingStore,
  sounds: SoundFolder,
  retention: ReturnType<typeof createAudioRetention>,
) {
  return {
    /** @param sound audio to save with the text, as received; null saves only the text */
    async begin(sound: { readonly bytes: Uint8Array; readonly extension: string } | null) {
      const id = randomUUID()
      const date = new Date().toISOString()
      // The size is taken now, because the bytes may be freed before completion.
      const sizeBytes = sound?.bytes.length ?? 0
      const savedSound = sound === null ? null : await sounds.keep(id, sound.bytes, sound.extension)
      return {
        /** Saves the recording; it is on disk when this returns. */
        complete(facts: RecordingFacts) {
          store.add({ id, date, ...facts, audioFilePath: savedSound?.path ?? '' }, savedSound)
          if (savedSound !== null) retention.added(sizeBytes)
        },
        /** Removes the saved audio; if that fails, the next start removes it. */
        discard: async () => savedSound?.discard().catch(() => undefined),
      }
    },
  }
}

/** What decides whether transcripts become recordings, and where. */
export interface RecordingInput extends Pick<Settings, 'record' | 'recordAudio'> {
  readonly history: History
  readonly log: (event: ServiceEvent) => void
}

/**
 * Begins the recording of a transcript. A failed write does not fail the request, but is logged and reported
 * in a warning without local paths.
 */
export async function beginRecording(
  { history, recordAudio, log }: RecordingInput,
  bytes: Uint8Array,
  extension: string,
) {
  const reportLost = (error: unknown): string => {
    if (isOfTheSystem(error)) log({ kind: 'notRecorded', reason: error.message })
    else log({ kind: 'fault', error })
    return `The recording was not kept: ${isStoreFull(error) ? 'the disk of the service is full' : 'the log of the service says why'}.`
  }
  let entry: HistoryEntry | null = null
  let warning: string | null = null
  try {
    entry = await history.begin(recordAudio ? { bytes, extension } : null)
  } catch (error) {
    warning = reportLost(error)
  }
  return {
    discard: async () => entry?.discard(),
    /** @returns the warning for the response; null for none */
    async complete(facts: RecordingFacts): Promise<string | null> {
      try {
        entry?.complete(facts)
        return warning
      } catch (error) {
        await entry?.discard()
        return reportLost(error)
      }
    },
  }
}

const extensionOfType: Readonly<Record<string, string>> = {
  mpeg: 'mp3',
  mp4: 'm4a',
  'x-m4a': 'm4a',
  'x-wav': 'wav',
  wave: 'wav',
  'vnd.wave': 'wav',
  'x-flac': 'flac',
  opus: 'ogg',
}

/** The file extension, from the file's name or the declared media type; `audio` where both are missing or unknown. */
export function soundExtension(fileName: string | null, mimeType: string | undefined): string {
  const named = /\.([a-z0-9]{1,8})$/i.exec(fileName ?? '')?.[1]
  if (named !== undefined) return named.toLowerCase()
  const subtype = /^audio\/([a-z0-9.-]{1,20})/.exec(mimeType?.toLowerCase() ?? '')?.[1] ?? ''
  const extension = extensionOfType[subtype] ?? subtype
  return /^[a-z0-9]{1,8}$/.test(extension) ? extension : 'audio'
}

const sweepEveryMs = 3_600_000
/** Fraction of the limit that a sweep frees additionally, so that not every new recording triggers a sweep. */
const roomLeft = 0.1

/**
 * Deletes the audio of old recordings; their texts stay.
 *
 * @param onFault called with the error that ended a sweep early
 */
export function createAudioRetention(
  store: Pick<RecordingStore, 'soundsAfter' | 'forgetSound'>,
  sounds: Pick<SoundFolder, 'pathOf' | 'expire'>,
  { keepAudioSeconds, maxAudioBytes }: Pick<Settings, 'keepAudioSeconds' | 'maxAudioBytes'>,
  onFault: (error: unknown) => void,
) {
  let totalBytes = 0
  let underWay: Promise<void> | null = null
  let isClosed = false

  async function measureSounds(): Promise<(StoredSound & { readonly sizeBytes: number })[]> {
    const sized = []
    let page = store.soundsAfter(null)
    while (page.length > 0 && !isClosed) {
      for (const sound of page) {
        // A file that was deleted manually takes no space.
        const found = await stat(sounds.pathOf(sound.fileName)).catch(() => null)
        sized.push({ ...sound, sizeBytes: found?.size ?? 0 })
      }
      page = store.soundsAfter(page.at(-1) ?? null)
    }
    return sized
  }

  /** Visits audio from the newest to the oldest. @returns the bytes that stay */
  async function removeSurplus(): Promise<number> {
    const oldestMs =
      keepAudioSeconds === null ? Number.NEGATIVE_INFINITY : Date.now() - keepAudioSeconds * 1000
    const sized = await measureSounds()
    const wholeBytes = sized.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    const isTooMuch = maxAudioBytes !== null && wholeBytes > maxAudioBytes
    const limitBytes = isTooMuch ? maxAudioBytes * (1 - roomLeft) : Number.POSITIVE_INFINITY
    let keptBytes = 0
    let isFull = false
    for (const { id, fileName, dateMs, sizeBytes } of sized) {
      isFull ||= keptBytes + sizeBytes > limitBytes
      if (!isFull && dateMs >= oldestMs) keptBytes += sizeBytes
      else if (!isClosed) await sounds.expire(fileName, () => store.forgetSound(id))
    }
    return keptBytes
  }

  async function sweepOnce(): Promise<void> {
    const beforeBytes = totalBytes
    try {
      const keptBytes = await removeSurplus()
      // Audio added during the sweep may be counted twice, which only triggers the next sweep earlier.
      totalBytes += keptBytes - beforeBytes
    } catch (error) {
      onFault(error)
    }
  }

  /** Deletes audio that is too old, and the oldest beyond the size limit. Concurrent calls share one sweep. */
  function sweep(): Promise<void> {
    if ((keepAudioSeconds === null && maxAudioBytes === null) || isClosed) return Promise.resolve()
    underWay ??= sweepOnce().finally(() => {
      underWay = null
    })
    return underWay
  }

  const timer = setInterval(() => void sweep(), sweepEveryMs).unref()
  return {
    /** Must be called for all added audio. */
    added(sizeBytes: number) {
      totalBytes += sizeBytes
      if (maxAudioBytes !== null && totalBytes > maxAudioBytes) void sweep()
    },
    sweep,
    async close() {
      isClosed = true
      clearInterval(timer)
      await underWay
    },
  }
}
