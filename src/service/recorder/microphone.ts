import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'

/** The input of the recorder. */
export interface Microphone {
  /** Begins to listen. Rejects when it cannot. */
  listen(): Promise<Take>
}

/** One listening. Exactly one of its two endings is called. */
export interface Take {
  /** Stops recording. @returns an audio file of the recording */
  stop(): Promise<Sound>
  /** Stops recording and discards the recording. */
  cancel(): Promise<void>
}

/** An audio file in memory. */
export interface Sound {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly fileName: string
}

/**
 * A recording that is played as the microphone: every take is that whole recording,
 * however soon it is stopped.
 */
export function playedMicrophone(path: string): Microphone {
  return {
    async listen() {
      const sound = readFile(path).then((file) => ({
        bytes: new Uint8Array(file),
        fileName: basename(path),
      }))
      // The caller of `stop` gets the rejection; until then it must not count as unhandled.
      sound.catch(() => undefined)
      await sound
      return { stop: () => sound, cancel: async () => undefined }
    },
  }
}
