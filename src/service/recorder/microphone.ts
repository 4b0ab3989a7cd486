import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'

/** Where the recorder hears. */
export interface Microphone {
  /** Begins to listen. Rejects when it cannot. */
  listen(): Promise<Take>
}

/** One listening. Exactly one of its two endings is called. */
export interface Take {
  /** Stops listening. @returns an audio file with what was heard */
  stop(): Promise<Sound>
  /** Stops listening and forgets what was heard. */
  cancel(): Promise<void>
}

/** An audio file in memory. */
export interface Sound {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly fileName: string
}

/**
 * A recording that is played as the microphone: whenever somebody speaks into it, that recording is what they
 * say, all of it, however soon they stop.
 */
export function playedMicrophone(path: string): Microphone {
  return {
    async listen() {
      const sound = readFile(path).then((file) => ({
        bytes: new Uint8Array(file),
        fileName: basename(path),
      }))
      // Whoever stops hears of it; until then it is nobody's fault.
      sound.catch(() => undefined)
      await sound
      return { stop: () => sound, cancel: async () => undefined }
    },
  }
}
