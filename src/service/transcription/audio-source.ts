import { basename } from 'node:path'
import { limitMessages, type TranscriptionRequest } from '#contract'
import { type Outcome, succeeded } from '#prelude'
import { type Refusal, refused } from '../http/refusal.ts'
import type { Profile } from '../profiles.ts'
import { type OpenedFile, openConfined, type Unopened } from './confinement.ts'

/** Audio of a request that was found and is not too large, but not yet read. */
export interface AudioSource extends AsyncDisposable {
  /** Last part of `file`, or null for audio in the request. */
  readonly fileName: string | null
  /** What reading it takes of memory. */
  readonly sizeBytes: number
  read(): Promise<Outcome<Uint8Array<ArrayBuffer>, Refusal>>
}

/** Finds the audio that a request names or carries. */
export async function findAudio(
  { file }: Pick<TranscriptionRequest, 'file'>,
  audio: Uint8Array<ArrayBuffer> | null | undefined,
  { profile, readableFolders }: { readonly profile: Profile; readonly readableFolders: readonly string[] },
): Promise<Outcome<AudioSource, Refusal>> {
  if (file === undefined) return succeeded(carried(audio ?? null, profile))
  const opened = await openConfined(file, readableFolders)
  if (!opened.ok) return unopened(opened.failure, profile)
  const source = onDisk(file, opened.value)
  if (!isTooLarge(opened.value.sizeBytes, profile)) return succeeded(source)
  await source[Symbol.asyncDispose]()
  return tooLarge()
}

function onDisk(path: string, { handle, sizeBytes }: OpenedFile): AudioSource {
  return {
    fileName: basename(path),
    sizeBytes,
    async read() {
      // A file that grows is read up to the size that was checked.
      const bytes = new Uint8Array(sizeBytes)
      let readBytes = 0
      while (readBytes < sizeBytes) {
        const { bytesRead } = await handle.read(bytes, readBytes, sizeBytes - readBytes, readBytes)
        if (bytesRead === 0) break
        readBytes += bytesRead
      }
      return succeeded(bytes.subarray(0, readBytes))
    },
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

function carried(audio: Uint8Array<ArrayBuffer> | null, profile: Profile): AudioSource {
  return {
    fileName: null,
    // It is in memory already.
    sizeBytes: 0,
    async read() {
      if (audio === null) return refused('AUDIO_DECODE_FAILED', 'audio_base64 is not base64.')
      return isTooLarge(audio.length, profile) ? tooLarge() : succeeded(audio)
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

function isTooLarge(sizeBytes: number, profile: Profile): boolean {
  return profile.audioBytes !== null && sizeBytes > profile.audioBytes
}

function tooLarge(): Outcome<never, Refusal> {
  return refused('INVALID_REQUEST', limitMessages.audio)
}

function unopened(reason: Unopened, profile: Profile): Outcome<never, Refusal> {
  switch (reason) {
    case 'relative':
      return refused('INVALID_REQUEST', 'file is not an absolute path.')
    case 'outside':
      return refused(
        profile.outsideFile,
        'The service does not read files there.',
        'Put the file into the recordings folder, or send it as audio_base64.',
      )
    case 'missing':
      return refused('FILE_NOT_FOUND', 'There is no such file.')
    case 'unreadable':
      return refused('FILE_ACCESS_DENIED', 'The service may not read this file.')
  }
}
