import { constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { errorCode, failed, type Outcome, succeeded } from '#prelude'
import { audioTooLarge, isTooLarge, stopping, tooMany } from '../http/body.ts'
import { type Call, type PlatformProfile, type Refusal, refused } from '../http/call.ts'

/** Audio in memory that is counted; disposing `held` gives that memory back. */
export interface HeldAudio {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly held: Disposable
}

/** Opens the file that a request names, if it is in one of the folders and within the size limit. */
export async function openAudioFile(
  path: string,
  profile: PlatformProfile,
  readableFolders: readonly string[],
) {
  const opened = await openConfined(path, readableFolders)
  if (!opened.ok) return unopened(opened.failure, profile)
  const { handle, sizeBytes } = opened.value
  if (isTooLarge(sizeBytes, profile)) {
    await handle.close()
    return audioTooLarge
  }
  return succeeded({
    /** Reserves memory for the file, after releasing that of the request's body, and reads it. */
    async read({ memory, signal }: Call, body: Disposable): Promise<Outcome<HeldAudio, Refusal>> {
      body[Symbol.dispose]()
      const held = memory.bodies(sizeBytes).reserve(signal)
      if (held === null) return tooMany
      try {
        if (await held.take(sizeBytes)) return succeeded({ bytes: await readUpTo(handle, sizeBytes), held })
        held[Symbol.dispose]()
        return failed(stopping)
      } catch (error) {
        held[Symbol.dispose]()
        throw error
      }
    },
    [Symbol.asyncDispose]: () => handle.close(),
  })
}

/** Reads a file that may grow or shrink meanwhile, up to the size that was checked. */
async function readUpTo(handle: FileHandle, sizeBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(sizeBytes)
  let readBytes = 0
  while (readBytes < sizeBytes) {
    const { bytesRead } = await handle.read(bytes, readBytes, sizeBytes - readBytes, readBytes)
    if (bytesRead === 0) break
    readBytes += bytesRead
  }
  return bytes.subarray(0, readBytes)
}

function unopened(reason: Unopened, profile: PlatformProfile): Outcome<never, Refusal> {
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

/** The reason why a path is not opened. `outside` does not reveal whether the file exists. */
type Unopened = 'relative' | 'outside' | 'missing' | 'unreadable'

interface OpenedFile {
  /** The handle, which the caller closes. Only it may be used to read, because the path may lead elsewhere by now. */
  readonly handle: FileHandle
  readonly sizeBytes: number
}

const maxLinkChain = 40

/**
 * Opens a regular file inside one of the folders, with all symbolic links resolved. Nothing outside is
 * opened, and the read file is the checked one, even if links are swapped meanwhile:
 *
 *   resolve the path ─ inside ─► open the resolved path, following no link ─► is the opened file still the one
 *   at that path, and does the path still resolve to itself? ─ yes ─► read through the handle
 *
 * @param roots real paths of the folders
 */
export async function openConfined(
  path: string,
  roots: readonly string[],
): Promise<Outcome<OpenedFile, Unopened>> {
  // Some systems end a path at a null character, and Node rejects it.
  if (!isAbsolute(path) || path.includes('\0')) return failed('relative')
  const place = await findPlace(path, maxLinkChain)
  if (place === null || !isInside(place.path, roots)) return failed('outside')
  if (place.absence !== null) return failed(place.absence)
  try {
    // Non-blocking, because opening a pipe would wait for a writer.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
    const handle = await open(place.path, flags)
    const sizeBytes = await checkedSize(handle, place.path).catch(async (error: unknown) => {
      await handle.close()
      throw error
    })
    if (sizeBytes !== null) return succeeded({ handle, sizeBytes })
    await handle.close()
    return failed('missing')
  } catch (error) {
    const isGone = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(errorCode(error))
    return failed(isGone ? 'missing' : 'unreadable')
  }
}

/** @returns null for anything but a regular file that is still at that path */
async function checkedSize(handle: FileHandle, path: string): Promise<number | null> {
  const opened = await handle.stat({ bigint: true })
  if (!opened.isFile()) return null
  const [there, leadsTo] = await Promise.all([stat(path, { bigint: true }), realpath(path)])
  const isSame = there.dev === opened.dev && there.ino === opened.ino && leadsTo === path
  return isSame ? Number(opened.size) : null
}

interface Place {
  /** Absolute path without symbolic links. */
  readonly path: string
  /** Why no file is known to be there; null where one is. */
  readonly absence: 'missing' | 'unreadable' | null
}

/**
 * Resolves a path, even if nothing is there: a dangling link that points outside must be indistinguishable
 * from one whose target exists.
 *
 * @returns null for a path that cannot be resolved, such as circular links
 */
async function findPlace(path: string, linksLeft: number): Promise<Place | null> {
  try {
    return { path: await realpath(path), absence: null }
  } catch (error) {
    if (linksLeft === 0 || errorCode(error) === 'ELOOP') return null
  }
  const parentPath = dirname(path)
  if (parentPath === path) return null
  const parent = await findPlace(parentPath, linksLeft)
  if (parent === null) return null
  const candidate = join(parent.path, basename(path))
  try {
    return await findPlace(resolve(parent.path, await readlink(candidate)), linksLeft - 1)
  } catch (error) {
    return { path: candidate, absence: errorCode(error) === 'EACCES' ? 'unreadable' : 'missing' }
  }
}

function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path.startsWith(root.endsWith(sep) ? root : root + sep))
}
