import type { DuckDBConnection } from '@duckdb/node-api'
import type { BenchError } from '#prelude'
import { sessionErrors } from '../errors.ts'
import { parquet } from '../export/formats/parquet.ts'
import { tablePath } from '../export/table-format.ts'

/** Whether a name that was typed is an address and not a path. */
export function isAddress(name: string): boolean {
  return name.startsWith('s3://')
}

/**
 * @param name an address as typed
 * @returns it without a slash at its end
 * @throws BenchError OBJECT_STORAGE_UNREADABLE, which repeats no parameters, because they may hold keys
 */
export function checkAddress(name: string): string {
  if (/^s3:\/\/[^/?#@]+(\/[^?#]*)?$/.test(name)) return name.replace(/\/+$/, '')
  throw sessionErrors.make('OBJECT_STORAGE_UNREADABLE', {
    message:
      'an address in object storage is s3://<bucket>/<folder>, without a password and without parameters',
    hint: keysHint,
  })
}

/**
 * Prepares DuckDB for addresses. Its extension is fetched once, into DuckDB's own folder of the user.
 *
 * @throws BenchError OBJECT_STORAGE_UNREADABLE where it cannot be fetched
 */
export async function loadObjectStorage(
  connection: DuckDBConnection,
  addresses: readonly string[],
): Promise<void> {
  const [address] = addresses
  if (address === undefined) return
  try {
    await connection.run('INSTALL httpfs')
    await connection.run('LOAD httpfs')
  } catch (cause) {
    throw unreadable(
      address,
      cause,
      `copy it here: aws s3 cp --recursive ${address} tables; then name the folder tables`,
    )
  }
}

/**
 * @param root address of an export; whatever DuckDB reads
 * @returns addresses of the files of one table, none where the export does not have it
 * @throws BenchError OBJECT_STORAGE_UNREADABLE
 */
export async function storedFiles(
  connection: DuckDBConnection,
  root: string,
  table: string,
): Promise<readonly string[]> {
  try {
    const pattern = `${root}/${tablePath(table, '*', parquet.name)}`
    const found = await connection.runAndReadAll('SELECT file FROM glob($pattern) ORDER BY file', { pattern })
    return found.getRows().map(([file]) => String(file))
  } catch (cause) {
    throw unreadable(root, cause, keysHint)
  }
}

const keysHint =
  'keys are read from the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION; ' +
  'storage of other makers: CREATE PERSISTENT SECRET in DuckDB'

function unreadable(address: string, cause: unknown, hint: string): BenchError {
  const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
  return sessionErrors.make('OBJECT_STORAGE_UNREADABLE', {
    message: `${address} cannot be read: ${reason}`,
    hint,
    cause,
  })
}
