import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { create } from 'tar'
import { hashFile } from '#corpus/files'
import { replaceFile } from '#installation/files'
import type { Broker } from '../queue/broker.ts'
import { type BlockResult, pieceBytes } from '../queue/messages.ts'
import { removeShared, sentFiles, shareFile } from '../queue/part-store.ts'
import { type AgentHost, ask } from './ask.ts'

const archiveName = 'result.tgz'
const resultName = 'result.json'

/**
 * Packs the result of a block, next to its run folder. From then on it will be sent, by a later process if necessary.
 *
 * @param entry folder of the outbox
 */
export async function packResult(
  entry: string,
  runFolder: string,
  about: Omit<BlockResult, 'sha256' | 'sizeBytes'>,
): Promise<void> {
  const archive = join(entry, archiveName)
  await create({ gzip: true, file: archive, cwd: runFolder }, [...sentFiles])
  const [sha256, { size: sizeBytes }] = [await hashFile(archive), await stat(archive)]
  const result = JSON.stringify({ ...about, sha256, sizeBytes } satisfies BlockResult)
  await replaceFile(join(entry, resultName), (draft) => writeFile(draft, result, { flush: true }))
}

const keptMs = 7 * 24 * 3_600_000

/**
 * Removes what nothing has touched for a week: results that no run took because it had ended, measurements that failed
 * or were killed, and recordings that were fetched for runs.
 *
 * @returns the removed files and folders
 */
export async function removeStale(folder: string, today: Date): Promise<readonly string[]> {
  const removed: string[] = []
  for (const name of await readdir(folder).catch(() => [])) {
    const entry = join(folder, name)
    if (today.getTime() - (await stat(entry)).mtimeMs < keptMs) continue
    await rm(entry, { recursive: true })
    removed.push(entry)
  }
  return removed
}

/** Folders of the outbox with an unconfirmed result. */
export async function pendingResults(outbox: string): Promise<readonly string[]> {
  await mkdir(outbox, { recursive: true })
  const entries = (await readdir(outbox)).map((name) => join(outbox, name))
  return entries.filter((entry) => existsSync(join(entry, resultName)))
}

/**
 * Sends a result: as a file of the shared folder if both sides have one, otherwise piece by piece, each after the
 * previous one is on the coordinator's disk. It is removed here when the coordinator has it all or does not need it.
 *
 * @returns whether the result counts; another host may have been first
 * @throws RunOverError; the result then stays in the outbox
 */
export async function sendResult(
  broker: Broker,
  entry: string,
  { stop: signal, sharedFolder }: Pick<AgentHost, 'stop' | 'sharedFolder'>,
): Promise<boolean> {
  const result = JSON.parse(await readFile(join(entry, resultName), 'utf8')) as BlockResult
  const { run, execution } = result
  const offer = { kind: 'offer', id: `offer-${execution}`, body: result, signal } as const
  const offered = await ask(broker, run, offer)
  if (offered.isWanted) {
    const archive = join(entry, archiveName)
    const isTaken = sharedFolder !== null && (await handOver(broker, result, archive, sharedFolder, signal))
    if (!isTaken) await sendPieces(broker, result, archive, signal)
  }
  const complete = { kind: 'complete', id: `complete-${execution}`, body: result, signal } as const
  const { isCounted } = offered.isWanted ? await ask(broker, run, complete) : offered
  await rm(entry, { recursive: true })
  return isCounted
}

/** @returns whether the coordinator found the file; it may have another folder, or none */
async function handOver(
  broker: Broker,
  result: BlockResult,
  archive: string,
  sharedFolder: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { run, execution } = result
  try {
    await shareFile(sharedFolder, result, archive)
  } catch {
    // If the folder is not available, the result is sent in pieces.
    return false
  }
  const collect = { kind: 'collect', id: `collect-${execution}`, body: result, signal } as const
  const { isThere } = await ask(broker, run, collect)
  await removeShared(sharedFolder, result)
  return isThere
}

async function sendPieces(
  broker: Broker,
  { run, execution, sizeBytes }: BlockResult,
  archive: string,
  signal: AbortSignal,
): Promise<void> {
  await using file = await open(archive)
  for (let offset = 0; offset < sizeBytes; offset += pieceBytes) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(pieceBytes), 0, pieceBytes, offset)
    const base64 = buffer.subarray(0, bytesRead).toString('base64')
    const id = `chunk-${execution}-${offset}`
    await ask(broker, run, { kind: 'chunk', id, body: { execution, offset, base64 }, signal })
  }
}
