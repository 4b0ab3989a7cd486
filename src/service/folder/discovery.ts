import { readFile, rm, stat } from 'node:fs/promises'
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

/** Whether a running service has left its discovery file. */
export async function hasAnnouncement(dataDir: string): Promise<boolean> {
  return (await stat(join(dataDir, discoveryFileName)).catch(() => null)) !== null
}

/** Writes a new token into the discovery file. */
export async function renewAnnouncement(dataDir: string, token: string): Promise<void> {
  const path = join(dataDir, discoveryFileName)
  const found = discoveryFile.parse(JSON.parse(await readFile(path, 'utf8')))
  await writePrivateFile(path, `${JSON.stringify({ ...found, token }, null, 2)}\n`)
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
