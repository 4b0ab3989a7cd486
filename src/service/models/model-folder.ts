import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { InstallableModel, WeightsFile } from './catalogue.ts'

/** Written last, so that a folder without it is no installed model. */
export const installedFileName = 'installed.json'

const pieceBytes = 1 << 20

/** Absolute path of the folder with a model's weights, whether it exists or not. */
export function modelFolder(
  modelsDir: string,
  { id, folder }: Pick<InstallableModel, 'id' | 'folder'>,
): string {
  return folder ?? join(resolve(modelsDir), id)
}

/**
 * Whether the model's files are there, and are as they were when their hashes were last compared. Cheap enough to ask with
 * every request: only a file that was changed since is read, once.
 */
export async function isInstalled(modelsDir: string, model: InstallableModel): Promise<boolean> {
  if (model.weights === null) return (await model.isThere?.()) ?? true
  const folder = modelFolder(modelsDir, model)
  const { files, package: origin, comparedAtMs = null } = model.weights
  if (files.length === 0) return false
  // What an installation writes last, after it has compared the files; not there where the operator keeps them.
  const record = origin === null ? null : await stateOf(join(folder, installedFileName))
  if (origin !== null && record === null) return false
  const lastComparedMs = record?.changedAtMs ?? comparedAtMs
  const found = await Promise.all(
    files.map((file) => isUnchanged(join(folder, file.name), file, lastComparedMs)),
  )
  return found.every(Boolean)
}

/**
 * Compares every file of an installed model with the hashes of the catalogue.
 *
 * @returns the names of the files that are missing or differ; empty for a model as it should be
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
  // One piece of memory for all of it: a stream would leave the size of the file to the garbage collector.
  const piece = Buffer.allocUnsafe(pieceBytes)
  try {
    await using file = await open(path)
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, piece.length, null)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(piece.subarray(0, bytesRead))
    }
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

interface FileState {
  readonly sizeBytes: number
  /** When its content or its name last changed (ctime): no program can set it back. */
  readonly changedAtMs: number
  /** Another one after every change. */
  readonly mark: string
}

async function stateOf(path: string): Promise<FileState | null> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    const changedAtMs = Number(ctimeNs) / 1e6
    return { sizeBytes: Number(size), changedAtMs, mark: [dev, ino, size, mtimeNs, ctimeNs].join() }
  } catch {
    // Missing or unreadable: in both cases the service cannot use it.
    return null
  }
}

/** Time stamps of files advance with the kernel's ticks, 1 to 10 ms: two changes in one tick look like one. */
const clockTickMs = 10

/** Hashes of files that were changed since they were last compared, or copied here: by path, until they change again. */
const hashes = new Map<string, { readonly mark: string; readonly sha256: Promise<string | null> }>()

async function isUnchanged(
  path: string,
  { sizeBytes, sha256 }: WeightsFile,
  comparedAtMs: number | null,
): Promise<boolean> {
  const state = await stateOf(path)
  if (state === null || state.sizeBytes !== sizeBytes) return false
  if (comparedAtMs !== null && state.changedAtMs < comparedAtMs - clockTickMs) return true
  const known = hashes.get(path)
  const current =
    known?.mark === state.mark ? known : { mark: state.mark, sha256: sha256OfFile(path).catch(() => null) }
  hashes.set(path, current)
  return (await current.sha256) === sha256
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
