import { access, constants, readdir, rm, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { BenchError } from '#prelude'
import { serviceErrors } from '../errors.ts'
import { holdFolder } from '../folder/hold.ts'
import { makeFolder } from '../folder/make-folder.ts'
import { isOfTheSystem } from '../system-error.ts'

/** What a model passes through on its way in and out. Found at the next change, it is what a crash left. */
type Passage = 'installing' | 'removing'

export function leftoverPath(modelsDir: string, passage: Passage, id: string): string {
  return join(resolve(modelsDir), `.${passage}-${id}`)
}

/** What was fetched of a model so far. It stays, so that the next installation goes on from it. */
export function fetchedPath(modelsDir: string, id: string): string {
  return join(resolve(modelsDir), `.fetched-${id}`)
}

/** Does the work alone in the models directory, and says what stopped it in words for a person. */
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
    throw inWords(error, modelsDir, signal)
  }
}

/** Room for the download and for what is unpacked from it, before either begins. */
export async function checkRoom(modelsDir: string, neededBytes: number): Promise<void> {
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

function inWords(error: unknown, modelsDir: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) {
    return serviceErrors.make('MODEL_INSTALL_CANCELLED', {
      message: 'The installation was interrupted.',
      hint: 'run the same command again: it goes on with what was downloaded',
      cause: error,
    })
  }
  if (!isOfTheSystem(error)) return error
  if ('code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')) {
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
