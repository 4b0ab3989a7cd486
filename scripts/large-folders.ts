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
