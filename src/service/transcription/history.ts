import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import type { Recording } from '#contract/resources'
import type { Settings } from '../settings.ts'
import type { RecordingStore, SoundFolder, StoredSound } from './recording-store.ts'

/** What became of a sound. */
export type RecordingFacts = Omit<Recording, 'id' | 'date' | 'audioFilePath'>

export type History = ReturnType<typeof createHistory>
/** A recording that is being made. Exactly one of its two endings is called. */
export type HistoryEntry = Awaited<ReturnType<History['begin']>>

/** Where transcripts become recordings. */
export function createHistory(
  store: RecordingStore,
  sounds: SoundFolder,
  retention: ReturnType<typeof createAudioRetention>,
) {
  return {
    /** @param sound to be kept with the text, as received; null to keep the text only */
    async begin(sound: { readonly bytes: Uint8Array; readonly extension: string } | null) {
      const id = randomUUID()
      const date = new Date().toISOString()
      // The bytes may have been taken away when the recording is complete.
      const sizeBytes = sound?.bytes.length ?? 0
      const kept = sound === null ? null : await sounds.keep(id, sound.bytes, sound.extension)
      return {
        /** Returns when the recording is on disk. */
        complete(facts: RecordingFacts) {
          store.add({ id, date, ...facts, audioFilePath: kept?.path ?? '' }, kept)
          if (kept !== null) retention.added(sizeBytes)
        },
        /** Leaves nothing behind; what cannot be removed now is at the next start. */
        discard: async () => kept?.discard().catch(() => undefined),
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

/** The end of a file's name, from the name of the sound or its declared type; `audio` where both are missing or unknown. */
export function soundExtension(fileName: string | null, mimeType: string | undefined): string {
  const named = /\.([a-z0-9]{1,8})$/i.exec(fileName ?? '')?.[1]
  if (named !== undefined) return named.toLowerCase()
  const subtype = /^audio\/([a-z0-9.-]{1,20})/.exec(mimeType?.toLowerCase() ?? '')?.[1] ?? ''
  const extension = extensionOfType[subtype] ?? subtype
  return /^[a-z0-9]{1,8}$/.test(extension) ? extension : 'audio'
}

const sweepEveryMs = 3_600_000
/** A sweep makes room for more than one recording, so that not each one begins another sweep. */
const roomLeft = 0.1

/**
 * Removes the sounds of old recordings; their texts stay.
 *
 * @param onFault called with the reason why a sweep could not be finished
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
        // A file that was removed by hand takes no space.
        const found = await stat(sounds.pathOf(sound.fileName)).catch(() => null)
        sized.push({ ...sound, sizeBytes: found?.size ?? 0 })
      }
      page = store.soundsAfter(page.at(-1) ?? null)
    }
    return sized
  }

  /** Walks from the newest sound to the oldest. @returns the bytes of those that stay */
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
      // What was added meanwhile may not have been seen. Counted twice, it only begins another sweep earlier.
      totalBytes += keptBytes - beforeBytes
    } catch (error) {
      onFault(error)
    }
  }

  /** Removes what is too old, and the oldest of what is too much. Those who call meanwhile wait for the same sweep. */
  function sweep(): Promise<void> {
    if ((keepAudioSeconds === null && maxAudioBytes === null) || isClosed) return Promise.resolve()
    underWay ??= sweepOnce().finally(() => {
      underWay = null
    })
    return underWay
  }

  const timer = setInterval(() => void sweep(), sweepEveryMs).unref()
  return {
    /** To be called for every sound that was added. */
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
