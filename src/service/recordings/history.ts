import { randomUUID } from 'node:crypto'
import type { Recording } from '#contract'
import type { AudioRetention } from './audio-retention.ts'
import type { RecordingStore } from './recording-store.ts'
import type { SoundFolder } from './sound-folder.ts'

/** What became of a sound. */
export type RecordingFacts = Omit<Recording, 'id' | 'date' | 'audioFilePath'>

/** A recording that is being made. Exactly one of its two endings is called. */
export interface HistoryEntry {
  /** Returns when the recording is on disk. */
  complete(facts: RecordingFacts): void
  /** Leaves nothing behind; what cannot be removed now is at the next start. */
  discard(): Promise<void>
}

/** Where transcripts become recordings. */
export interface History {
  /** @param sound to be kept with the text, as received; null to keep the text only */
  begin(sound: { readonly bytes: Uint8Array; readonly extension: string } | null): Promise<HistoryEntry>
}

export function createHistory(
  store: RecordingStore,
  sounds: SoundFolder,
  retention: AudioRetention,
): History {
  return {
    async begin(sound) {
      const id = randomUUID()
      const date = new Date().toISOString()
      // The bytes may have been taken away when the recording is complete.
      const sizeBytes = sound?.bytes.length ?? 0
      const kept = sound === null ? null : await sounds.keep(id, sound.bytes, sound.extension)
      return {
        complete(facts) {
          store.add({ id, date, ...facts, audioFilePath: kept?.path ?? '' }, kept)
          if (kept !== null) retention.added(sizeBytes)
        },
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
