import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { serviceErrors } from './errors.ts'
import { renewAnnouncement } from './folder/discovery.ts'
import { replaceToken } from './folder/token.ts'

/**
 * Gives the services of a data directory a new token. One that is running refuses the old token at once, and its
 * discovery file carries the new one. The token itself is not returned: whoever may have it reads that file.
 *
 * @returns whether a discovery file was there to be changed, which a stopped service leaves none of
 * @throws BenchError SERVICE_DATA_DIR_UNUSABLE where no service has ever run on it
 */
export async function rotateToken(dataDir: string): Promise<{ readonly isAnnounced: boolean }> {
  if ((await stat(join(dataDir, 'token')).catch(() => null)) === null) {
    throw serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
      message: `${dataDir} holds no token: no service has run there.`,
      hint: 'Name the directory of the service with --data-dir.',
    })
  }
  return { isAnnounced: await renewAnnouncement(dataDir, await replaceToken(dataDir)) }
}
