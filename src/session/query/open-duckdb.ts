import type { DuckDBConnection } from '@duckdb/node-api'
import { sessionErrors } from '../errors.ts'

/** An SQL engine with an empty database in memory. */
export interface Database extends Disposable {
  readonly connection: DuckDBConnection
}

/**
 * Opens DuckDB, which is an optional package. It fetches an extension only for INSTALL.
 *
 * @throws BenchError DUCKDB_MISSING
 */
export async function openDuckDb(): Promise<Database> {
  const { DuckDBInstance } = await import('@duckdb/node-api').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw sessionErrors.make('DUCKDB_MISSING', {
      message: 'queries need the package @duckdb/node-api, which is not installed',
      hint: 'npm install @duckdb/node-api',
      cause,
    })
  })
  const instance = await DuckDBInstance.create(':memory:', { autoinstall_known_extensions: 'false' })
  const connection = await instance.connect()
  return {
    connection,
    [Symbol.dispose]() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
