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
  read(): Promise<Outcome<Uint8Array<ArrayBuffer>, Refusal>>
}

/** Finds the audio that a request names or carries. */
export async function findAudio(
  request: TranscriptionRequest,
  profile: Profile,
  roots: readonly string[],
): Promise<Outcome<AudioSource, Refusal>> {
  if (request.file === undefined) return succeeded(carried(request.audio_base64 ?? '', profile))
  const opened = await openConfined(request.file, roots)
  if (!opened.ok) return unopened(opened.failure, profile)
  const source = onDisk(request.file, opened.value)
  if (!isTooLarge(opened.value.sizeBytes, profile)) return succeeded(source)
  await source[Symbol.asyncDispose]()
  return tooLarge()
}

function onDisk(path: string, { handle, sizeBytes }: OpenedFile): AudioSource {
  return {
    fileName: basename(path),
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

function carried(base64: string, profile: Profile): AudioSource {
  return {
    fileName: null,
    async read() {
      const bytes = decodeBase64(base64) ?? decodeBase64(base64.replaceAll(/\s+/g, ''))
      if (bytes === null) return refused('AUDIO_DECODE_FAILED', 'audio_base64 is not base64.')
      return isTooLarge(bytes.length, profile) ? tooLarge() : succeeded(bytes)
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

/**
 * Node's decoder skips what it does not know, and so yields fewer bytes than the length promises.
 *
 * @returns null for text that is not base64 (of either alphabet, with or without padding)
 */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  const characters = text.replace(/={1,2}$/, '').length
  const bytes = new Uint8Array(Math.floor((characters * 3) / 4))
  const written = Buffer.from(bytes.buffer).write(text, 'base64')
  return characters % 4 !== 1 && written === bytes.length ? bytes : null
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
