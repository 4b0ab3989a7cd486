import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isFileError, remedyOf } from '#prelude'
import { corpusErrors } from '../errors.ts'
import { manifestEntry } from '../manifest/manifest-entry.ts'
import type { VerifiedUtterance } from '../utterances/utterance.ts'

/**
 * Writes the manifest of a selection. It names the recordings where they are; none is copied.
 *
 * @param folder absolute; made if it is not there
 * @returns the path of the manifest
 * @throws BenchError SELECTION_EXISTS where the folder has another manifest; CORPUS_NOT_WRITABLE
 */
export async function writeSelection(
  folder: string,
  utterances: readonly VerifiedUtterance[],
): Promise<string> {
  const path = join(folder, 'manifest.jsonl')
  const lines = utterances.map((utterance) => {
    const way = relative(folder, utterance.audioPath)
    return manifestEntry({ ...utterance, audio: way.split(sep).join('/') })
  })
  const text = `${lines.join('\n')}\n`
  try {
    const found = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (found === text) return path
    if (found !== null) {
      throw corpusErrors.make('SELECTION_EXISTS', {
        message: `${path} is there already, with other utterances`,
        hint: 'name another folder with --output',
      })
    }
    await mkdir(folder, { recursive: true })
    await writeFile(`${path}.${process.pid}.tmp`, text)
    await rename(`${path}.${process.pid}.tmp`, path)
    return path
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
    throw corpusErrors.make('CORPUS_NOT_WRITABLE', {
      message: `${path} cannot be written: ${error.message}`,
      hint: isFileError(error) ? remedyOf(error) : 'name another folder with --output',
      cause: error,
    })
  }
}
