import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { inFreeingTransaction } from '../folder/database.ts'
import { syncFolder, writePrivateFile } from '../folder/private-file.ts'

/** The sound of a recording, on disk but not yet any recording's own. */
export interface KeptSound {
  readonly fileName: string
  /** Absolute. */
  readonly path: string
  discard(): Promise<void>
}

/**
 * The sounds of recordings. Each one's name is written down before its file is, and crossed out together with
 * the recording's own write, so that a sound whose recording never came to be is known at the next start:
 *
 *   name noted ─► file written ─► recording written and name crossed out, as one
 */
export interface SoundFolder {
  /** @param extension such as `wav` */
  keep(id: string, bytes: Uint8Array, extension: string): Promise<KeptSound>
  /** To be called in the transaction that writes the recording. */
  claim(sound: KeptSound): void
  /**
   * Removes a recording's sound. Its name is noted in the same write that takes it from the recording, and crossed out
   * when the file is gone.
   */
  expire(fileName: string, forget: () => void): Promise<void>
  /** Absolute, whether the file is there or not. */
  pathOf(fileName: string): string
}

/** Opens the folder and removes what an earlier service left unfinished in it. */
export async function openSoundFolder(database: DatabaseSync, folder: string): Promise<SoundFolder> {
  const note = database.prepare('INSERT INTO unfinished_sounds (file_name) VALUES (?)')
  const crossOut = database.prepare('DELETE FROM unfinished_sounds WHERE file_name = ?')
  const remove = async (fileName: string): Promise<void> => {
    await rm(join(folder, fileName), { force: true })
    await rm(join(folder, `${fileName}${unfinished}`), { force: true })
    inFreeingTransaction(database, () => crossOut.run(fileName))
  }
  for (const { file_name } of database.prepare('SELECT file_name FROM unfinished_sounds').all()) {
    await remove(String(file_name))
  }

  return {
    async keep(id, bytes, extension) {
      const fileName = `${id}.${extension}`
      const path = join(folder, fileName)
      note.run(fileName)
      try {
        await writePrivateFile(path, bytes, `${path}${unfinished}`)
        await syncFolder(folder)
      } catch (error) {
        await remove(fileName)
        throw error
      }
      return { fileName, path, discard: () => remove(fileName) }
    },
    claim: ({ fileName }) => void crossOut.run(fileName),
    async expire(fileName, forget) {
      inFreeingTransaction(database, () => {
        note.run(fileName)
        forget()
      })
      await remove(fileName)
    },
    pathOf: (fileName) => join(folder, fileName),
  }
}

const unfinished = '.unfinished'
