import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listRuns, runFiles } from '#journal'

/**
 * Whether a run that was written since a moment names a file in its record.
 *
 * @param path absolute
 */
export async function isNamedByRun(
  path: string,
  { resultsFolder, since }: { readonly resultsFolder: string; readonly since: Date },
): Promise<boolean> {
  for (const folder of (await listRuns(resultsFolder)).toReversed()) {
    const record = join(folder, runFiles.record)
    const { mtime } = await stat(record)
    if (mtime >= since && (await readFile(record, 'utf8')).includes(JSON.stringify(path))) return true
  }
  return false
}
