import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { apiVersion, type DiscoveryFile, discoveryFile, discoveryFileName } from '#contract'
import { writePrivateFile } from './private-file.ts'

/** The file by which clients find a running service. */
export interface Announcement {
  readonly path: string
  /** Removes the file, unless another service has written its own since. */
  withdraw(): Promise<void>
}

/** Writes `local-api.json`: mode 0600, in one step. */
export async function announce(
  dataDir: string,
  service: { readonly port: number; readonly token: string; readonly appVersion: string },
): Promise<Announcement> {
  const path = join(dataDir, discoveryFileName)
  const ours: DiscoveryFile = {
    port: service.port,
    pid: process.pid,
    started_at: new Date().toISOString(),
    api_version: apiVersion,
    app_version: service.appVersion,
    token: service.token,
  }
  await writePrivateFile(path, `${JSON.stringify(ours, null, 2)}\n`)
  return {
    path,
    async withdraw() {
      if (await isOurs(path, ours)) await rm(path, { force: true })
    },
  }
}

/**
 * Writes a new token into the discovery file that a running service has left.
 *
 * @returns whether there is one
 */
export async function renewAnnouncement(dataDir: string, token: string): Promise<boolean> {
  const path = join(dataDir, discoveryFileName)
  const found = await readFile(path, 'utf8').catch(() => null)
  if (found === null) return false
  await writePrivateFile(
    path,
    `${JSON.stringify({ ...discoveryFile.parse(JSON.parse(found)), token }, null, 2)}\n`,
  )
  return true
}

async function isOurs(path: string, ours: DiscoveryFile): Promise<boolean> {
  try {
    const found = discoveryFile.parse(JSON.parse(await readFile(path, 'utf8')))
    return found.pid === ours.pid && found.port === ours.port && found.started_at === ours.started_at
  } catch {
    // Gone, or not a discovery file: either way not ours to remove.
    return false
  }
}
