import { glob, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { dataPackage, resultTables, type TableFiles } from '#reports'
import { tableWriters } from './formats/registry.ts'
import { tablePath } from './table-format.ts'

/** Name of the file that describes the tables of an export: their files and columns. */
export const descriptionFile = 'datapackage.json'

/**
 * Describes all tables that a folder holds, also those of earlier exports.
 *
 * @returns the name of the file; null where there is no table
 */
export async function describeExport(output: string): Promise<string | null> {
  const files: TableFiles[] = []
  for (const table of resultTables) {
    for (const { name: format, mediaType } of tableWriters) {
      const paths: string[] = []
      for await (const path of glob(tablePath(table.name, '*', format), { cwd: output })) {
        paths.push(path.replaceAll(sep, '/'))
      }
      if (paths.length > 0) files.push({ table, format, mediaType, paths: paths.sort() })
    }
  }
  if (files.length === 0) return null
  await writeFile(join(output, descriptionFile), dataPackage(files))
  return descriptionFile
}
