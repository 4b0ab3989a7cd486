/** More files of different kinds than a reader takes in at once. */
export const largestFolderOfUnlikeFiles = 20

/** Each file of these folders is one of a kind: a language, a finding, a command. */
const foldersOfLikeFiles: ReadonlySet<string> = new Set(['cli/commands', 'scoring/profiles/languages'])

/**
 * @param folders the files of each folder, by its path
 * @returns the folders that hold too many files of different kinds
 */
export function tooLargeFolders<File>(
  folders: ReadonlyMap<string, readonly File[]>,
): [string, readonly File[]][] {
  return [...folders].filter(
    ([folder, files]) => files.length > largestFolderOfUnlikeFiles && !foldersOfLikeFiles.has(folder),
  )
}

/** A file is a subject that reads as a page; a program of more files, or of longer ones, is more than a reader holds. */
export const sizeLimits = { files: 720, linesOfFile: 600, chain: 35 }

/** @returns the median and the longest of files, in lines, and what is beyond the limits, in sentences */
export function measureSizes(files: readonly { readonly path: string; readonly lineCount: number }[]): {
  readonly medianLines: number
  readonly longest: { readonly path: string; readonly lineCount: number }
  readonly faults: string[]
} {
  const sorted = files.toSorted((a, b) => a.lineCount - b.lineCount)
  const longest = sorted.at(-1) ?? { path: '', lineCount: 0 }
  const tooLong = sorted.filter(({ lineCount }) => lineCount > sizeLimits.linesOfFile)
  return {
    medianLines: sorted[Math.floor(sorted.length / 2)]?.lineCount ?? 0,
    longest,
    faults: [
      ...tooLong.map(
        ({ path, lineCount }) =>
          `src/${path}: ${lineCount} lines, more than ${sizeLimits.linesOfFile}. Divide it by subject.`,
      ),
      ...(files.length > sizeLimits.files
        ? [`src: ${files.length} files, more than ${sizeLimits.files}. Join what is one subject.`]
        : []),
    ],
  }
}
