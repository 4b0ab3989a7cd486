import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { serviceErrors } from './errors.ts'
import { hasAnnouncement, renewAnnouncement } from './folder/discovery.ts'
import { replaceToken } from './folder/token.ts'
import { isOfTheSystem } from './system-error.ts'

/**
 * Gives the services of a data directory a new token. One that is running refuses the old token at once, and its
 * discovery file carries the new one. The token itself is not returned: an authorised client reads that file.
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
  const isThere = await hasAnnouncement(dataDir)
  const token = await replaceToken(dataDir).catch((error: unknown) => {
    throw unwritable(error, `${dataDir} cannot be written, and the old token is still valid`)
  })
  if (!isThere) return { isAnnounced: false }
  await renewAnnouncement(dataDir, token).catch((error: unknown) => {
    const what = `The old token is invalid, but ${dataDir} could not be given the new discovery file`
    throw isOfTheSystem(error) ? unwritable(error, what) : damaged(error, what)
  })
  return { isAnnounced: true }
}

function damaged(cause: unknown, what: string): unknown {
  return serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
    message: `${what}: the one that is there is damaged.`,
    hint: 'Restart the service: it writes a new one.',
    cause,
  })
}

/** Says in words what the operating system said, so that a full disk does not look like a bug. */
function unwritable(error: unknown, what: string): unknown {
  if (!isOfTheSystem(error)) return error
  return serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
    message: `${what}: ${error.message}.`,
    hint: 'Free some disk space or make it writable, then: transcribench serve token rotate',
    cause: error,
  })
}
