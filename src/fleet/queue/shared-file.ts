import { copyFile, mkdir, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hashFile } from '#corpus'
import type { BlockResult } from './messages.ts'

/** Where a result is in a folder that the hosts share. Names of executions are checked by those who read it. */
function sharedPath(folder: string, { run, execution }: Pick<BlockResult, 'run' | 'execution'>): string {
  return join(folder, run, `${execution}.tgz`)
}

/** Puts a result into the shared folder, on its disk before it resolves. */
export async function shareFile(folder: string, result: BlockResult, archive: string): Promise<void> {
  const path = sharedPath(folder, result)
  await mkdir(dirname(path), { recursive: true })
  await copyDurably(archive, path)
}

/** @returns whether the file was there with the content that the result names */
export async function takeFile(folder: string, result: BlockResult, target: string): Promise<boolean> {
  const isCopied = await copyDurably(sharedPath(folder, result), target).then(
    () => true,
    () => false,
  )
  return isCopied && (await hashFile(target)) === result.sha256
}

/** The folder of the run stays: results of other hosts may be on their way to it. */
export async function removeShared(folder: string, result: BlockResult): Promise<void> {
  await rm(sharedPath(folder, result), { force: true })
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  await using file = await open(to, 'r+')
  await file.datasync()
}
