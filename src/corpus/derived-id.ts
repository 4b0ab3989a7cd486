import type { ManifestRow } from './manifest-row.ts'

/**
 * Makes ids for lines without one, from the names of their files: `clips/0057.wav` is `0057`. Where two files share
 * a name, the folders distinguish them: `a/0057`, `b/0057`. Two lines with the same file keep the same id, which the
 * check for duplicates reports.
 *
 * @returns ids by line; lines whose audio is not a text are left out
 */
export function deriveIds(rows: readonly ManifestRow[]): ReadonlyMap<number, string> {
  const paths = new Map<number, string>()
  for (const { line, fields, mayLackId } of rows) {
    if (mayLackId && fields.id == null && typeof fields.audio === 'string') paths.set(line, fields.audio)
  }
  const counts = new Map<string, number>()
  for (const path of paths.values()) counts.set(stem(path), (counts.get(stem(path)) ?? 0) + 1)
  return new Map(
    [...paths].map(([line, path]) => [
      line,
      counts.get(stem(path)) === 1 ? stem(path) : withoutExtension(path),
    ]),
  )
}

function stem(path: string): string {
  return withoutExtension(path).split(/[\\/]/).at(-1) ?? path
}

function withoutExtension(path: string): string {
  return path.replace(/\.[^./\\]+$/, '')
}
