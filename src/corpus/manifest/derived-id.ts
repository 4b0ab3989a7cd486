import { type IdTable, idTable } from './id-table.ts'
import type { ManifestRow } from './manifest-row.ts'

/** Whether a line has no id, and gets one from the name of its file. */
export function lacksId({ fields, mayLackId }: ManifestRow): boolean {
  return mayLackId && fields.id == null
}

/**
 * Makes ids for lines without one, from the names of their files: `clips/0057.wav` is `0057`. Where two files share
 * a name, the folders distinguish them: `a/0057`, `b/0057`. Two lines with the same file keep the same id, which the
 * check for duplicates reports.
 *
 * @param rows all of the manifest
 * @returns the id of a line that has none; undefined where its audio is not a text
 */
export async function deriveIds(
  rows: AsyncIterable<Iterable<ManifestRow>>,
): Promise<(row: ManifestRow) => string | undefined> {
  const [seen, shared]: [IdTable, IdTable] = [idTable(), idTable()]
  for await (const batch of rows) {
    for (const row of batch) {
      const { audio } = row.fields
      if (!lacksId(row) || typeof audio !== 'string') continue
      if (seen.add(stem(audio), row.line) !== null) shared.add(stem(audio), row.line)
    }
  }
  return ({ fields: { audio } }) => {
    if (typeof audio !== 'string') return undefined
    return shared.lineOf(stem(audio)) !== null ? withoutExtension(audio) : stem(audio)
  }
}

function stem(path: string): string {
  return withoutExtension(path).split(/[\\/]/).at(-1) ?? path
}

function withoutExtension(path: string): string {
  return path.replace(/\.[^./\\]+$/, '')
}
