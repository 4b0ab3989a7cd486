import { renderJson } from '../run/summary-document.ts'
import type { ResultTable } from './result-table.ts'

/** The files of one table in one format. */
export interface TableFiles {
  readonly table: ResultTable
  readonly format: string
  readonly mediaType: string
  /** Relative to the folder of the description, with `/` between folders. */
  readonly paths: readonly string[]
}

/**
 * Describes exported tables: every file, every column with type, unit and meaning.
 *
 * @see https://datapackage.org/standard/data-package/
 */
export function dataPackage(files: readonly TableFiles[]): string {
  return renderJson({
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    name: 'transcribench-results',
    resources: files.map(({ table, format, mediaType, paths }) => ({
      name: `${table.name}-${format}`,
      description: table.description,
      path: paths,
      format,
      mediatype: mediaType,
      schema: {
        fields: table.fields().map(({ name, type, unit, description }) => ({
          name,
          type,
          ...(unit === null ? {} : { unit }),
          description,
        })),
      },
    })),
  })
}
