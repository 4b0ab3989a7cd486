import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { extract } from 'tar'
import { hashFile } from '#corpus/files'
import { replaceFile, syncFolder } from '#installation/files'
import type { PlanLine } from '#journal/plan-line'
import { runFiles } from '#journal/run-writer'
import type { BlockResult, HostFault } from './messages.ts'

/** What a host sends of a run folder; its plan is known. */
export const sentFiles: readonly string[] = [runFiles.record, runFiles.journal, runFiles.telemetry]

const executionName = /^[0-9a-f-]{36}$/

export type PartStore = Awaited<ReturnType<typeof openPartStore>>

/**
 * What the coordinator has received, on its disk. A new process finds all of it again.
 *
 * @param folder in the folder of the run; made where it is missing
 */
export async function openPartStore(folder: string) {
  await mkdir(folder, { recursive: true })
  /** The name of an execution is checked: it becomes that of a file. */
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
    /** Results that count, by their blocks. */
    counted: async (): Promise<ReadonlyMap<string, BlockResult>> =>
      new Map(await readAll<BlockResult>('.counted.json')),
    /** Results of blocks of which another one counts. */
    further: async (): Promise<readonly BlockResult[]> =>
      (await readAll<BlockResult>('.further.json')).map(([, result]) => result),
    /** On the platter before it resolves. */
    async addChunk(execution: string, offset: number, bytes: Uint8Array): Promise<void> {
      await using file = await open(incoming(execution), offset === 0 ? 'w' : 'r+')
      await file.write(bytes, 0, bytes.length, offset)
      await file.datasync()
    },
    /** Takes a result that is a file of a shared folder. @returns whether it was there, and is on the disk here */
    addFile: (result: BlockResult, sharedFolder: string): Promise<boolean> =>
      takeFile(sharedFolder, result, incoming(result.execution)),
    /** Turns the received pieces into the result that counts of a block. */
    async count(blockId: string, result: BlockResult): Promise<void> {
      const [path, archive] = [incoming(result.execution), join(folder, `${blockId}.tgz`)]
      // An earlier process may have died between the two steps below.
      const received = await hashFile(path).catch(() => hashFile(archive))
      if (received !== result.sha256) throw new Error('the pieces do not make up the result')
      await rename(path, archive).catch(() => undefined)
      // What has this file is complete.
      await write(`${blockId}.counted.json`, result)
    },
    async addFurther(result: BlockResult): Promise<void> {
      await rm(incoming(result.execution), { force: true })
      await write(`${result.execution}.further.json`, result)
    },
    /** What hosts did not measure to its end, in any order. */
    faults: async (): Promise<readonly HostFault[]> =>
      (await readAll<HostFault>('.fault.json')).map(([, fault]) => fault),
    addFault: (fault: HostFault): Promise<void> => write(`${randomUUID()}.fault.json`, fault),
    /** When parts started on all hosts, by their numbers and the clock of Redis. */
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
async function takeFile(folder: string, result: BlockResult, target: string): Promise<boolean> {
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
