import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { extract } from 'tar'
import { hashFile } from '#corpus/files'
import { replaceFile, syncFolder, writeAt } from '#installation/files'
import type { PlanLine } from '#journal/plan-line'
import { runFiles } from '#journal/run-writer'
import type { BlockResult, HostFault } from './messages.ts'

/** Files of a run folder that a host sends; the coordinator already has the plan. */
export const sentFiles: readonly string[] = [runFiles.record, runFiles.journal, runFiles.telemetry]

const executionName = /^[0-9a-f-]{36}$/

export type PartStore = Awaited<ReturnType<typeof openPartStore>>

/**
 * Stores received results on the coordinator's disk, where a new process finds them again.
 *
 * @param folder in the folder of the run; created if it is missing
 */
export async function openPartStore(folder: string) {
  await mkdir(folder, { recursive: true })
  /** Path of a result being received. The execution's name is checked, because it becomes a file name. */
  const incoming = (execution: string): string => {
    if (!executionName.test(execution)) throw new RangeError('an execution has another kind of name')
    return join(folder, `${execution}.incoming`)
  }
  const readAll = async <Value>(ending: string): Promise<readonly (readonly [string, Value])[]> => {
    const names = (await readdir(folder)).filter((name) => name.endsWith(ending))
    return Promise.all(
      names.map(async (name) => {
        const value: Value = JSON.parse(await readFile(join(folder, name), 'utf8'))
        return [name.slice(0, -ending.length), value] as const
      }),
    )
  }
  const write = async (name: string, value: unknown): Promise<void> => {
    await replaceFile(join(folder, name), (draft) => writeFile(draft, JSON.stringify(value), { flush: true }))
    await syncFolder(folder)
  }
  return {
    /** Counted results by block. */
    counted: async (): Promise<ReadonlyMap<string, BlockResult>> =>
      new Map(await readAll<BlockResult>('.counted.json')),
    /** Results of blocks of which another result counts. */
    further: async (): Promise<readonly BlockResult[]> =>
      (await readAll<BlockResult>('.further.json')).map(([, result]) => result),
    /** Resolves after the bytes are synced to the disk. */
    async addChunk(execution: string, offset: number, bytes: Uint8Array): Promise<void> {
      await using file = await open(incoming(execution), offset === 0 ? 'w' : 'r+')
      await writeAt(file, bytes, offset)
      await file.datasync()
    },
    /** Takes a result from a shared folder. @returns whether it was there, and is on the disk here */
    addFile: (result: BlockResult, sharedFolder: string): Promise<boolean> =>
      takeFile(sharedFolder, result, incoming(result.execution)),
    /** Turns the received pieces into the counted result of a block. */
    async count(blockId: string, result: BlockResult): Promise<void> {
      const [path, archive] = [incoming(result.execution), join(folder, `${blockId}.tgz`)]
      // An earlier process may have died between the two steps below.
      const received = await hashFile(path).catch(() => hashFile(archive))
      if (received !== result.sha256) throw new Error('the pieces do not make up the result')
      await rename(path, archive).catch(() => undefined)
      // The existence of this file marks a complete result.
      await write(`${blockId}.counted.json`, result)
    },
    async addFurther(result: BlockResult): Promise<void> {
      await rm(incoming(result.execution), { force: true })
      await write(`${result.execution}.further.json`, result)
    },
    /** Blocks that hosts did not complete, in any order. */
    faults: async (): Promise<readonly HostFault[]> =>
      (await readAll<HostFault>('.fault.json')).map(([, fault]) => fault),
    addFault: (fault: HostFault): Promise<void> => write(`${randomUUID()}.fault.json`, fault),
    /** Start times of parts by their numbers, on the clock of Redis. */
    async starts(): Promise<ReadonlyMap<number, number>> {
      const starts = await readAll<number>('.start.json')
      return new Map(starts.map(([part, startAtMs]) => [Number(part), startAtMs]))
    },
    addStart: (part: number, startAtMs: number): Promise<void> => write(`${part}.start.json`, startAtMs),
    /** @returns a folder like that of a run, with this plan */
    async unpack(blockId: string, plan: Iterable<PlanLine>): Promise<string> {
      const target = join(folder, blockId)
      await mkdir(target, { recursive: true })
      const isSent = (path: string): boolean => sentFiles.includes(path)
      await extract({ file: join(folder, `${blockId}.tgz`), cwd: target, strict: true, filter: isSent })
      await writeFile(
        join(target, runFiles.plan),
        [...plan].map((line) => `${JSON.stringify(line)}\n`).join(''),
      )
      return target
    },
    remove: (): Promise<void> => rm(folder, { recursive: true }),
  }
}

/** Path of a result in the shared folder of the hosts. Readers must check the execution's name. */
function sharedPath(folder: string, { run, execution }: Pick<BlockResult, 'run' | 'execution'>): string {
  return join(folder, run, `${execution}.tgz`)
}

/** Copies a result into the shared folder; resolves after it is synced. */
export async function shareFile(folder: string, result: BlockResult, archive: string): Promise<void> {
  const path = sharedPath(folder, result)
  await mkdir(dirname(path), { recursive: true })
  await copyDurably(archive, path)
}

/** @returns whether the file was there with the content that the result declares */
async function takeFile(folder: string, result: BlockResult, target: string): Promise<boolean> {
  const isCopied = await copyDurably(sharedPath(folder, result), target).then(
    () => true,
    () => false,
  )
  return isCopied && (await hashFile(target)) === result.sha256
}

/** Removes a result from the shared folder. The run's folder stays, because other hosts may be writing to it. */
export async function removeShared(folder: string, result: BlockResult): Promise<void> {
  await rm(sharedPath(folder, result), { force: true })
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  await using file = await open(to, 'r+')
  await file.datasync()
}
